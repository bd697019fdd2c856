"""How long a large release takes and how much memory: python bench/release.py [--items N] [--types T]

Fills a database of its own in a temporary folder with a FOCUS project of judged texts (seed 0) and builds
releases of it, each by a fresh process. Prints for each release the wall seconds until it is built and until
it is compared with the one before it as well, the CPU seconds, and the most memory that the process and the
one it starts held together (looked at ten times a second, Linux alone), with the goals beside them. Without
options: 110,000 texts with one type judged by two annotators, and 11,000 texts with all ten types judged by
three. With --before FOLDER every release is built by the code in that folder as well, in turns; then come the
ratio of CPU and whether the bytes are the same.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SLUG = "bench"
SENTENCE = (
    "the library stays open all night because grades fell when it closed and everyone knows that buses cost "
    "more than trains although nobody has asked the drivers what they think of the new road to the harbour"
)
BATCH = 2000
CASES = [(110_000, 1, 2), (11_000, 10, 3)]
"""Items, judged types, annotators."""

GOAL_SECONDS, GOAL_MB = 30, 500
LOOK = 0.1
"""Seconds between two looks at the memory."""

BUILDS = [
    ("the first release, its agreement computed by a worker before", "1.0", {}, "report"),
    ("the next one, compared with it", "1.1", {"licence": "MIT"}, ""),
    ("every label another, compared", "1.2", {"agreement": False, "adjudicated_only": True}, ""),
    ("agreement computed while building, compared", "1.3", {"licence": "CC0-1.0"}, "forget"),
]
"""What is built, its version, its choices, and what happens to the round's agreement report before."""


