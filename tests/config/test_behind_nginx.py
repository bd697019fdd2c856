"""Every container's command on PostgreSQL and Redis, behind nginx with TLS: at the root and below a path."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest
import requests

from tests.config.test_compose import ROOT, SERVICES, image_command, production, run, running  # noqa: F401
from tests.conftest import unavailable
from tests.installation import script
from tests.migrated import copy_on_postgresql
from tests.static_files import collect_once
from tools.services import Missing, free_port, nginx_path

pytestmark = pytest.mark.redis

CONF = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  client_max_body_size 200m;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Request-ID $request_id;
    location / {{ proxy_pass http://127.0.0.1:{root}; }}
    location /elenchus/ {{ proxy_pass http://127.0.0.1:{below}; }}
  }}
}}
"""
SEED = """
from tests import factories
made = factories.study("focus", annotators=2, items=2, slug="bench")
factories.open_round(made)
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Path:
    try:
        program = nginx_path()
    except Missing as missing:
        unavailable("no nginx", str(missing))
    if shutil.which("openssl") is None:
        unavailable("no openssl", "sudo apt-get install openssl")
    return Path(program)


@pytest.fixture
def site(production, nginx, tmp_path) -> Iterator[tuple[str, dict[str, str], Path]]:  # noqa: F811
    """Return the address of an installation behind nginx, the environment of its part below a path, and the
    certificate: one web server is at the root, another one below /elenchus/.
    """
    folder, port, root, below = tmp_path / "nginx", free_port(), free_port(), free_port()
    folder.mkdir()
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*make, *names, *files], check=True, capture_output=True)
    (folder / "nginx.conf").write_text(CONF.format(folder=folder, port=port, root=root, below=below))
    environment = production | {
        "ELENCHUS_HOSTS": "localhost,elenchus.example.org",
        "ELENCHUS_ORIGINS": f"https://localhost:{port},https://elenchus.example.org",
        "ELENCHUS_OPERATORS_TOKEN": "the-token-of-the-operators",
        "ELENCHUS_TWO_FACTOR": "no",
        "SSL_CERT_FILE": str(folder / "cert.pem"),
        "PYTHONPATH": str(ROOT),
    }
    deeper = environment | {"ELENCHUS_PATH": "/elenchus"}
    server, _, name = production["DATABASE_URL"].rpartition("/")
    copy_on_postgresql(server, name)
    collect_once(partial(run, environment))
    run(environment, ["python", *script(SEED)])
    with ExitStack() as started:
        command = [nginx, "-c", folder / "nginx.conf", "-p", folder]
        proxy = started.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        started.callback(proxy.terminate)
        for port_of, settings in ((root, environment), (below, deeper)):
            replaced = {"8000": str(port_of), "0.0.0.0": "127.0.0.1"}
            served = [replaced.get(part, part) for part in image_command()]
            started.enter_context(running(settings, served))
        for name in ("worker", "beat"):
            started.enter_context(running(deeper, SERVICES[name]["command"]))
        yield f"https://localhost:{port}", deeper, folder / "cert.pem"


def until(answers, seconds: float = 120):
    """Return what is answered as soon as it is something."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if found := answers():
            return found
        time.sleep(0.2)
    raise AssertionError("no answer in time")


def test_people_work_through_a_proxy_with_tls_and_the_doctor_finds_nothing_wrong(site):
    origin, environment, certificate = site
    below = f"{origin}/elenchus"
    operator = {"Authorization": "Bearer the-token-of-the-operators"}

    for path in ("", "/elenchus"):

        def ready(path: str = path) -> bool:
            with suppress(requests.ConnectionError):
                return asked(f"{origin}{path}/healthz/ready", certificate, operator).status_code == 200
            return False

        until(ready)
    for name, address, lead in (("ann", below, False), ("bea", origin, False), ("lea", below, True)):
        session = logged_in(address, certificate, name)
        base = f"{address}/api/projects/bench/rounds/1"
        if lead:
            assert session.post(f"{base}/close/", json={}, timeout=30).status_code == 200

            def computed(session=session, base=base) -> bool:
                return session.get(f"{base}/report/", timeout=30).json()["state"] == "done"

            until(computed)
            figures = session.get(f"{base}/report/figures.json", timeout=30).json()
            assert figures
            assert session.get(f"{address}/p/bench/", timeout=30).status_code == 200
            continue
        units = session.get(f"{base}/workspace/", timeout=30).json()
        assert units
        told = session.get(f"{base}/units/", timeout=30).json()
        for unit in told["results"]:
            sent = {
                "event_id": f"{name}-{unit['assignment']}",
                "assignment": unit["assignment"],
                "type": "LE",
                "base_revision": 0,
                "answer": {"applicable": False},
            }
            stored = session.post(f"{base}/judgements/", json=sent, timeout=30)
            assert stored.status_code == 200, stored.text
            assert len(stored.headers["X-Request-ID"]) == 32
    for path in ("", "/elenchus"):
        told = asked(f"{origin}{path}/metrics", certificate, operator).text
        assert (
            'elenchus_saves_total{outcome="stored"} 2.0' in told
        )  # added up over the processes of each server
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {one["check"]: one for one in json.loads(done.stdout)["checks"]}
    assert [name for name, one in found.items() if not one["ok"]] == [], done.stdout
    assert found["proxy"]["state"] == "ok", found["proxy"]


def asked(url: str, certificate: Path, headers: dict[str, str]) -> requests.Response:
    return requests.get(url, verify=str(certificate), headers=headers, timeout=30)


def logged_in(address: str, certificate: Path, name: str) -> requests.Session:
    """Log in by the page, as a browser does; every link of it stays below the address."""
    session = requests.Session()
    session.trust_env, session.verify = False, str(certificate)
    page = session.get(f"{address}/accounts/login/", timeout=30)
    assert page.status_code == 200
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1]
    path = address.partition("localhost")[2].partition("/")[2]
    (style,) = set(re.findall(r'"([^"]*/static/frontend/css/base\.[0-9a-f]{12}\.css)"', page.text))
    assert style.startswith(f"/{path}/static/" if path else "/static/")
    assert session.get(address.removesuffix(f"/{path}") + style, timeout=30).status_code == 200
    form = {"login": name, "password": "secret", "csrfmiddlewaretoken": token}
    home = session.post(f"{address}/accounts/login/", data=form, headers={"Referer": address}, timeout=30)
    assert home.status_code == 200 and home.url == f"{address}/", home.url
    assert {cookie.path for cookie in session.cookies} == {f"/{path}/" if path else "/"}
    assert all(cookie.secure for cookie in session.cookies if cookie.name in ("sessionid", "csrftoken"))
    session.headers.update({"X-CSRFToken": session.cookies["csrftoken"], "Referer": f"{address}/"})
    return session
