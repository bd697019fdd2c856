"""Checks of what works beside the web server: files, broker, worker, beat, encoder, the proxy in front."""

import http.client
import importlib.util
import shutil
import ssl
import urllib.error
import urllib.request
from pathlib import Path

from django.conf import settings
from django.db import Error

from core.dispatch import broker_problem
from operations.doctor.findings import Finding, failed, note, ok, skipped
from operations.doctor.settings import is_production
from operations.heartbeats import code_sign
from operations.models import Heartbeat
from operations.readiness import FREE_BYTES, disk_problem, silence_of

ROOM = 1024 * 2**20
"""Below this much free space the doctor speaks, long before a save fails."""

BODY_BYTES = 3 * 2**20
"""More than nginx lets through by default (1 MB)."""


def files() -> Finding:
    problem = disk_problem(FREE_BYTES)
    free = shutil.disk_usage(settings.DATA_DIR).free if settings.DATA_DIR.exists() else 0
    if not problem and free < ROOM:
        problem = f"The disk has {free // 2**20} MB left."
    if problem:
        return failed(
            "files",
            problem,
            f"Make room on the disk of {settings.DATA_DIR} (manage.py prune deletes what is not needed), and "
            "see that the user who runs Elenchus may write there.",
        )
    return ok("files", f"Files can be written; {free // 2**30} GB are free.")


def broker() -> Finding:
    problem = broker_problem()
    if problem:
        return failed(
            "broker",
            f"The broker cannot be reached ({problem}): no report, release or import is worked on.",
            "Start Redis and look at CELERY_BROKER_URL.",
        )
    return ok("broker", "Redis answers." if settings.REDIS_URL else "The broker of files can be written.")


def worker() -> Finding:
    return _alive("worker", "Start celery --app config worker (with compose: docker compose up -d worker).")


def beat() -> Finding:
    return _alive("beat", "Start exactly one celery --app config beat (docker compose up -d beat).")


def _alive(role: str, todo: str) -> Finding:
    try:
        problem = silence_of(role)
        latest = Heartbeat.objects.filter(role=role).order_by("-at").first()
    except Error:
        return skipped(role, "The database has to answer first, and manage.py migrate has to be run.")
    if problem:
        return failed(role, problem, f"{todo} Its log says why it ended, if it did.")
    if latest is not None and latest.code != code_sign():
        return failed(
            role,
            f"The {role} on {latest.node} runs other code ({latest.code}) than this ({code_sign()}).",
            f"Start the {role} again from the same version.",
        )
    return ok(role, f"Heard of within two minutes, on {latest.node if latest else ''}.")


def encoder() -> Finding:
    """See that what an encoder needs is installed, and its files are there; it is not loaded."""
    if not settings.ENCODER and not settings.SENTENCE_ENCODER:
        return skipped("encoder", "No encoder is set: reports have no BERTScore.")
    if importlib.util.find_spec("tokenizers") is None or importlib.util.find_spec("onnxruntime") is None:
        return failed(
            "encoder",
            "An encoder is set and what runs it is not installed.",
            "pip install -r requirements-semantic.txt, or unset ELENCHUS_ENCODER and "
            "ELENCHUS_SENTENCE_ENCODER.",
        )
    for name, value in (
        ("ELENCHUS_ENCODER", settings.ENCODER),
        ("ELENCHUS_SENTENCE_ENCODER", settings.SENTENCE_ENCODER),
    ):
        if value.startswith(("/", ".")) and not (Path(value) / "tokenizer.json").is_file():
            return failed(
                "encoder",
                f"{name} names the folder {value}, which has no tokenizer.json.",
                f"Put tokenizer.json and model.onnx there, or correct {name}.",
            )
    return ok("encoder", "What the encoder needs is there.")


def proxy() -> Finding:
    """Ask the site by its public address, once with a body larger than a proxy lets through by default."""
    address = next(iter(settings.CSRF_TRUSTED_ORIGINS), "") if is_production() else ""
    if not address or "*" in address:
        return skipped("proxy", "Only asked where ELENCHUS_ORIGINS names the site's address.")
    url = f"{address}{settings.SITE_PATH}/healthz/live"
    try:
        first, body = _asked(urllib.request.Request(url))
        large, _ = _asked(urllib.request.Request(url, data=b"0" * BODY_BYTES, method="POST"))
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLError):
            return failed(
                "proxy",
                f"The certificate of {address} is not valid from here ({type(error.reason).__name__}).",
                "Renew the certificate of the proxy, with all that stand between it and its issuer.",
            )
        return _unreached(address)
    except (OSError, http.client.HTTPException):
        return _unreached(address)
    if first != 200 or body.strip() != b"ok":
        return failed(
            "proxy",
            f"{url} answers {first}, and not Elenchus' ok.",
            "Look at the proxy: it has to pass Host, X-Forwarded-For and X-Forwarded-Proto on.",
        )
    if large == 413:
        return failed(
            "proxy",
            f"The proxy refuses bodies of {BODY_BYTES // 2**20} MB: files of more cannot be imported.",
            "Raise its limit, for nginx by client_max_body_size 200m;.",
        )
    return ok("proxy", f"{address} leads here and lets large files through.")


def _asked(request: urllib.request.Request) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read(100)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b""


def _unreached(address: str) -> Finding:
    return note(
        "proxy",
        f"{address} cannot be reached from this machine, so the proxy's limits were not tried.",
        "Look at the page from elsewhere; the proxy has to let bodies of 200 MB through.",
    )
