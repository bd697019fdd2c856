"""Typed readers of the environment: every setting is declared once, and a wrong value stops the start.

A value may also come from a file: with `NAME_FILE=/run/secrets/name` the file's text is the value (for
secrets that must not stand in the environment).

See docs/decisions/running.md.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

ENCODE = (
    "In a user name or password percent-encode special characters: @ is %40, : is %3A, / is %2F, # is %23, "
    "? is %3F, [ is %5B, ] is %5D, % is %25, a blank is %20."
)

_HOST = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.|(?=$)))+|\[[0-9A-Fa-f:.]+\]")
_PATH = re.compile(r"(?:/[A-Za-z0-9_-]+)+")
_HALF_ENCODED = re.compile(r"%(?![0-9A-Fa-f]{2})")


Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable: its default as one would write it, and what it is for."""

    name: str
    default: str
    help: str
    required: bool = False  # config.settings.production refuses to start without it


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("ELENCHUS_DATA", "var", "Folder of everything kept on disk: database, uploads, releases."),
        Setting("ELENCHUS_SECRET_KEY", "", "Signs sessions and links; at least 50 random characters.", True),
        Setting(
            "ELENCHUS_HOSTS",
            "127.0.0.1,localhost",
            "Host names of the site without scheme and port, comma-separated.",
            True,
        ),
        Setting(
            "ELENCHUS_ORIGINS", "", "Origins trusted for form posts, such as https://elenchus.example.org."
        ),
        Setting("ELENCHUS_HTTPS", "yes", "Production: redirect to HTTPS, secure cookies, HSTS (yes or no)."),
        Setting("ELENCHUS_HSTS_SECONDS", "31536000", "Production: how long browsers insist on HTTPS."),
        Setting("ELENCHUS_PROXIES", "0", "Proxies in front, whose X-Forwarded-* headers are believed."),
        Setting("ELENCHUS_PATH", "", "Path of the site below its host, such as /elenchus; empty: the root."),
        Setting("ELENCHUS_OPERATORS", "", "Networks that may read /metrics and why the site is not ready."),
        Setting("ELENCHUS_OPERATORS_TOKEN", "", "The same for who sends it as a bearer token."),
        Setting(
            "ELENCHUS_KEEP_DAYS",
            "90",
            "Days uploads, refused rows and replaced reports are kept; 0: for ever.",
        ),
        Setting("ELENCHUS_DEBUG", "no", "Embedded only: Django's debug pages (yes or no)."),
        Setting("ELENCHUS_LOG_LEVEL", "INFO", "DEBUG, INFO, WARNING or ERROR."),
        Setting("ELENCHUS_LOG_FORMAT", "", "json or line; empty: json in production, line else."),
        Setting("ELENCHUS_LANGUAGE", "en", "Language for people without a preference: en, es or ja."),
        Setting("ELENCHUS_TIME_ZONE", "UTC", "Time zone in which pages show times, such as Europe/Madrid."),
        Setting("ELENCHUS_OPEN_SIGNUP", "no", "Anybody may make an account (yes or no)."),
        Setting(
            "ELENCHUS_PROJECTS_BY",
            "leads",
            "Who makes projects: staff; leads (staff and whoever leads one already); anyone.",
        ),
        Setting(
            "ELENCHUS_SENTENCE_ENCODER",
            "",
            "Encoder of the scoring method sts: a folder, or owner/name@revision of a hub.",
        ),
        Setting(
            "ELENCHUS_BLEURT", "", "Model of the scoring method bleurt: a folder, or owner/name@revision."
        ),
        Setting("ELENCHUS_COMET", "", "Model of the scoring method comet: a folder, or owner/name@revision."),
        Setting("ELENCHUS_ENCODER", "", "Encoder of BERTScore: a folder, or owner/name@revision of a hub."),
        Setting("ELENCHUS_LLM_ENDPOINTS", "", "OpenAI-compatible base URLs that may refine questions."),
        Setting(
            "ELENCHUS_LLM_API_KEY", "", "Their keys in the same order, comma-separated; one may be empty."
        ),
        Setting("ELENCHUS_EMAIL_URL", "console:", "smtp://user:password@host:587?tls=yes; console: prints."),
        Setting("ELENCHUS_EMAIL_FROM", "elenchus@localhost", "Sender of mail."),
        Setting("ELENCHUS_TWO_FACTOR", "no", "Offer two-factor log-in (yes or no)."),
        Setting("ELENCHUS_OIDC_SERVER", "", "Address of an OpenID Connect server; switches log-in by it on."),
        Setting("ELENCHUS_OIDC_NAME", "OpenID Connect", "What the log-in page calls that server."),
        Setting("ELENCHUS_OIDC_CLIENT", "", "Client identifier at that server."),
        Setting("ELENCHUS_OIDC_SECRET", "", "Client secret at that server."),
        Setting(
            "ELENCHUS_OIDC_SIGNUP",
            "yes",
            "Whoever that server lets in gets an account (yes), or invited people alone (no).",
        ),
        Setting("DATABASE_URL", "", "postgres://user:password@host:5432/name; empty: SQLite.", True),
        Setting("CELERY_BROKER_URL", "", "redis://host:6379/0; empty: a broker of files.", True),
    )
}