def fill(items: int, types: int, annotators: int) -> None:
    """Store a closed round in which every annotator judged every type of every item."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.codebooks.toml_reader import load_shipped
    from annotation.database.install import TRIGGERS, lifted_triggers
    from annotation.models import Assignment, Import, Item, RoundItem, TypeAnnotation
    from annotation.projects.projects import member_add, project_create
    from annotation.rounds.lifecycle import round_create

    rng, words = random.Random(0), SENTENCE.split()
    project = project_create(slug=SLUG, codebook="focus", user=User.objects.create_user("lea"))
    members = [member_add(project=project, private_name=f"annotator {place}") for place in range(annotators)]
    brought_by = Import.objects.create(
        project=project, file_name="x", file_sha256="0" * 64, format="table", state="done"
    )
    round = round_create(project=project, overlap=annotators)
    codes = [kind.code for kind in load_shipped("focus").types][:types]
    with lifted_triggers(TRIGGERS):
        for first in range(0, items, BATCH):
            numbers = range(first, min(items, first + BATCH))
            texts = [" ".join(rng.choices(words, k=rng.randint(40, 90))) for _ in numbers]
            made = Item.objects.bulk_create(
                Item(
                    project=project,
                    brought_by=brought_by,
                    external_id=f"B-{number}",
                    text=text,
                    text_length=len(text),
                    source="bench",
                )
                for number, text in zip(numbers, texts, strict=True)
            )
            RoundItem.objects.bulk_create(
                RoundItem(round=round, item=item, position=number)
                for number, item in zip(numbers, made, strict=True)
            )
            assigned = Assignment.objects.bulk_create(
                Assignment(round=round, item=item, member=member, position=number)
                for number, item in zip(numbers, made, strict=True)
                for member in members
            )
            TypeAnnotation.objects.bulk_create(
                judgement(TypeAnnotation, assignment, code, rng) for assignment in assigned for code in codes
            )
        type(round).objects.filter(pk=round.pk).update(status="closed", closed_at=timezone.now())


def judgement(model, assignment, code, rng):
    """Return a row: one in five says yes and marks up to eight words."""
    text = assignment.item.text
    row = model(
        assignment=assignment, type_code=code, span_required=True, text_length=len(text), applicable=False
    )
    if rng.random() < 0.2:
        row.applicable = True
        row.start = rng.choice([0, *(place + 1 for place, letter in enumerate(text[:-1]) if letter == " ")])
        row.end = min(len(text), row.start + rng.randint(5, 50))
        row.quote = text[row.start : row.end]
    return row


def build(version: str, choices: dict) -> None:
    """Build the release and print what it took."""
    from annotation.models import Project
    from exports.releases import lifecycle as releases
    from exports.selection.parameters import Parameters

    started = time.perf_counter()
    started_cpu = sum(os.times()[:4])
    built, compare = [], releases.compute_comparison
    # The release is there once it is built; then it is compared with the one before it.
    releases.compute_comparison = lambda release: built.append(time.perf_counter()) or compare(release)
    release = releases.release_build(
        project=Project.objects.get(slug=SLUG), version=version, parameters=Parameters.from_json(choices)
    )
    cpu, wall = sum(os.times()[:4]) - started_cpu, time.perf_counter() - started
    size = sum(file["size"] for file in release.files if not file["archive"]) / 1e6
    files = {file["name"]: file["sha256"] for file in release.files}
    told = {"built": built[0] - started, "wall": wall, "cpu": cpu, "size": size}
    print(json.dumps({**told, "files": files}))


def report() -> None:
    """Compute the agreement report of the round, as the worker does when it closes."""
    from agreement.computation.compute import report_compute
    from agreement.computation.parts import part_compute, parts_waiting
    from agreement.computation.requests import report_request
    from annotation.models import Round

    asked = report_request(round=Round.objects.select_related("project", "codebook").get(project__slug=SLUG))
    if report_compute(report_id=asked.pk) == "in_parts":
        for part in parts_waiting(asked.pk):
            part_compute(part_id=part)
        report_compute(report_id=asked.pk)


def forget() -> None:
    """Delete the agreement report, as where a command builds a release and no worker runs."""
    from agreement.models import AgreementReport

    AgreementReport.objects.all().delete()


def case(items: int, types: int, annotators: int, before: Path | None) -> None:
    """Fill and build, each in a process of its own, so that the memory is that of building."""
    print(
        f"{items:,} texts, {types} of 10 types judged by {annotators} annotators: "
        f"{items * types * annotators:,} judgements; the goals are {GOAL_SECONDS} s and {GOAL_MB} MB",
        flush=True,
    )
    numbers = ["--items", str(items), "--types", str(types), "--annotators", str(annotators)]
    with tempfile.TemporaryDirectory() as folder:
        now = Code(ROOT, Path(folder, "now"))
        now.data.mkdir()
        now.run(str(ROOT / "manage.py"), "migrate", "--verbosity", "0")
        now.step("fill", *numbers)
        codes = [now]
        if before is not None:
            shutil.copytree(now.data, Path(folder, "before"))
            codes.insert(0, Code(before, Path(folder, "before")))
        for what, version, choices, first in BUILDS:
            print(f"  {what}:", flush=True)
            found = []
            for code in codes:
                if first:
                    code.step(first)
                words = ["--version", version, "--choices", json.dumps(choices)]
                found.append(json.loads(code.step("build", *words)) | {"memory": code.memory})
                print(f"    {'' if code is now else 'before: '}{told(found[-1])}", flush=True)
            if len(found) == 2:
                same = "the same" if found[0]["files"] == found[1]["files"] else "OTHER"
                ratio = found[1]["cpu"] / found[0]["cpu"]
                print(f"    {ratio:.2f} of the CPU before; {same} bytes", flush=True)


@dataclass
class Code:
    """A checkout and the folder with its database and files, and the most MB that its last step held."""

    root: Path
    data: Path
    memory: float = 0.0

    def step(self, name: str, *words: str) -> str:
        return self.run(__file__, "--step", name, "--code", str(self.root), *words)

    def run(self, *words: str) -> str:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
            "ELENCHUS_DATA": str(self.data),
            "DATABASE_URL": "",
        }
        command = [sys.executable, *words]
        self.memory = 0.0
        with subprocess.Popen(
            command, env=environment, cwd=self.root, stdout=subprocess.PIPE, text=True
        ) as process:
            while True:
                try:
                    said, _ = process.communicate(timeout=LOOK)
                    break
                except subprocess.TimeoutExpired:
                    self.memory = max(self.memory, held(process.pid))
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        return said


def held(pid: int) -> float:
    """Return the MB that a process and those it started hold, what they share counted once; 0 without it."""
    try:
        pids = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        rollups = [Path(f"/proc/{one}/smaps_rollup").read_text() for one in pids]
    except OSError:
        return 0.0
    return sum(int(re.search(r"^Pss: +(\d+)", text, re.MULTILINE)[1]) for text in rollups) / 1024


def told(found: dict) -> str:
    """Return what a build took, in words."""
    missed = " MISSED" if found["built"] > GOAL_SECONDS or found["memory"] > GOAL_MB else ""
    return (
        f"built after {found['built']:.1f} s and compared after {found['wall']:.1f}, "
        f"{found['cpu']:.1f} s CPU, {found['memory']:.0f} MB{missed} "
        f"({found['size']:.0f} MB of files, and as much in the ZIP)"
    )


def main() -> None:
    """Run the cases, or the one step of a case that this process is for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, help="one case of so many texts")
    parser.add_argument("--types", type=int, default=1)
    parser.add_argument("--annotators", type=int, default=2)
    parser.add_argument("--before", type=Path, help="a checkout to compare with")
    for hidden in ("--version", "--choices", "--code"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--step", choices=["fill", "report", "forget", "build"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        sys.path.insert(0, options.code)
        import django

        django.setup()
        if options.step == "fill":
            fill(options.items, options.types, options.annotators)
        elif options.step == "report":
            report()
        elif options.step == "forget":
            forget()
        else:
            build(options.version, json.loads(options.choices))
        return
    before = options.before and options.before.resolve()
    one = [(options.items, options.types, options.annotators)] if options.items else CASES
    for numbers in one:
        case(*numbers, before)


if __name__ == "__main__":
    main()
