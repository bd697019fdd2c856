"""Readers of the environment: right values come through typed, wrong ones say what to write."""

import runpy
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


def test_an_unset_setting_has_its_declared_default(monkeypatch):
    monkeypatch.delenv("ELENCHUS_HOSTS", raising=False)
    assert env.words("ELENCHUS_HOSTS") == ["127.0.0.1", "localhost"]


@pytest.mark.parametrize(
    "word, value", [("yes", True), ("On", True), ("1", True), ("false", False), ("no", False)]
)
def test_a_flag_is_read_from_the_usual_words(monkeypatch, word, value):
    monkeypatch.setenv("ELENCHUS_DEBUG", word)
    assert env.flag("ELENCHUS_DEBUG") is value


@pytest.mark.parametrize(
    "read, name, value, message",
    [
        (env.flag, "ELENCHUS_DEBUG", "maybe", "ELENCHUS_DEBUG='maybe': write yes or no."),
        (env.number, "ELENCHUS_PROXIES", "-1", "ELENCHUS_PROXIES='-1': write a whole number."),
        (env.number, "ELENCHUS_PROXIES", "", "ELENCHUS_PROXIES='': write a whole number."),
        (env.origins, "ELENCHUS_ORIGINS", "example.org", "'example.org' must look like https://"),
        (
            env.origins,
            "ELENCHUS_ORIGINS",
            "https://a.org/path",
            "'https://a.org/path' must look like https://",
        ),
        (env.time_zone, "ELENCHUS_TIME_ZONE", "Mars/Base", "write a zone, such as Europe/Madrid"),
        (env.endpoints, "ELENCHUS_LLM_ENDPOINTS", "llm.example.org/v1", "must look like https://llm.example"),
        (env.endpoints, "ELENCHUS_LLM_ENDPOINTS", "file:///etc/passwd", "must look like https://llm.example"),
        (env.endpoints, "ELENCHUS_LLM_ENDPOINTS", "https://[a/v1", "must look like https://llm.example"),
        (env.endpoints, "ELENCHUS_LLM_ENDPOINTS", "https://a:x/v1", "the port is not a number"),
        (env.endpoints, "ELENCHUS_LLM_ENDPOINTS", "http://a/v1,http://a/v1/", "names an address twice"),
        (env.redis, "CELERY_BROKER_URL", "amqp://host", "CELERY_BROKER_URL must be redis://"),
        (
            env.redis,
            "CELERY_BROKER_URL",
            "redis://host:port/0",
            "CELERY_BROKER_URL: the port is not a number",
        ),
        (env.mail, "ELENCHUS_EMAIL_URL", "smtp://", "ELENCHUS_EMAIL_URL must be smtp://"),
        (env.mail, "ELENCHUS_EMAIL_URL", "smtp://host?tls=maybe", "ELENCHUS_EMAIL_URL must be smtp://"),
    ],
)
def test_a_wrong_value_is_refused_with_what_to_write(monkeypatch, read, name, value, message):
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured) as error:
        read(name)
    assert message in str(error.value)


def test_a_choice_outside_the_options_names_them(monkeypatch):
    monkeypatch.setenv("ELENCHUS_LANGUAGE", "fr")
    with pytest.raises(ImproperlyConfigured, match="write one of en, es, ja"):
        env.choice("ELENCHUS_LANGUAGE", ["en", "es", "ja"])


def test_a_secret_can_come_from_a_file(monkeypatch, tmp_path):
    (tmp_path / "key").write_text("from the file\n")
    monkeypatch.delenv("ELENCHUS_SECRET_KEY", raising=False)
    monkeypatch.setenv("ELENCHUS_SECRET_KEY_FILE", str(tmp_path / "key"))
    assert env.required("ELENCHUS_SECRET_KEY") == "from the file"


def test_a_secret_in_two_places_is_refused(monkeypatch):
    monkeypatch.setenv("ELENCHUS_SECRET_KEY", "one")
    monkeypatch.setenv("ELENCHUS_SECRET_KEY_FILE", "/nowhere")
    with pytest.raises(ImproperlyConfigured, match="either ELENCHUS_SECRET_KEY or ELENCHUS_SECRET_KEY_FILE"):
        env.text("ELENCHUS_SECRET_KEY")