def text(name: str) -> str:
    """Return the value of a declared setting, stripped; its default where it is unset."""
    setting = SETTINGS[name]
    value, file = os.environ.get(name), os.environ.get(f"{name}_FILE")
    if value is not None and file is not None:
        raise ImproperlyConfigured(f"Set either {name} or {name}_FILE, not both.")
    if file is not None:
        try:
            value = Path(file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ImproperlyConfigured(f"{name}_FILE names a file that is no UTF-8 text.") from None
        except (OSError, ValueError) as error:
            raise ImproperlyConfigured(f"{name}_FILE names a file that cannot be read: {error}.") from error
    found = (setting.default if value is None else value).strip()
    if not found.isprintable():
        # The value is not shown: it may be a secret.
        raise ImproperlyConfigured(f"{name} has a line break or another control character in it.")
    return found


def folder(name: str) -> Path:
    """Return the path of a folder, which need not be there yet."""
    path = Path(text(name))
    if not text(name) or (path.exists() and not path.is_dir()):
        raise ImproperlyConfigured(f"{name}={text(name)!r}: write the path of a folder.")
    return path


def required(name: str) -> str:
    """Return the value of a setting that has no default here."""
    if os.environ.get(name) is None and os.environ.get(f"{name}_FILE") is None:
        raise ImproperlyConfigured(f"Set {name} (or {name}_FILE): {SETTINGS[name].help}")
    value = text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is empty: {SETTINGS[name].help}")
    return value


def flag(name: str) -> bool:
    """Return True for yes, true, on and 1, False for their opposites."""
    value = text(name).lower()
    if value in {"yes", "true", "on", "1"}:
        return True
    if value in {"no", "false", "off", "0"}:
        return False
    raise ImproperlyConfigured(f"{name}={value!r}: write yes or no.")


def number(name: str) -> int:
    """Return a whole number that is not negative."""
    value = text(name)
    if not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number.")
    return int(value)


def choice(name: str, options: Sequence[str]) -> str:
    """Return the value, which must be one of the options."""
    value = text(name)
    if value not in options:
        raise ImproperlyConfigured(f"{name}={value!r}: write one of {', '.join(options)}.")
    return value


def time_zone(name: str) -> str:
    """Return the name of a time zone that this machine knows."""
    value = text(name)
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ImproperlyConfigured(f"{name}={value!r}: write a zone, such as Europe/Madrid.") from error
    return value


def words(name: str) -> list[str]:
    """Return the comma-separated parts, without blank ones."""
    return [part for part in (part.strip() for part in text(name).split(",")) if part]


def hosts(name: str) -> list[str]:
    """Return comma-separated host names; a scheme, port or path would match no browser's request."""
    found = words(name)
    if not found:
        raise ImproperlyConfigured(f"{name} names no host: write one, such as elenchus.example.org.")
    for host in found:
        if not (host == "*" or _HOST.fullmatch(host.removeprefix("."))):
            raise ImproperlyConfigured(
                f"{name}: {host!r} is no host name. Write the name alone, without https://, port or path, "
                "such as elenchus.example.org; letters beyond ASCII as xn--…, an IPv6 address in brackets."
            )
    return [host.lower() for host in found]


def origins(name: str) -> list[str]:
    """Return comma-separated origins, each with its scheme and no path."""
    for origin in words(name):
        parts = _split(name, origin)
        alone = origin.partition("://")[2] == parts.netloc
        host = parts.netloc.removesuffix(f":{parts.port}").removeprefix("*.")
        if parts.scheme not in {"http", "https"} or not alone or not _HOST.fullmatch(host):
            raise ImproperlyConfigured(f"{name}: {origin!r} must look like https://elenchus.example.org.")
    return words(name)


def site_path(name: str) -> str:
    """Return a path with a slash before it and none behind it, or an empty text for the root."""
    given = text(name)
    path = given.removesuffix("/")
    if given and not _PATH.fullmatch(path):
        raise ImproperlyConfigured(
            f"{name}={path!r}: write a path, such as /elenchus; letters, digits, - and _."
        )
    return path


def networks(name: str) -> list[Network]:
    """Return comma-separated addresses and networks, such as 10.0.0.0/8."""
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}. Write networks, such as 10.0.0.0/8,::1.") from None


