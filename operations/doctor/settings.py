"""Checks of what the environment says: debug, secret, hosts, origins, TLS, the second factor, mail."""

import smtplib
import stat
from fnmatch import fnmatch
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import get_connection
from django.db import Error

from operations.doctor.findings import Finding, failed, note, ok, skipped

LOCAL = {"127.0.0.1", "localhost", "[::1]", "testserver"}
DAY = 86_400


def is_production() -> bool:
    """Whether the settings are those of a server that others reach."""
    return settings.PRODUCTION


def public_hosts() -> list[str]:
    """Return the hosts that are not this machine itself."""
    return [host for host in settings.ALLOWED_HOSTS if host not in LOCAL]


def debug() -> Finding:
    if settings.DEBUG:
        return failed(
            "debug", "Debug pages are on: they show texts and settings to everybody.", "Unset ELENCHUS_DEBUG."
        )
    return ok("debug", "Debug pages are off.")


def secret() -> Finding:
    key = settings.SECRET_KEY
    if len(key) < 50 or len(set(key)) < 5 or key.startswith("django-insecure"):
        return failed(
            "secret",
            "The secret key is short or easy to guess: sessions can be forged.",
            "Set ELENCHUS_SECRET_KEY to what this prints: "
            'python3 -c "import secrets; print(secrets.token_urlsafe(50))"',
        )
    file = settings.DATA_DIR / "secret_key"
    if not is_production() and file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
        return failed("secret", f"Others can read {file}.", f"chmod 600 {file}")
    return ok("secret", "The secret key is long and random.")


def hosts() -> Finding:
    if "*" in settings.ALLOWED_HOSTS:
        return failed(
            "hosts",
            "Any host name is taken: links in e-mails can be made to lead elsewhere.",
            "Set ELENCHUS_HOSTS to the names of the site.",
        )
    if is_production() and not public_hosts():
        return failed(
            "hosts",
            "Only this machine's own names are taken: everybody else gets an error.",
            "Set ELENCHUS_HOSTS to the name of the site, such as elenchus.example.org.",
        )
    return ok("hosts", f"Answers to {', '.join(settings.ALLOWED_HOSTS)}.")


def origins() -> Finding:
    """Forms that come through a proxy with TLS are refused unless their origin is trusted."""
    trusted = [urlsplit(origin) for origin in settings.CSRF_TRUSTED_ORIGINS]
    for origin in trusted:
        if not any(_takes(host, origin.hostname or "") for host in settings.ALLOWED_HOSTS):
            return failed(
                "origins",
                f"The origin {origin.geturl()} is trusted and its host is not among ELENCHUS_HOSTS.",
                "Write the same names into ELENCHUS_HOSTS and ELENCHUS_ORIGINS.",
            )
    if not is_production():
        return skipped("origins", "Only asked where a proxy stands in front.")
    names = [host.removeprefix(".") for host in public_hosts()]
    if not any(fnmatch(name, origin.hostname or "") for name in names for origin in trusted) and not (
        trusted and "*" in names
    ):
        return failed(
            "origins",
            "No address of the site is trusted: behind the proxy forms are refused.",
            f"Set ELENCHUS_ORIGINS to https://{next(iter(names), 'elenchus.example.org')}.",
        )
    if settings.HTTPS and any(origin.scheme != "https" for origin in trusted):
        return failed(
            "origins",
            "An origin begins with http:// while the site is for HTTPS alone.",
            "Write https:// in ELENCHUS_ORIGINS.",
        )
    return ok("origins", "Forms from the site's own addresses are taken.")


def _takes(allowed: str, host: str) -> bool:
    if allowed == "*" or allowed == host:
        return True
    if host.startswith("*."):
        return allowed == host.removeprefix("*")
    return allowed.startswith(".") and (host.endswith(allowed) or host == allowed[1:])


def tls() -> Finding:
    if not is_production():
        others = public_hosts()
        if others:
            return note(
                "tls",
                f"{', '.join(others)} is served without TLS: passwords can be read on the way, and browsers "
                "allow neither working offline nor safe keeping of what was not sent yet.",
                "Use the production settings behind a proxy with a certificate: see docs/deploy.md.",
            )
        return skipped("tls", "Only this machine reaches the site.")
    if not settings.HTTPS:
        return failed(
            "tls",
            "The site does not insist on HTTPS: cookies and passwords can be read.",
            "Unset ELENCHUS_HTTPS.",
        )
    if not settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        return failed(
            "tls",
            "HTTPS is insisted on and no proxy is believed that it was HTTPS: every page redirects for ever.",
            "Set ELENCHUS_PROXIES to the number of proxies in front, mostly 1.",
        )
    return ok("tls", "The site insists on HTTPS; cookies are sent over HTTPS alone.")


def hsts() -> Finding:
    if not is_production() or not settings.HTTPS:
        return skipped("hsts", "Only asked where the site insists on HTTPS.")
    if settings.SECURE_HSTS_SECONDS < DAY:
        return failed(
            "hsts",
            f"Browsers are told to insist on HTTPS for {settings.SECURE_HSTS_SECONDS} seconds only.",
            "Unset ELENCHUS_HSTS_SECONDS, or set it to 31536000, a year.",
        )
    return ok("hsts", f"Browsers insist on HTTPS for {settings.SECURE_HSTS_SECONDS // DAY} days.")


def second_factor() -> Finding:
    try:
        staff = get_user_model().objects.filter(is_staff=True, is_active=True)
        if not staff.exists():
            return note("second_factor", "There is no staff account.", "manage.py createsuperuser makes one.")
        if not settings.TWO_FACTOR:
            tell = failed if is_production() else note
            return tell(
                "second_factor",
                "Two-factor log-in is off: whoever learns a password of staff has the whole site.",
                "Set ELENCHUS_TWO_FACTOR=yes, run manage.py migrate, and have staff set it up.",
            )
        without = staff.exclude(pk__in=secured_accounts()).count()
    except Error:
        return skipped("second_factor", "The database has to answer first.")
    if without:
        return failed(
            "second_factor",
            f"{without} staff account{'s have' * (without > 1) or ' has'} no second factor.",
            "Have them set it up under their name, Two-factor log-in; or take their staff status away.",
        )
    return ok("second_factor", "Every staff account has a second factor.")


def secured_accounts() -> Any:
    """Return the keys of accounts that have set up a second factor."""
    model: Any = apps.get_model  # the table is there only where this log-in is on
    return model("mfa", "Authenticator").objects.values("user")


def mail() -> Finding:
    """Open a connection to the mail server and log in there; send nothing."""
    if not settings.EMAIL_HOST:
        return note(
            "mail",
            "No mail server is set: nobody can reset a password alone.",
            "Set ELENCHUS_EMAIL_URL, such as smtp://user:password@mail.example.org:587.",
        )
    try:
        with get_connection(fail_silently=False):
            pass
    except (smtplib.SMTPException, OSError) as error:
        return failed(
            "mail",
            f"The mail server {settings.EMAIL_HOST}:{settings.EMAIL_PORT} does not take us "
            f"({type(error).__name__}).",
            "Look at host, port, user, password and tls in ELENCHUS_EMAIL_URL.",
        )
    return ok("mail", f"The mail server {settings.EMAIL_HOST} takes our log-in.")