def test_a_file_that_cannot_be_read_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("ELENCHUS_SECRET_KEY", raising=False)
    monkeypatch.setenv("ELENCHUS_SECRET_KEY_FILE", str(tmp_path / "missing"))
    with pytest.raises(
        ImproperlyConfigured, match="ELENCHUS_SECRET_KEY_FILE names a file that cannot be read"
    ):
        env.text("ELENCHUS_SECRET_KEY")


@pytest.mark.parametrize(
    "value, message", [(None, "Set DATABASE_URL (or DATABASE_URL_FILE)"), (" ", "is empty")]
)
def test_a_required_setting_must_be_there(monkeypatch, value, message):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    if value is not None:
        monkeypatch.setenv("DATABASE_URL", value)
    with pytest.raises(ImproperlyConfigured) as error:
        env.required("DATABASE_URL")
    assert message in str(error.value)


def test_no_database_address_means_sqlite_that_waits_for_the_writer(monkeypatch):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    database = env.database("DATABASE_URL", Path("/data/elenchus.sqlite3"))
    assert database["NAME"] == "/data/elenchus.sqlite3"
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert database["OPTIONS"]["timeout"] == 20


def test_an_sqlite_address_names_its_file(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "sqlite:////data/my%20file.sqlite3")
    assert env.database("DATABASE_URL", Path("/other"))["NAME"] == "/data/my file.sqlite3"