def token(name: str) -> str:
    """Return a secret of at least 20 characters, or an empty text."""
    value = text(name)
    if value and (len(value) < 20 or not value.isascii() or " " in value):
        # The value is not shown: it is a secret.
        raise ImproperlyConfigured(f"{name}: write at least 20 letters, digits and signs.")
    return value


def web_address(name: str) -> str:
    """Return the address of a server on the web, or an empty text."""
    address = text(name)
    parts = _split(name, address)
    if address and (parts.scheme not in {"http", "https"} or not parts.hostname or " " in address):
        raise ImproperlyConfigured(
            f"{name}={address!r}: write an address, such as https://login.example.org."
        )
    return address


def sender(name: str) -> str:
    """Return an e-mail address, with or without a name before it: Elenchus <elenchus@example.org>."""
    value = text(name)
    try:
        validate_email(parseaddr(value)[1])
    except ValidationError:
        raise ImproperlyConfigured(
            f"{name}={value!r}: write an e-mail address, such as elenchus@example.org."
        ) from None
    return value


def endpoints(name: str) -> list[str]:
    """Return comma-separated base URLs without a slash at the end, such as https://llm.example.org/v1."""
    found = [address.rstrip("/") for address in words(name)]
    for address in found:
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")
        extra = parts.username or parts.password or parts.query or parts.fragment
        if parts.scheme not in {"http", "https"} or not parts.hostname or extra:
            # The address is not shown: somebody may have written a key into it.
            raise ImproperlyConfigured(f"{name}: each must look like https://llm.example.org/v1.")
        _split(name, address)
    if len(set(found)) < len(found):
        raise ImproperlyConfigured(f"{name} names an address twice.")
    return found


def endpoint_keys(name: str, addresses: Sequence[str]) -> dict[str, str]:
    """Return the key of each address, so that none is ever sent to another; empty where it needs none."""
    keys = [key.strip() for key in text(name).split(",")]
    if keys == [""]:
        return dict.fromkeys(addresses, "")
    if len(keys) != len(addresses):
        raise ImproperlyConfigured(
            f"{name} has {len(keys)} keys for {len(addresses)} endpoints: write one for each, in their "
            "order, with nothing between the commas where an endpoint needs none."
        )
    if not all(key.isascii() and key.isprintable() and " " not in key for key in keys):
        raise ImproperlyConfigured(f"{name}: a key has letters, digits and signs only.")
    return dict(zip(addresses, keys, strict=True))


