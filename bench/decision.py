"""Server CPU of one decision: python bench/decision.py [--database URL] [--profile].

Through the WSGI application in one process, without a network: reading the next text and saving a judgement
of a FOCUS round, each the median over hundreds of requests, and the statements that each sends. Goal: 5 ms
of CPU for both together.
"""

import argparse
import cProfile
import io
import json
import os
import pstats
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
ITEMS = 60
CSRF = "a" * 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--database", default="", help="a PostgreSQL with an empty database")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.embedded",
            ELENCHUS_DATA=folder,
            ELENCHUS_LOG_LEVEL="ERROR",
            DATABASE_URL=given.database,
            CELERY_BROKER_URL="",
        )
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        measure(given.profile)


def measure(profile: bool) -> None:
    from django.core.handlers.wsgi import WSGIHandler
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from tests import factories

    call_command("migrate", verbosity=0)
    application = WSGIHandler()
    made = factories.study(annotators=2, items=ITEMS, slug="bench")
    factories.open_round(made)
    client = Client()
    client.force_login(made.annotators[0].user)
    own = made.round.assignments.filter(member=made.annotators[0]).order_by("position")
    assignments = list(own.values_list("pk", flat=True))
    cookies = f"sessionid={client.cookies['sessionid'].value}; csrftoken={CSRF}"

    def ask(method: str, name: str, query: str = "", body: bytes = b"") -> None:
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": f"/api/projects/bench/rounds/1/{name}/",
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": cookies,
            "HTTP_ACCEPT": "application/json",
            "HTTP_X_CSRFTOKEN": CSRF,
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.url_scheme": "http",
        }
        status: list[str] = []
        answer = application(environ, lambda told, headers: status.append(told))
        told = b"".join(answer)
        answer.close()
        assert status == ["200 OK"], (status, told)

    def next_text(place: int) -> None:
        ask("GET", "units", f"after={place}&limit=1")

    def save(number: int) -> None:
        decision = {
            "event_id": f"bench-{number}",
            "assignment": assignments[number // len(TYPES)],
            "type": TYPES[number % len(TYPES)],
            "base_revision": 0,
            "answer": {"applicable": False},
        }
        ask("POST", "judgements", body=json.dumps(decision).encode())

    took: dict[str, list[float]] = {"next": [], "save": []}
    for act in (next_text, save):
        with CaptureQueriesContext(connection) as captured:
            act(0)
        with CaptureQueriesContext(connection) as captured:
            act(1)
        print(f"{act.__name__}: {len(captured)} statements")
        if profile:
            for query in captured.captured_queries:
                print("   ", query["sql"][:400])
    profiler = cProfile.Profile(time.process_time)
    for number in range(2, ITEMS * len(TYPES)):
        for name, act, argument in (("next", next_text, number // len(TYPES)), ("save", save, number)):
            if profile:
                profiler.enable()
            started = time.process_time()
            act(argument)
            took[name].append(1000 * (time.process_time() - started))
            profiler.disable()
    for name, values in took.items():
        print(f"{name:<6} median {statistics.median(values):5.2f} ms of CPU")
    together = sum(statistics.median(values) for values in took.values())
    print(f"{'both':<6} {together:12.2f} ms; goal 5 ms{'' if together <= 5 or profile else '   MISSED'}")
    if profile:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(90)


if __name__ == "__main__":
    main()
