"""Many annotators at once: python -m bench.load [--annotators N] [--decisions N] [--every S] [--web N ...]

Every annotator sends one decision after another, without a pause or one every S seconds (--every), to the
web server of an installation: SQLite, then PostgreSQL (a scratch one, which does not wait for the disk), with
each number of web processes; with --pairs each asks for the next text before. Prints decisions a second, the
milliseconds that one takes, and the web processes' CPU milliseconds a decision; then counts what is stored.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from bench.workspace import cpu_seconds
from tests.installation import Installation
from tools.services import Services

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
CSRF = "a" * 32
SEED = """
import json
import django; django.setup()
from django.test import Client
from tests import factories
made = factories.study(annotators={annotators}, items={items}, slug="bench")
factories.open_round(made)
people = []
for member in made.annotators:
    client = Client()
    client.force_login(member.user)
    own = made.round.assignments.filter(member=member).order_by("position")
    people.append([client.cookies["sessionid"].value, list(own.values_list("pk", flat=True))])
print(json.dumps(people))
"""
COUNT = """
import django; django.setup()
from annotation.models import AnnotationEvent, TypeAnnotation
print(TypeAnnotation.objects.count(), AnnotationEvent.objects.count())
"""


async def send_all(
    port: int,
    session: str,
    assignments: list[int],
    decisions: int,
    starts: float,
    every: float,
    pairs: bool = False,
) -> list[float]:
    """Send one annotator's decisions over one connection; return the seconds that each took.

    The first is sent `starts` seconds from now, the others `every` seconds after the one before began, or at
    once where that one took longer. With `pairs` the next text is asked for before each. Bytes are written
    and read here: http.client in a thread for each person takes twice the CPU.
    """
    due = time.perf_counter() + starts
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    headers = (
        f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nX-CSRFToken: {CSRF}\r\n"
        f"Cookie: sessionid={session}; csrftoken={CSRF}\r\n"
    )
    took = []

    async def ask(method: str, name: str, body: str = "") -> None:
        asked = f"{method} /api/projects/bench/rounds/1/{name} HTTP/1.1\r\n{headers}"
        async with asyncio.timeout(60):
            writer.write(f"{asked}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)\ncontent-length: (\d+)", answer)
            told = await reader.readexactly(int(length[1]) if length else 0)
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"A request was refused: {(answer + told).decode()}")

    for number in range(decisions):
        decision = {
            "event_id": f"load-{number}",
            "assignment": assignments[number // len(TYPES)],
            "type": TYPES[number % len(TYPES)],
            "base_revision": 0,
            "answer": {"applicable": False},
        }
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due = max(due + every, time.perf_counter())
        if pairs:
            await ask("GET", f"units/?after={number // len(TYPES)}&limit=1")
        started = time.perf_counter()
        await ask("POST", "judgements/", json.dumps(decision))
        took.append(time.perf_counter() - started)
    writer.close()
    return took


async def send_everybodys(
    port: int, people: list[list[Any]], decisions: int, every: float, pairs: bool
) -> list[float]:
    """Send all people's decisions at once; return the seconds that each took."""
    sent = [
        send_all(port, *person, decisions, every * place / len(people), every, pairs)
        for place, person in enumerate(people)
    ]
    return [seconds for took in await asyncio.gather(*sent) for seconds in took]


def measure(
    installation: Installation, what: str, annotators: int, decisions: int, every: float, pairs: bool = False
) -> float:
    """Print what a run costs, and return its decisions a second. Exits where one of them is not stored."""
    installation.migrate()
    seed = SEED.format(annotators=annotators, items=-(-decisions // len(TYPES)))
    people = json.loads(installation.run("-c", seed))
    installation.start()
    try:
        before, started = cpu_seconds(installation.process.pid), time.perf_counter()
        took = asyncio.run(send_everybodys(installation.port, people, decisions, every, pairs))
        rate = len(took) / (time.perf_counter() - started)
        spent = cpu_seconds(installation.process.pid) - before
    finally:
        installation.kill()
    p95 = statistics.quantiles(took, n=20)[-1]
    print(
        f"{what:<30} {rate:5.0f} decisions/s   p50 {1000 * statistics.median(took):5.0f} ms   "
        f"p95 {1000 * p95:5.0f} ms   worst {1000 * max(took):5.0f} ms   "
        f"web CPU {1000 * spent / len(took):5.1f} ms a decision",
        flush=True,
    )
    stored = installation.run("-c", COUNT).split()
    if stored != [str(len(took))] * 2:
        raise SystemExit(f"{len(took)} decisions were sent; stored are {stored[0]}, with {stored[1]} events.")
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--annotators", type=int, default=30)
    parser.add_argument("--decisions", type=int, default=50, help="of each annotator (default 50)")
    parser.add_argument("--every", type=float, default=0.0, help="seconds between a person's decisions")
    parser.add_argument("--web", type=int, nargs="+", default=[1, 2], help="numbers of web processes")
    parser.add_argument("--pairs", action="store_true", help="ask for the next text before each decision")
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--sqlite", action="store_true", help="SQLite alone")
    alone.add_argument("--postgresql", action="store_true", help="PostgreSQL alone")
    given = parser.parse_args()
    size = (given.annotators, given.decisions, given.every, given.pairs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        services = Services(folder)
        try:
            for web in [] if given.postgresql else given.web:
                installation = Installation(folder / f"sqlite{web}", web_processes=web)
                measure(installation, f"SQLite, {web} web processes", *size)
            if given.sqlite:
                return
            postgres = services.postgres_url()
            rates = []
            for web in given.web:
                database = f"elenchus_load_{os.getpid()}_{web}"
                with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
                    connection.execute(f"CREATE DATABASE {database}")
                    installation = Installation(
                        folder / database, database=f"{postgres}/{database}", web_processes=web
                    )
                    try:
                        rates.append(measure(installation, f"PostgreSQL, {web} web processes", *size))
                    finally:
                        connection.execute(f"DROP DATABASE {database} WITH (FORCE)")
            ratio = rates[-1] / rates[0]
            print(f"{given.web[-1]} web processes against {given.web[0]}: {ratio:.2f} times the rate")
        finally:
            services.stop()


if __name__ == "__main__":
    main()
