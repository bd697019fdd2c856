"""The log-in page is the one door: no other address opens a session, and wrong passwords count there."""

import shutil
from collections.abc import Iterator
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from tests import factories
from tests.conftest import client_of
from tests.installation import Installation, script

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root", "root@example.org", "a good password")


def addresses(resolver=None, before: str = "") -> Iterator[str]:
    """Return an address of every route of the site, whatever stands in its variable parts."""
    resolver = resolver or get_resolver()
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            if pattern.name:
                given = {name: _value(converter) for name, converter in pattern.pattern.converters.items()}
                if pattern.pattern.regex.groups > len(given):  # a route written as a regular expression
                    given = {
                        name: "auth" if name == "app_label" else "x"
                        for name in pattern.pattern.regex.groupindex
                    }
                yield reverse(before + pattern.name, kwargs=given)
        else:
            space = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from addresses(pattern, before + space)


def _value(converter) -> object:
    return 1 if type(converter).__name__ == "IntConverter" else "x"


def inside(client: Client) -> bool:
    return "_auth_user_id" in client.session


def try_password(password: str, *, name: str = "root", ip: str = "192.0.2.1", client: Client | None = None):
    return (client or Client()).post(LOGIN, {"login": name, "password": password}, REMOTE_ADDR=ip)


def test_the_right_name_and_password_open_a_session_at_the_log_in_page_and_nowhere_else(root):
    sent = {"username": "root", "login": "root", "password": "a good password", "email": "root@example.org"}
    opened = []
    for address in sorted(set(addresses())):
        client = Client(raise_request_exception=False)
        for kind in ({}, {"content_type": "application/json"}):
            client.post(address, sent, **kind)
        basic = {"authorization": "Basic cm9vdDphIGdvb2QgcGFzc3dvcmQ="}
        client.get(address, headers=basic)
        if inside(client):
            opened.append(address)
    assert opened == [LOGIN]


def test_the_admin_pages_send_to_the_log_in_and_know_who_is_staff(root):
    assert Client().get("/admin/", follow=True).redirect_chain[-1][0] == f"{LOGIN}?next=/admin/"
    assert Client().get("/admin/login/?next=https://evil.example/")["Location"] == f"{LOGIN}?next=/admin/"
    assert client_of("root").get("/admin/login/?next=/admin/auth/user/")["Location"] == "/admin/auth/user/"
    response = client_of("lea").get("/admin/", follow=True)
    assert response.status_code == 403
    assert "The admin pages are for staff of this installation." in response.content.decode()
    # A second form for passwords would have limits of its own.
    assert client_of("root").get("/admin/password_change/")["Location"] == "/accounts/password/change/"


def test_five_wrong_passwords_close_the_door_for_this_account_and_address_alone(root):
    factories.user("ada")
    for _ in range(5):
        try_password("wrong")
    refused = try_password("a good password")
    assert refused.status_code == 200
    assert "Too many wrong passwords. Try again in 5 minutes" in refused.content.decode()
    for name in ("ROOT", "\uff32oot"):  # the same account, written otherwise
        assert "Too many wrong passwords" in try_password("a good password", name=name).content.decode()
    # Others behind the same address, and the same person from another one.
    assert try_password("secret", name="ada").status_code == 302
    assert try_password("a good password", ip="192.0.2.2").status_code == 302


def test_fifty_people_behind_one_address_log_in_within_a_minute_and_may_mistype():
    people = [factories.user(f"person{n}").username for n in range(50)]
    for name in people:
        try_password("mistyped", name=name)
        client = Client()
        client.get(LOGIN)
        assert try_password("secret", name=name, client=client).status_code == 302
        assert inside(client)


def test_who_sends_a_form_too_often_meets_a_page_that_says_when_to_try_again(settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login": "1/m/ip"}
    try_password("x")
    response = try_password("x")
    assert (response.status_code, response["Retry-After"]) == (429, "60")
    assert "Try again in 60 seconds." in response.content.decode()


def test_a_password_that_could_not_be_checked_is_no_wrong_one(root):
    down = mock.patch("config.accounts.find_account", side_effect=OperationalError("down"))
    client = Client(raise_request_exception=False)
    with down:
        for _ in range(8):
            assert try_password("a good password", client=client).status_code >= 500
    assert try_password("a good password").status_code == 302


WITH_A_SECOND_FACTOR = """
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import setup_test_environment
from tests.config.test_doors import addresses, inside

setup_test_environment()
root = User.objects.create_superuser("root", "root@example.org", "a good password")
TOTP.activate(root, generate_totp_secret())
RecoveryCodes.activate(root)
for address in sorted(set(addresses())):
    client = Client(raise_request_exception=False)
    response = client.post(address, {"username": "root", "login": "root", "password": "a good password"})
    if inside(client):
        print("a password alone opens", address)
    elif address == "/accounts/login/":
        print(response.status_code, response["Location"])
"""


def test_with_a_second_factor_a_password_alone_opens_no_door(migrated_for_log_ins, tmp_path):
    folder = shutil.copytree(migrated_for_log_ins, tmp_path / "data")
    made = Installation(folder, ELENCHUS_TWO_FACTOR="yes", ELENCHUS_HOSTS="testserver")
    assert made.run(*script(WITH_A_SECOND_FACTOR)) == "302 /accounts/2fa/authenticate/\n"
