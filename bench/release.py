"""How long a large release takes and how much memory: python bench/release.py [--items N] [--types T]

Fills a database of its own in a temporary folder with judged texts (seed 0), builds a release in a fresh
process, and prints seconds, milliseconds an item and the most memory that process held.
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


def fill(items: int, types: int, annotators: int) -> None:
    """Store a closed round in which every annotator judged every type of every item."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.codebooks.reader import load_shipped
    from annotation.models import Assignment, Import, Item, RoundItem, TypeAnnotation
    from annotation.projects import member_add, project_create
    from annotation.rounds import round_create
    from annotation.triggers import TRIGGERS, lifted_triggers

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


def build(choices: dict) -> None:
    """Build the release and print what it took."""
    from annotation.models import Project
    from exports.parameters import Parameters
    from exports.releases import release_build

    started = time.perf_counter()
    release = release_build(
        project=Project.objects.get(slug=SLUG), version="1.0", parameters=Parameters.from_json(choices)
    )
    seconds = time.perf_counter() - started
    print(
        json.dumps(
            {
                "items": release.counts["items"],
                "judgements": release.counts["judgements"],
                "seconds": round(seconds, 1),
                "ms_per_item": round(1000 * seconds / release.counts["items"], 3),
                "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "release_mb": sum(file["size"] for file in release.files if not file["archive"]) // 2**20,
            }
        )
    )


def main() -> None:
    """Fill and build, each in a process of its own, so that the memory is that of building."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=110_000)
    parser.add_argument("--types", type=int, default=1)
    parser.add_argument("--annotators", type=int, default=2)
    parser.add_argument("--choices", default="{}", help="the release's choices as JSON")
    parser.add_argument("--step", choices=["fill", "build"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        if options.step == "fill":
            fill(options.items, options.types, options.annotators)
        else:
            build(json.loads(options.choices))
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
            "ELENCHUS_DATA": folder,
            "DATABASE_URL": "",
        }
        script = [sys.executable, __file__, *sys.argv[1:]]
        for words in (
            [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0"],
            [*script, "--step", "fill"],
            [*script, "--step", "build"],
        ):
            subprocess.run(words, env=environment, check=True, cwd=ROOT)


if __name__ == "__main__":
    main()
