"""One rule for what names an account, at every door: case, width and composition make no other account."""

import importlib
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client, RequestFactory

from annotation.accounts import find_account, key_of
from annotation.models import AccountName
from annotation.projects.invitations import invitation_create
from config.accounts import AccountAdapter
from tests import factories
from tests.conftest import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NAME = "Zoe\u0308.A"
ALIKE = ["zo\xeb.a", "ZO\xcb.A", "\uff3aoe\u0308.\uff21", "Zo\xeb.A"]
"""The same name in other case, wide, and with its letters composed."""

PASSWORD = {"password1": "quiet-river-77", "password2": "quiet-river-77"}
TAKEN = "An account has this user name already"


@pytest.fixture
def zoe() -> User:
    return User.objects.create_user(NAME, "Zoe@Example.org", "quiet-river-77")


def join(name: str, email: str = "") -> str:
    made = factories.study("focus", annotators=1, slug="j")
    token = invitation_create(project=made.project, member=made.lead)[1]
    return posted(Client(), f"/join/{token}/", username=name, email=email, **PASSWORD)


def sign_up(name: str, email: str = "") -> str:
    return posted(Client(), "/accounts/signup/", username=name, email=email, **PASSWORD)


def admin_add(name: str) -> str:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return posted(client, "/admin/auth/user/add/", username=name, usable_password="true", **PASSWORD)


def admin_rename(name: str) -> str:
    client, other = Client(), User.objects.create_user("other")
    client.force_login(User.objects.create_superuser("root"))
    told = posted(client, f"/admin/auth/user/{other.pk}/change/", username=name, date_joined_0="2026-01-01",
                  date_joined_1="00:00:00")  # fmt: skip
    other.refresh_from_db()
    assert other.username == "other"
    return told


def superuser(name: str) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("createsuperuser", interactive=False, username=name, email="")
    return str(refused.value)


def posted(client: Client, url: str, **sent: str) -> str:
    response = client.post(url, sent)
    assert response.status_code == 200, response.get("Location")
    return response.content.decode()


@pytest.mark.parametrize("door", [join, sign_up, admin_add, admin_rename, superuser])
def test_no_door_makes_a_second_account_of_a_name(zoe, settings, door):
    settings.OPEN_SIGNUP = True
    for name in ALIKE[:1] if door is not superuser else ALIKE:
        told = door(name)
        assert TAKEN in told or "already exists" in told or "already taken" in told
    assert AccountName.objects.filter(name_key=key_of(NAME)).count() == 1
    assert not User.objects.exclude(pk=zoe.pk).filter(username__in=[*ALIKE, NAME]).exists()


@pytest.mark.parametrize("name", [NAME, *ALIKE])
def test_every_way_to_write_a_name_logs_the_one_account_in(zoe, name):
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": "quiet-river-77"})
    assert client.session["_auth_user_id"] == str(zoe.pk)
    assert find_account(name) == zoe


@pytest.mark.parametrize("email", ["zoe@example.org", "ZOE@EXAMPLE.ORG", "\uff3aoe@example.org"])
def test_an_address_belongs_to_one_account_and_logs_it_in(zoe, settings, email):
    settings.OPEN_SIGNUP = True
    assert "An account has this e-mail address already" in sign_up("other", email.replace("\uff3a", "Z"))
    assert "An account has this e-mail address already" in join("other", email.replace("\uff3a", "Z"))
    client = Client()
    client.post("/accounts/login/", {"login": email, "password": "quiet-river-77"})
    assert client.session["_auth_user_id"] == str(zoe.pk)


def test_an_address_of_another_cannot_be_added_to_an_account(zoe):
    told = client_of("ada").post("/accounts/email/", {"action_add": "", "email": "ZOE@example.org"})
    assert "An account has this e-mail address already" in told.content.decode()


def test_a_name_from_an_openid_connect_server_is_one_that_nobody_has(zoe):
    adapter = AccountAdapter(RequestFactory().get("/"))
    assert find_account(adapter.generate_unique_username(["ZO\xcb.A"])) is None


def test_a_project_takes_an_account_by_its_name_in_any_case(zoe):
    factories.study("focus", annotators=1, slug="s")
    call_command("add_member", "s", "ZO\xcb.A")
    assert zoe.memberships.get().is_annotator


def test_the_database_itself_keeps_one_account_a_name(zoe):
    other = User.objects.create_user("other")
    with pytest.raises(ValidationError, match=TAKEN):
        User.objects.create_user("zo\xeb.a")
    with pytest.raises(IntegrityError), transaction.atomic():
        AccountName.objects.filter(user=other).update(name_key=key_of(NAME))


def test_an_account_keeps_its_own_name_and_may_write_it_otherwise(zoe):
    zoe.username = "zo\xeb.A"
    zoe.save()
    assert AccountName.objects.get(user=zoe).name_key == key_of(NAME)
    zoe.username, zoe.email = "somebody", ""
    zoe.save()
    assert (AccountName.objects.get(user=zoe).name_key, AccountName.objects.get(user=zoe).email_key) == (
        "somebody",
        None,
    )
    assert find_account(NAME) is None


def test_accounts_of_before_the_rule_that_look_alike_are_named_and_both_log_in(capsys):
    for name in ("ada", "x"):
        User.objects.create_user(name, "a@example.org" if name == "ada" else "", "secret")
    User.objects.filter(username="x").update(username="ADA", email="A@example.org")
    AccountName.objects.all().delete()
    migration = importlib.import_module("annotation.migrations.0012_account_names")
    migration.keep_keys(apps, SimpleNamespace(connection=connection))
    told = capsys.readouterr().out
    assert "The accounts “ada” and “ADA” look alike." in told
    assert "The accounts “ada” and “ADA” have one e-mail address (A@example.org)" in told
    assert set(User.objects.values_list("email", flat=True)) == {"a@example.org"}
    for name in ("ada", "ADA"):
        client = Client()
        client.post("/accounts/login/", {"login": name, "password": "secret"})
        found = User.objects.get(pk=client.session["_auth_user_id"])
        assert found.username == name
        found.first_name = "still can be stored"
        found.save()
    assert AccountName.objects.filter(name_key="ada").count() == 1