PREPARED_FROM = 5
"""How often PostgreSQL sees a statement of the decision path before it keeps its plan."""


def database(name: str, sqlite_file: Path) -> dict[str, Any]:
    """Return Django's settings for a postgres:// or sqlite:// address; the SQLite file where it is empty.

    With `pooler=transaction` nothing stays in a connection, neither the plan of a statement nor a cursor: the
    pooler lends it to another after each transaction.
    """
    url = text(name)
    if not url:
        return _sqlite(sqlite_file)
    parts = _split(name, url)
    if parts.scheme == "sqlite" and not parts.netloc and parts.path.startswith("//"):
        return _sqlite(Path(unquote(parts.path[1:])))
    database_name = unquote(parts.path.removeprefix("/"))
    if parts.scheme not in {"postgres", "postgresql"} or not database_name:
        raise ImproperlyConfigured(
            f"{name} must be postgres://user:password@host:5432/name or sqlite:////folder/file.sqlite3. "
            f"{ENCODE}"
        )
    try:
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise ImproperlyConfigured(
            f"{name}: after the question mark stand options such as sslmode=require. {ENCODE}"
        ) from None
    pooler = options.pop("pooler", "")
    if pooler not in {"", "transaction"}:
        raise ImproperlyConfigured(
            f"{name}: pooler=transaction is for one that lends a connection by the transaction, such as "
            "PgBouncer; leave it out for any other."
        )
    return {
        "ENGINE": "config.postgresql",
        "NAME": database_name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": {**options, "prepare_threshold": None if pooler else PREPARED_FROM},
        "DISABLE_SERVER_SIDE_CURSORS": bool(pooler),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def _sqlite(file: Path) -> dict[str, Any]:
    return {
        "ENGINE": "config.sqlite3",
        "NAME": str(file),
        "OPTIONS": {
            # A transaction takes the write lock when it begins: one that reads first and writes later would
            # be refused ("database is locked") without waiting, whatever the timeout.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # synchronous stays FULL: a decision that was acknowledged survives a power cut.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


def redis(name: str) -> str:
    """Return a redis:// address, or an empty text."""
    url = text(name)
    parts = _split(name, url)
    number = parts.path.removeprefix("/")
    if url and (parts.scheme not in {"redis", "rediss"} or not (number == "" or number.isdecimal())):
        raise ImproperlyConfigured(f"{name} must be redis://host:6379/0, rediss://… or empty. {ENCODE}")
    return url


@dataclass(frozen=True, slots=True)
class Mail:
    """Where mail goes: to standard error where there is no host."""

    host: str = ""
    port: int = 587
    user: str = ""
    password: str = ""
    tls: bool = True


def mail(name: str) -> Mail:
    """Return the mail server of an smtp:// address, or none for `console:`."""
    url = text(name)
    if url == "console:":
        return Mail()
    parts = _split(name, url)
    options = dict(parse_qsl(parts.query))
    odd = parts.path.strip("/") or set(options) - {"tls"} or options.get("tls", "yes") not in {"yes", "no"}
    if parts.scheme != "smtp" or not parts.hostname or odd:
        raise ImproperlyConfigured(
            f"{name} must be smtp://user:password@host:587?tls=yes or console:. {ENCODE}"
        )
    return Mail(
        host=parts.hostname,
        port=parts.port or 587,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        tls=options.get("tls", "yes") == "yes",
    )


def _split(name: str, url: str) -> SplitResult:
    """Return the parts of an address; what cannot be taken apart, or by chance only, is refused unseen."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(
            f"{name}: the port is not a number, or a sign is out of place. {ENCODE}"
        ) from None
    astray = parts.fragment or "@" in parts.path or "@" in parts.query
    if astray or port == 0 or " " in parts.netloc or _HALF_ENCODED.search(url):
        raise ImproperlyConfigured(f"{name}: a sign is out of place. {ENCODE}")
    return parts
