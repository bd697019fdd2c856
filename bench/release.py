"""How long a large release takes and how much memory: python bench/release.py [--items N] [--types T]

Fills a database of its own in a temporary folder with a FOCUS project of judged texts (seed 0) and builds
releases of it, each in a fresh process. Prints what is built, then for each release the CPU and wall seconds,
milliseconds an item and the most memory that process held. Without options: 110,000 texts with one type
judged by two annotators, and 11,000 texts with all ten types judged by three.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
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

BUILDS = [
    ("without agreement", "1.0", {"agreement": False}),
    ("with agreement, which no worker has computed before", "1.1", {}),
    ("again, compared with the release before it", "1.2", {"agreement": False, "licence": "MIT"}),
]
"""What is built, its version, and its choices."""


def fill(items: int, types: int, annotators: int) -> None:
    """Store a closed round in which every annotator judged every type of every item."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.codebooks.reader import load_shipped
    from annotation.database_rules import TRIGGERS, lifted_triggers
    from annotation.models import Assignment, Import, Item, RoundItem, TypeAnnotation
    from annotation.projects import member_add, project_create
    from annotation.rounds import round_create

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
    from exports.parameters import Parameters
    from exports.releases import release_build

    started, started_cpu = time.perf_counter(), time.process_time()
    release = release_build(
        project=Project.objects.get(slug=SLUG), version=version, parameters=Parameters.from_json(choices)
    )
    cpu, wall = time.process_time() - started_cpu, time.perf_counter() - started
    size = sum(file["size"] for file in release.files if not file["archive"]) / 1e6
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"    {cpu:.1f} s CPU, {wall:.1f} s wall, {1000 * cpu / release.counts['items']:.3f} ms CPU an item, "
        f"at most {memory:.0f} MB of memory; "
        f"{size:.0f} MB of files, and as much in the ZIP",
        flush=True,
    )


def case(items: int, types: int, annotators: int) -> None:
    """Fill and build, each in a process of its own, so that the memory is that of building."""
    print(
        f"{items:,} texts, {types} of 10 types judged by {annotators} annotators: "
        f"{items * types * annotators:,} judgements",
        flush=True,
    )
    numbers = ["--items", str(items), "--types", str(types), "--annotators", str(annotators)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
            "ELENCHUS_DATA": folder,
            "DATABASE_URL": "",
        }
        script = [sys.executable, __file__, *numbers]

        def run(*words: str) -> None:
            subprocess.run(words, env=environment, check=True, cwd=ROOT)

        run(sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0")
        run(*script, "--step", "fill")
        for what, version, choices in BUILDS:
            print(f"  {what}:", flush=True)
            run(*script, "--step", "build", "--version", version, "--choices", json.dumps(choices))


def main() -> None:
    """Run the cases, or the one step of a case that this process is for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, help="one case of so many texts")
    parser.add_argument("--types", type=int, default=1)
    parser.add_argument("--annotators", type=int, default=2)
    for hidden in ("--version", "--choices"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--step", choices=["fill", "build"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        if options.step == "fill":
            fill(options.items, options.types, options.annotators)
        else:
            build(options.version, json.loads(options.choices))
        return
    one = [(options.items, options.types, options.annotators)] if options.items else CASES
    for numbers in one:
        case(*numbers)


if __name__ == "__main__":
    main()
