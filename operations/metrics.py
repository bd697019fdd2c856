"""What Prometheus reads: counts of requests and saves, and how queues, jobs, disk and processes are.

Counts are kept by the web processes themselves and added up over them by prometheus_client, through files in
a folder that config/web_server.py makes; everything else is asked of the database at each reading.

See docs/decisions/operations.md.
"""

import os
import shutil
from collections.abc import Iterator

from django.apps import apps
from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from core.jobs import QUEUED, Job
from operations.models import Heartbeat

REQUESTS = Counter("elenchus_requests", "Answers by route and status.", ["method", "route", "status"])
SECONDS = Histogram(
    "elenchus_request_seconds",
    "Time until an answer was ready.",
    ["method", "route"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
SAVES = Counter("elenchus_saves", "Judgements sent by annotators, by what became of them.", ["outcome"])

SAVING = "api-judgements"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def count_request(*, method: str, route: str, name: str, status: int, seconds: float) -> None:
    """Count one answer. `route` is a pattern, never an address: there are only so many."""
    method = method if method in METHODS else "other"
    REQUESTS.labels(method, route, str(status)).inc()
    SECONDS.labels(method, route).observe(seconds)
    if name == SAVING and method == "POST":
        outcome = "stored" if status < 300 else "refused" if status < 500 else "failed"
        SAVES.labels(outcome).inc()


def job_models() -> Iterator[type[Job]]:
    """Return every kind of job."""
    yield from (model for model in apps.get_models() if issubclass(model, Job))


class Installation(Collector):
    """What the database and the disk say at this moment."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        now = timezone.now()
        jobs = GaugeMetricFamily("elenchus_jobs", "Jobs by kind and state.", labels=["job", "state"])
        age = GaugeMetricFamily(
            "elenchus_queue_oldest_seconds", "Age of the oldest job that waits for a worker.", labels=["job"]
        )
        queued = GaugeMetricFamily("elenchus_queue_length", "Jobs that wait for a worker.", labels=["job"])
        for model in job_models():
            name = model._meta.label_lower
            states = dict.fromkeys(model.State.values, 0) | dict(
                model._default_manager.order_by().values_list("state").annotate(n=Count("pk"))
            )
            for state, count in sorted(states.items()):
                jobs.add_metric([name, state], count)
            queued.add_metric([name], states[QUEUED])
            oldest = model._default_manager.filter(state=QUEUED).aggregate(at=Min("enqueued_at"))["at"]
            age.add_metric([name], (now - oldest).total_seconds() if oldest else 0.0)
        yield from (jobs, queued, age)

        silent = GaugeMetricFamily(
            "elenchus_heartbeat_age_seconds", "Time since a process was heard of.", labels=["role", "node"]
        )
        for heartbeat in Heartbeat.objects.all():
            silent.add_metric([heartbeat.role, heartbeat.node], (now - heartbeat.at).total_seconds())
        yield silent

        disk = shutil.disk_usage(settings.DATA_DIR)
        yield GaugeMetricFamily("elenchus_disk_free_bytes", "Space left for the data.", disk.free)
        yield GaugeMetricFamily("elenchus_disk_size_bytes", "Size of the disk of the data.", disk.total)


def metrics_text() -> bytes:
    """Return everything in Prometheus' text format."""
    counted: CollectorRegistry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    asked = CollectorRegistry()
    asked.register(Installation())
    return generate_latest(counted) + generate_latest(asked)
