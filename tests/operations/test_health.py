"""What load balancers, operators and Prometheus are told, and what nobody else is."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from agreement.models import AgreementReport
from operations import metrics, readiness
from operations.heartbeats import heartbeat_record
from operations.models import Heartbeat
from tests import factories
from tests.conftest import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]
TOKEN = "a-token-for-operators-only"


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch):
    monkeypatch.setattr(readiness, "REMEMBERED_SECONDS", 0.0)


@pytest.fixture
def alive():
    for role in ("worker", "beat"):
        heartbeat_record(role=role)


def broken(error: Exception) -> Callable[..., None]:
    def fail(*args, **options):
        raise error

    return fail


def test_a_process_that_answers_is_live_whatever_else_is_down(monkeypatch):
    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", broken(OperationalError("down")))
    response = Client().get("/healthz/live")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert Client().get("/healthz").status_code == 503


def test_what_is_all_there_is_ready_and_leaves_a_sign_of_the_web_server_and_no_file(alive):
    assert Client().get("/healthz/ready").content == b"ok\n"
    assert Heartbeat.objects.filter(role="web").count() == 1
    assert not default_storage.exists("healthz") or default_storage.listdir("healthz") == ([], [])


STANDING = {
    "a worker": lambda m: Heartbeat.objects.filter(role="worker").update(
        at=timezone.now() - timedelta(minutes=3)
    ),
    "a beat": lambda m: Heartbeat.objects.filter(role="beat").delete(),
    "takes no writes": lambda m: m.setattr(readiness, "heartbeat_record", broken(OperationalError("secret"))),
    "broker": lambda m: m.setattr("kombu.Connection.ensure_connection", broken(OSError("secret"))),
    "MB left": lambda m: (
        m.setattr(readiness, "FREE_BYTES", 10**18)
        or m.setattr(readiness.disk_problem, "__defaults__", (10**18,))
    ),
    "No space left": lambda m: m.setattr(
        default_storage, "save", broken(OSError(28, "No space left on device"))
    ),
    "migrations": lambda m: m.setattr(
        "django.db.migrations.executor.MigrationExecutor.migration_plan",
        lambda self, targets: [(type("M", (), {"__str__": lambda self: "annotation.0099"})(), False)],
    ),
}


@pytest.mark.parametrize("reason", STANDING)
def test_what_is_missing_is_told_to_operators_and_one_word_to_others(alive, monkeypatch, settings, reason):
    settings.OPERATORS_TOKEN = TOKEN
    STANDING[reason](monkeypatch)
    response = Client().get("/healthz/ready")
    assert (response.status_code, response.content) == (503, b"unavailable\n")
    assert response["Retry-After"] == "30"
    told = Client().get("/healthz/ready", headers={"Authorization": f"Bearer {TOKEN}"})
    assert told.status_code == 503
    assert reason in told.content.decode() and "secret" not in told.content.decode()


def test_an_answer_holds_for_a_moment_so_that_nobody_makes_the_server_write_at_will(alive, monkeypatch):
    monkeypatch.setattr(readiness, "REMEMBERED_SECONDS", 60.0)
    asked = []
    monkeypatch.setattr(readiness, "asked_now", lambda: asked.append(1) or [])
    monkeypatch.setattr(readiness, "_answer", (float("-inf"), []))
    for _ in range(3):
        assert Client().get("/healthz/ready").status_code == 200
    assert asked == [1]


def test_operators_are_known_by_network_token_or_as_staff(settings):
    settings.OPERATORS_TOKEN = TOKEN
    staff = factories.user("sam")
    staff.is_staff = True
    staff.save()
    factories.user("olu")
    asked = {
        "a stranger": Client(),
        "an account": client_of("olu"),
        "a wrong token": Client(headers={"Authorization": "Bearer wrong"}),
        "no bearer": Client(headers={"Authorization": f"Basic {TOKEN}"}),
        "the token": Client(headers={"Authorization": f"Bearer {TOKEN}"}),
        "staff": client_of("sam"),
    }
    assert [who for who, client in asked.items() if client.get("/metrics").status_code == 200] == [
        "the token",
        "staff",
    ]
    from ipaddress import ip_network

    settings.OPERATORS_TOKEN, settings.OPERATORS = "", [ip_network("10.1.0.0/16"), ip_network("::1")]
    statuses = [
        Client(REMOTE_ADDR=address).get("/metrics").status_code
        for address in ("10.1.2.3", "10.2.0.1", "::1", "127.0.0.1")
    ]
    assert statuses == [200, 403, 200, 403]
    # An empty token is no token.
    assert Client(headers={"Authorization": "Bearer "}).get("/metrics").status_code == 403


def test_an_address_that_a_visitor_claims_is_not_believed_unless_a_proxy_says_it(settings):
    from ipaddress import ip_network

    settings.OPERATORS = [ip_network("10.1.0.0/16")]
    claims = Client(headers={"X-Forwarded-For": "10.1.2.3"})
    assert claims.get("/metrics").status_code == 403
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert claims.get("/metrics").status_code == 200
    assert Client(headers={"X-Forwarded-For": "10.1.2.3, 192.0.2.1"}).get("/metrics").status_code == 403


def figures(client: Client) -> dict[str, float]:
    lines = client.get("/metrics").content.decode().splitlines()
    return {
        name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")
    }


def test_metrics_count_answers_by_route_and_saves_and_tell_queues_and_disk(settings, alive):
    settings.OPERATORS_TOKEN = TOKEN
    operator = Client(headers={"Authorization": f"Bearer {TOKEN}"})
    made = factories.study(annotators=1, items=1)
    factories.open_round(made)
    AgreementReport.objects.create(round=made.round, parameters={}, parameters_sha256="x")
    AgreementReport.objects.update(enqueued_at=timezone.now() - timedelta(minutes=5))
    before = figures(operator)
    ann = client_of("ann")
    assignment = factories.assignment_of(made.round, made.annotators[0], made.items[0])
    sent = {
        "assignment": assignment.pk,
        "type": "LE",
        "answer": factories.NO,
        "base_revision": 0,
        "event_id": "one",
    }
    url = f"/api/projects/{made.project.slug}/rounds/1/judgements/"
    assert ann.post(url, sent, content_type="application/json").status_code < 300
    assert (
        ann.post(url, {**sent, "type": "??", "event_id": "2"}, content_type="application/json").status_code
        > 400
    )
    Client().get("/no/such/page/of/a/secret")
    after = figures(operator)

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0.0)

    assert grown('elenchus_saves_total{outcome="stored"}') == 1
    assert grown('elenchus_saves_total{outcome="refused"}') == 1
    route = "/api/projects/<slug:slug>/rounds/<int:number>/judgements/"
    assert grown(f'elenchus_request_seconds_count{{method="POST",route="{route}"}}') == 2
    assert grown('elenchus_requests_total{method="GET",route="-",status="404"}') == 1
    assert after['elenchus_jobs{job="agreement.agreementreport",state="queued"}'] == 1
    assert after['elenchus_queue_length{job="agreement.agreementreport"}'] == 1
    assert 300 <= after['elenchus_queue_oldest_seconds{job="agreement.agreementreport"}'] < 330
    assert after["elenchus_disk_free_bytes"] > 0
    assert not any("secret" in name for name in after)


def test_every_kind_of_job_is_counted():
    assert {model._meta.label for model in metrics.job_models()} >= {
        "annotation.Upload",
        "agreement.AgreementReport",
        "exports.Release",
        "exports.RefinementRun",
        "scoring.Evaluation",
    }


def test_a_database_that_is_down_fails_no_reading_of_metrics(settings, monkeypatch):
    settings.OPERATORS_TOKEN = TOKEN
    monkeypatch.setattr("config.health.metrics_text", broken(OperationalError("down")))
    response = Client(headers={"Authorization": f"Bearer {TOKEN}"}).get("/metrics")
    assert (response.status_code, response.content) == (503, b"database unavailable\n")
