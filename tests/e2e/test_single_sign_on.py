"""Log-in through a real OpenID Connect server in another process, and with a second factor, in Chromium."""

import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.installation import ROOT, Installation, script
from tests.oidc_provider import CLIENT, PASSWORD, SECRET

SEED = """
from tests import factories
from annotation.projects.invitations import invitation_create
made = factories.study("focus", annotators=1, items=1, slug="bench")
factories.user("ada")
_, token = invitation_create(project=made.project, member=made.lead)
print(token)
"""


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[str], list[str]]]:
    """Return the address of a provider, its process, and where it is told who its client is."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started: list[subprocess.Popen[str]] = []

    def start(client: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "tests.oidc_provider", str(tmp_path), str(port), client],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield f"http://127.0.0.1:{port}", start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def site(migrated_for_log_ins: Path, tmp_path: Path, provider) -> Iterator[tuple[Installation, str]]:
    """Return an installation with the provider's log-in and a second factor, and a token to join by."""
    address, start = provider
    made = Installation(
        shutil.copytree(migrated_for_log_ins, tmp_path / "data"),
        ELENCHUS_OIDC_SERVER=f"{address}/o",
        ELENCHUS_OIDC_NAME="University",
        ELENCHUS_OIDC_CLIENT=CLIENT,
        ELENCHUS_OIDC_SECRET=SECRET,
        ELENCHUS_TWO_FACTOR="yes",
    )
    token = made.run(*script(SEED)).strip()
    made.provider = start(made.url)
    made.start()
    yield made, token
    made.kill()


def sign_on(page: Page, site: Installation, name: str) -> None:
    """Go to the log-in page and on to the university, and log in there, in a browser new to it."""
    page.goto(f"{site.url}/accounts/login/")
    page.get_by_role("link", name="University").click()
    at_the_university(page, name)