def test_a_postgresql_address_is_taken_apart(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://ann:p%40ss@db.example.org:5433/elenchus?sslmode=require")
    database = env.database("DATABASE_URL", Path("/unused"))
    assert {
        key: database[key] for key in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")
    } == {
        "ENGINE": "config.postgresql",
        "NAME": "elenchus",
        "USER": "ann",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require", "prepare_threshold": 5},
    }


def test_behind_a_pooler_nothing_stays_in_a_connection(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://db/elenchus?sslmode=require&pooler=transaction")
    database = env.database("DATABASE_URL", Path("/unused"))
    assert database["OPTIONS"] == {"sslmode": "require", "prepare_threshold": None}
    assert database["DISABLE_SERVER_SIDE_CURSORS"] is True


@pytest.mark.parametrize("said", ["session", "pgbouncer"])
def test_another_kind_of_pooler_is_refused(monkeypatch, said):
    monkeypatch.setenv("DATABASE_URL", f"postgres://db/elenchus?pooler={said}")
    with pytest.raises(ImproperlyConfigured, match="pooler=transaction is for one that lends"):
        env.database("DATABASE_URL", Path("/unused"))


@pytest.mark.parametrize(
    "url", ["mysql://host/name", "postgres://host/", "sqlite:///relative", "elenchus.sqlite3"]
)
def test_any_other_database_address_is_refused_without_printing_it(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ImproperlyConfigured) as error:
        env.database("DATABASE_URL", Path("/unused"))
    assert "DATABASE_URL must be postgres://user:password@host:5432/name" in str(error.value)
    assert url not in str(error.value)


def test_a_mail_address_is_taken_apart(monkeypatch):
    monkeypatch.setenv("ELENCHUS_EMAIL_URL", "smtp://ann:s%3Acret@mail.example.org?tls=no")
    assert env.mail("ELENCHUS_EMAIL_URL") == env.Mail("mail.example.org", 587, "ann", "s:cret", False)


def test_an_endpoint_is_an_address_without_its_last_slash_and_has_its_own_key(monkeypatch):
    monkeypatch.setenv("ELENCHUS_LLM_ENDPOINTS", "https://a.org/v1/, http://127.0.0.1:8080/v1")
    monkeypatch.setenv("ELENCHUS_LLM_API_KEY", "key-of-a,")
    addresses = env.endpoints("ELENCHUS_LLM_ENDPOINTS")
    assert env.endpoint_keys("ELENCHUS_LLM_API_KEY", addresses) == {
        "https://a.org/v1": "key-of-a",
        "http://127.0.0.1:8080/v1": "",
    }
    monkeypatch.delenv("ELENCHUS_LLM_API_KEY")
    assert env.endpoint_keys("ELENCHUS_LLM_API_KEY", ["https://a.org/v1"]) == {"https://a.org/v1": ""}


@pytest.mark.parametrize("keys", ["secret-1", "secret-1,secret-2,secret-3", "secret-1,secret 2"])
def test_keys_that_fit_no_endpoint_are_refused_and_not_shown(monkeypatch, keys):
    monkeypatch.setenv("ELENCHUS_LLM_API_KEY", keys)
    with pytest.raises(ImproperlyConfigured) as error:
        env.endpoint_keys("ELENCHUS_LLM_API_KEY", ["https://a.org/v1", "https://b.org/v1"])
    assert "secret" not in str(error.value)


def test_a_secret_written_into_an_address_is_refused_and_not_shown(monkeypatch):
    for address in ("https://user:secret@a.org/v1", "https://a.org/v1?key=secret", "https://a.org/#secret"):
        monkeypatch.setenv("ELENCHUS_LLM_ENDPOINTS", address)
        with pytest.raises(ImproperlyConfigured) as error:
            env.endpoints("ELENCHUS_LLM_ENDPOINTS")
        assert "secret" not in str(error.value)


BASE = Path(env.__file__).parent / "settings" / "base.py"
WRONG = {
    "ELENCHUS_DATA": ["", str(Path(__file__)), "a\x00b"],
    "ELENCHUS_HOSTS": [
        "https://lab.example.org",
        "lab.example.org:8443",
        "lab.example.org/elenchus",
        "a b",
        "user@a.org",
        "::1",
        "bücher.example",
        "a.org, https://b.org",
        ",",
        "",
        "a..org",
        "-a.org",
        "[::1]:8000",
        "*.example.org",
    ],
    "ELENCHUS_ORIGINS": [
        "a.org",
        "https://a.org/",
        "https://a.org?x=1",
        "https://a.org#x",
        "https://[a",
        "https://a.org:x",
        "https://me@a.org",
        "ftp://a.org",
        "https://",
        "https://a b.org",
        "https://bücher.example",
    ],
    "ELENCHUS_HTTPS": ["", "maybe"],
    "ELENCHUS_HSTS_SECONDS": ["", "a year", "-1", "1.5", "²"],
    "ELENCHUS_PROXIES": ["", "one", "-1"],
    "ELENCHUS_PATH": ["elenchus", "/a b", "/a//b", "https://a.org/b", "/%20", "//"],
    "ELENCHUS_OPERATORS": ["lab", "10.0.0.1/8", "10.0.0.0/33"],
    "ELENCHUS_OPERATORS_TOKEN": ["short", "twenty signs and blanks"],
    "ELENCHUS_KEEP_DAYS": ["", "a year", "-1"],
    "ELENCHUS_DEBUG": ["", "maybe"],
    "ELENCHUS_LOG_LEVEL": ["", "LOUD"],
    "ELENCHUS_LOG_FORMAT": ["xml"],
    "ELENCHUS_LANGUAGE": ["", "fr"],
    "ELENCHUS_TIME_ZONE": ["", "Mars/Base", "../etc"],
    "ELENCHUS_OPEN_SIGNUP": ["", "maybe"],
    "ELENCHUS_OIDC_SIGNUP": ["", "maybe"],
    "ELENCHUS_PROJECTS_BY": ["", "everybody"],
    "ELENCHUS_LLM_ENDPOINTS": [
        "a.org",
        "https://[a",
        "https://a:x",
        "https://a.org/%zz",
        "https://u:p@a.org",
    ],
    "ELENCHUS_LLM_API_KEY": ["one,two", "a b"],
    "ELENCHUS_EMAIL_URL": [
        "",
        "smtp://",
        "http://a.org",
        "smtp://a.org?tls=maybe",
        "smtp://u:p/w@a.org",
        "smtp://u:p#w@a.org",
        "smtp://u:p%w@a.org",
        "smtp://u:p?w@a.org",
        "smtp://[a",
        "smtp://a.org:x",
        "smtp://a.org?ssl=yes",
    ],
    "ELENCHUS_EMAIL_FROM": ["", "nobody", "a@b@c", "Elenchus <>"],
    "ELENCHUS_TWO_FACTOR": ["", "maybe"],
    "ELENCHUS_OIDC_SERVER": [
        "a.org",
        "ftp://a.org",
        "https://",
        "https://[a",
        "https://a.org:x",
        "https://a b",
    ],
    "DATABASE_URL": [
        "mysql://a/b",
        "postgres://u:p/w@h/n",
        "postgres://u:p#w@h/n",
        "postgres://u:p?w@h/n",
        "postgres://u:p%w@h/n",
        "postgres://u:[w@h/n",
        "postgres://h:x/n",
        "postgres://h/n?sslmode",
        "postgres://h/",
    ],
    "CELERY_BROKER_URL": [
        "amqp://h",
        "redis://:p/w@h/0",
        "redis://:p#w@h/0",
        "redis://:p%w@h/0",
        "redis://:p?w@h/0",
        "redis://[a",
        "redis://h:x/0",
        "redis://h/one",
    ],
}
FREE = {
    "ELENCHUS_SECRET_KEY",
    "ELENCHUS_ENCODER",
    "ELENCHUS_SENTENCE_ENCODER",
    "ELENCHUS_BLEURT",
    "ELENCHUS_COMET",
    "ELENCHUS_OIDC_NAME",
    "ELENCHUS_OIDC_CLIENT",
    "ELENCHUS_OIDC_SECRET",
}
"""Settings whose value may be any text without control characters."""

READ_ELSEWHERE = {
    "ELENCHUS_HTTPS": env.flag,
    "ELENCHUS_HSTS_SECONDS": env.number,
    "ELENCHUS_DEBUG": env.flag,
}
"""By the embedded or the production settings alone."""


def test_the_table_of_wrong_values_has_every_setting():
    assert set(WRONG) | FREE == set(env.SETTINGS)


@pytest.mark.parametrize("name", sorted(env.SETTINGS))
def test_a_wrong_value_of_any_setting_stops_the_start_and_names_it(monkeypatch, name):
    for setting in env.SETTINGS:
        monkeypatch.delenv(setting, raising=False)
    if name == "ELENCHUS_LLM_API_KEY":
        monkeypatch.setenv("ELENCHUS_LLM_ENDPOINTS", "https://a.org")
    if name.startswith("ELENCHUS_OIDC"):
        for other in ("SERVER", "CLIENT", "SECRET"):
            monkeypatch.setenv(f"ELENCHUS_OIDC_{other}", "https://a.org")
    read = READ_ELSEWHERE.get(name, lambda name: runpy.run_path(str(BASE)))
    if name == "ELENCHUS_SECRET_KEY":
        read = env.text
    for value in [*WRONG.get(name, ()), "two\nlines"]:
        if "\0" in value:  # no environment can have it
            continue
        monkeypatch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured) as error:
            read(name)
        assert name in str(error.value), value
        # Whoever wrote a sign that an address takes for its own learns how to write it.
        if "p%w" in value or "p/w" in value or "p#w" in value or "p?w" in value or "[" in value:
            assert "percent-encode" in str(error.value) or name in (
                "ELENCHUS_HOSTS",
                "ELENCHUS_LLM_ENDPOINTS",
            )
        if ":p" in value:
            assert value not in str(error.value), "a password may stand in it"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("lab.example.org", ["lab.example.org"]),
        ("LAB.example.org , 10.0.0.1,[::1]", ["lab.example.org", "10.0.0.1", "[::1]"]),
        (".example.org,*", [".example.org", "*"]),
        ("xn--bcher-kva.example,localhost,my_host", ["xn--bcher-kva.example", "localhost", "my_host"]),
    ],
)
def test_hosts_are_names_alone(monkeypatch, value, found):
    monkeypatch.setenv("ELENCHUS_HOSTS", value)
    assert env.hosts("ELENCHUS_HOSTS") == found


def test_origins_may_have_a_port_and_a_star(monkeypatch):
    given = ["https://a.org", "http://127.0.0.1:8000", "https://*.a.org", "http://[::1]:8000"]
    monkeypatch.setenv("ELENCHUS_ORIGINS", ",".join(given))
    assert env.origins("ELENCHUS_ORIGINS") == given


def test_a_percent_encoded_password_arrives_as_it_is(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://u:%40%3A%2F%23%3F%5B%5D%25%20@h/n")
    assert env.database("DATABASE_URL", Path("/unused"))["PASSWORD"] == "@:/#?[]% "


def test_a_file_that_is_no_text_is_named(monkeypatch, tmp_path):
    (tmp_path / "key").write_bytes(b"\xff\xfe\x00")
    monkeypatch.delenv("ELENCHUS_SECRET_KEY", raising=False)
    monkeypatch.setenv("ELENCHUS_SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match="ELENCHUS_SECRET_KEY_FILE names a file that is no UTF-8"):
        env.text("ELENCHUS_SECRET_KEY")
