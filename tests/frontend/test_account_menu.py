"""What people can do about their own account, and what a page says to whoever forgot the password."""

import pytest
from django.core import mail
from django.test import Client

from tests import factories
from tests.conftest import client_of
from tests.pages import html_of

pytestmark = pytest.mark.django_db
CONSOLE = "django.core.mail.backends.console.EmailBackend"


def test_the_menu_leads_to_password_and_address_and_offers_the_languages():
    factories.user("ann")
    page = html_of(client_of("ann").get("/"))
    assert 'href="/accounts/password/change/"' in page and 'href="/accounts/email/"' in page
    assert 'value="ja" lang="ja" translate="no">日本語</button>' in page
    assert 'value="en" lang="en" translate="no" aria-current="true">English</button>' in page


def test_without_mail_no_address_is_asked_for(settings):
    settings.EMAIL_BACKEND = CONSOLE
    factories.user("ann")
    assert "/accounts/email/" not in html_of(client_of("ann").get("/"))


def test_a_chosen_language_stays_whatever_the_browser_says():
    study = factories.study("focus", slug="s")
    client = client_of(study.lead.user.username)
    page = client.post("/i18n/setlang/", {"language": "es", "next": "/p/s/"}, follow=True)
    assert page.request["PATH_INFO"] == "/p/s/"
    assert '<html lang="es"' in html_of(page)
    again = html_of(client.get("/", headers={"accept-language": "ja"}))
    assert '<html lang="es"' in again


def test_a_forgotten_password_without_mail_says_whom_to_ask_and_promises_no_message(settings):
    settings.EMAIL_BACKEND = CONSOLE
    page = html_of(Client().get("/accounts/password/reset/"))
    assert "This installation sends no e-mail." in page and "manage.py changepassword NAME" in page
    assert 'name="email"' not in page


def test_a_forgotten_password_with_mail_sends_the_link():
    ann = factories.user("ann")
    ann.email = "ann@example.org"
    ann.save()
    client = Client()
    assert 'name="email"' in html_of(client.get("/accounts/password/reset/"))
    client.post("/accounts/password/reset/", {"email": "ann@example.org"})
    assert [sent.to for sent in mail.outbox] == [["ann@example.org"]]
    assert "/accounts/password/reset/key/" in mail.outbox[0].body