def at_the_university(page: Page, name: str) -> None:
    page.locator("[name=name]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="University log-in").click()


def fresh(page: Page) -> Page:
    """Return a browser that nobody has used."""
    return page.context.browser.new_context().new_page()


def accounts(site: Installation) -> dict[str, str]:
    return dict(site.rows("SELECT username, email FROM auth_user"))


def test_people_log_in_through_their_university_and_every_odd_case_is_told(page, site, provider):
    made, token = site
    before = set(accounts(made))

    # The first time there is an account afterwards, the second time it is the same one.
    sign_on(page, made, "nora")
    expect(page).to_have_url(f"{made.url}/")
    assert set(accounts(made)) - before == {"nora"}
    again = fresh(page)
    sign_on(again, made, "nora")
    expect(again).to_have_url(f"{made.url}/")
    assert set(accounts(made)) - before == {"nora"}

    # A name that differs in case from an account here is another person's: it gets another name.
    other = fresh(page)
    sign_on(other, made, "ADA")
    expect(other).to_have_url(f"{made.url}/")
    (new,) = set(accounts(made)) - before - {"nora"}
    assert new.lower() != "ada" and new.lower().startswith("ada")

    # An address that an account here has: it is not taken over, the owner connects the two.
    owner = fresh(page)
    sign_on(owner, made, "bert")
    expect(owner.get_by_text("An account here has your e-mail address already.")).to_be_visible()
    assert "bert" not in accounts(made)
    owner.get_by_label("User name or e-mail").fill("ann")
    owner.get_by_label("Password").fill("secret")
    owner.locator("main").get_by_role("button", name="Log in").click()
    expect(owner).to_have_url(f"{made.url}/accounts/3rdparty/")
    owner.get_by_role("link", name="University").click()
    expect(owner.get_by_text("The third-party account has been connected.")).to_be_visible()
    bert = fresh(page)
    sign_on(bert, made, "bert")
    expect(bert).to_have_url(f"{made.url}/")
    expect(bert.get_by_text("ann", exact=True).first).to_be_visible()
    assert "bert" not in accounts(made)

    # An invitation is taken up by signing on.
    guest = fresh(page)
    guest.goto(f"{made.url}/join/{token}/")
    guest.get_by_role("link", name="Log in and join").click()
    guest.get_by_role("link", name="University").click()
    at_the_university(guest, "iris")
    expect(guest).to_have_url(f"{made.url}/join/{token}/")
    guest.get_by_role("button", name="Join the study").click()
    expect(guest).to_have_url(re.compile("/p/bench/"))
    joined = made.rows(
        "SELECT count(*) FROM annotation_membership WHERE user_id = (SELECT id FROM auth_user WHERE "
        "username = 'iris')"
    )
    assert joined == [(1,)]

    # Whom the university no longer knows does not get in; the account and its work stay.
    with urllib.request.urlopen(f"{provider[0]}/forget/nora", timeout=10):
        pass
    gone = fresh(page)
    sign_on(gone, made, "nora")
    expect(gone.get_by_text("The university does not know you.")).to_be_visible()
    gone.goto(f"{made.url}/")
    expect(gone).to_have_url(re.compile("/accounts/login/"))
    # What the university's server sends back then, told in words.
    gone.goto(f"{made.url}/accounts/oidc/oidc/login/callback/?error=access_denied&state=x")
    expect(gone.get_by_text("was not finished, or it does not let you in")).to_be_visible()

    # A server that is down is told, and the log-in here works on.
    made.provider.kill()
    made.provider.wait()
    down = fresh(page)
    down.goto(f"{made.url}/accounts/login/")
    down.get_by_role("link", name="University").click()
    expect(down.get_by_text("University does not answer")).to_be_visible()
    down.goto(f"{made.url}/accounts/login/")
    down.get_by_label("User name or e-mail").fill("ada")
    down.get_by_label("Password").fill("secret")
    down.locator("main").get_by_role("button", name="Log in").click()
    expect(down).to_have_url(f"{made.url}/")


SIGN_UP = """
import sys
from types import SimpleNamespace
from core.errors import NotAllowed
from config.oidc_login import SocialAccountAdapter
new = SimpleNamespace(email="new@example.org")
for address in sys.argv[1:]:
    asked = SimpleNamespace(is_existing=False, user=new, state={"next": address})
    try:
        SocialAccountAdapter().pre_social_login(
            SimpleNamespace(user=SimpleNamespace(is_authenticated=False)), asked
        )
        print("let in")
    except NotAllowed as refusal:
        print(refusal.message)
"""


@pytest.mark.parametrize(
    ("setting", "letting_in"), [("yes", [True] * 4), ("no", [True, False, False, False])]
)
def test_where_only_invited_people_get_an_account_the_link_of_an_invitation_lets_in(
    migrated_for_log_ins, tmp_path, setting, letting_in
):
    made = Installation(
        shutil.copytree(migrated_for_log_ins, tmp_path / "data"),
        ELENCHUS_OIDC_SERVER="https://login.example.org",
        ELENCHUS_OIDC_CLIENT=CLIENT,
        ELENCHUS_OIDC_SECRET=SECRET,
        ELENCHUS_OIDC_SIGNUP=setting,
        ELENCHUS_PATH="/elenchus",
    )
    token = made.run(*script(SEED)).strip()
    there = f"/elenchus/join/{token}/"
    told = made.run(*script(SIGN_UP), there, "/elenchus/join/wrong/", "/elenchus/", "").splitlines()
    assert [one == "let in" for one in told] == letting_in
    assert all("only who is invited gets one" in one for one in told if one != "let in")


CODE = """
import sys
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
print(format_hotp_value(hotp_value(sys.argv[1], next(iter(yield_hotp_counters_from_time())))))
"""


def test_a_second_factor_is_asked_for_and_a_lost_device_is_got_over(page, site):
    made, _ = site

    def log_in(browser: Page) -> None:
        browser.goto(f"{made.url}/accounts/login/")
        browser.get_by_label("User name or e-mail").fill("ada")
        browser.get_by_label("Password").fill("secret")
        browser.locator("main").get_by_role("button", name="Log in").click()

    def code() -> str:
        return made.run(*script(CODE), secret).strip()

    log_in(page)
    expect(page).to_have_url(f"{made.url}/")
    page.goto(f"{made.url}/accounts/2fa/totp/activate/")
    page.get_by_label("Password").fill("secret")  # asked once more before anything is changed
    page.get_by_label("Password").press("Enter")
    secret = page.locator("#authenticator_secret").input_value()
    page.locator("[name=code]").fill(code())
    page.locator("[name=code]").press("Enter")
    expect(page.locator("[name=code]")).to_have_count(0)
    page.goto(f"{made.url}/accounts/2fa/recovery-codes/")
    recovery = re.findall(r"\b[0-9a-f]{8}\b", page.content())[0]

    # The password alone is not enough any more; a wrong code is not either; the right one is.
    other = fresh(page)
    log_in(other)
    expect(other).to_have_url(re.compile("/accounts/2fa/authenticate/"))
    other.goto(f"{made.url}/")
    expect(other).to_have_url(re.compile("/accounts/2fa/authenticate/"))
    expect(other.get_by_text("ada", exact=True)).to_have_count(0)
    other.locator("[name=code]").fill("000000")
    other.locator("[name=code]").press("Enter")
    expect(other.get_by_text("Incorrect code.")).to_be_visible()
    expect(other).to_have_url(re.compile("/accounts/2fa/authenticate/"))

    # A lost device: one of the codes that were kept on paper, once.
    other.locator("[name=code]").fill(recovery)
    other.locator("[name=code]").press("Enter")
    expect(other).to_have_url(f"{made.url}/")
    once = fresh(page)
    log_in(once)
    once.locator("[name=code]").fill(recovery)
    once.locator("[name=code]").press("Enter")
    expect(once.get_by_text("Incorrect code.")).to_be_visible()
    expect(once).to_have_url(re.compile("/accounts/2fa/authenticate/"))

    # Device and codes lost: the operator takes the second factor away, and the password works again.
    made.run("manage.py", "forget_second_factor", "ada")
    lost = fresh(page)
    log_in(lost)
    expect(lost).to_have_url(f"{made.url}/")
