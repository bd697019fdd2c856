"""Judged studies for the tests of releases."""

from collections.abc import Mapping
from pathlib import Path

from django.core.files.storage import default_storage

from annotation.models import Item, Project, Question, Resolution, Round, TypeAnnotation
from annotation.rounds.lifecycle import round_close
from exports.models import Release
from exports.releases.lifecycle import release_build
from exports.releases.storage import release_write
from exports.selection.parameters import Parameters
from tests import factories
from tests.factories import NO, Study, yes

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")


def judge(made: Study, item: Item, answers: Mapping[str, list[dict | None]]) -> None:
    """Store one answer an annotator for each type; the types not named are "no" to everybody.

    Rows go in at once, without the events of the use case: hundreds of judgements a test would take too long.
    """
    rows = []
    for code in TYPES:
        for member, answer in zip(made.annotators, answers.get(code, [NO] * 9), strict=False):
            if answer is not None:
                rows.append(
                    TypeAnnotation(
                        assignment=factories.assignment_of(made.round, member, item),
                        type_code=code,
                        span_required=True,
                        text_length=item.text_length,
                        **answer,
                    )
                )
    TypeAnnotation.objects.bulk_create(rows)


def judge_question(made: Study, question: Question, answers: list[dict | None]) -> None:
    """Record one answer an annotator for a question."""
    for member, answer in zip(made.annotators, answers, strict=False):
        if answer is not None:
            factories.record(made.round, member, question.item, question, answer)


def close(made: Study) -> Round:
    """Close the study's round."""
    return round_close(made.round, by=made.lead)


def focus_study(annotators: int = 3, items: int = 2, **options) -> Study:
    """Return a FOCUS study whose round is open."""
    made = factories.study("focus", annotators=annotators, items=items, **options)
    factories.open_round(made)
    return made


def cqs_study(annotators: int = 3, items: int = 1, questions: int = 3, **options) -> Study:
    """Return a CQs-Gen study whose round is open."""
    made = factories.study("cqs_gen", annotators=annotators, items=items, questions=questions, **options)
    factories.open_round(made)
    return made


USEFUL = {"label": "USE"}
UNHELPFUL = {"label": "UN", "comment": "The text answers it."}


def invalid(reason: str = "BR", edited: str = "") -> dict:
    """Return the answer Invalid with a reason."""
    return {"label": "IN", "reason": reason, **({"edited_question": edited} if edited else {})}


def adjudicate(made: Study, item: Item, code: str, applicable: bool, *spans: tuple[int, int]) -> Resolution:
    """Store a lead's decision about one type."""
    return Resolution.objects.create(
        item=item,
        type_code=code,
        applicable=applicable,
        spans=[list(span) for span in spans],
        source="adjudicated",
        member=made.lead,
        why="We talked it over.",
    )


def release(project: Project, version: str = "1.0", **choices) -> Release:
    """Build a release with these choices."""
    return release_build(project=project, version=version, parameters=Parameters.from_json(choices))


def released(project: Project, folder: Path, version: str = "1.0", **choices) -> Path:
    """Build a release, write it into a folder and return the folder."""
    release_write(release(project, version, **choices), folder)
    return folder


def judged(items: int = 2) -> Study:
    """Return a closed round of items, each decided a "yes" to Vague or Ambiguous Terms with one gold span."""
    made = focus_study(annotators=2, items=items)
    for item in made.items:
        judge(made, item, {"VAT": [yes(item, item.text[:11])] * 2})
    close(made)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files below a folder hold, by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def stored_files() -> list[str]:
    """Return the places of all files of releases in the storage."""
    found: list[str] = []

    def walk(folder: str) -> None:
        folders, files = default_storage.listdir(folder)
        found.extend(f"{folder}/{name}" for name in files)
        for name in folders:
            walk(f"{folder}/{name}")

    if default_storage.exists("releases"):
        walk("releases")
    return found
