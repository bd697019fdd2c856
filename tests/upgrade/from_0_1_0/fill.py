"""What filled the databases beside this file, on the code of version 0.1.0 alone, in a checkout of it.

    git worktree add ../before 0.1.0 && cd ../before
    export ELENCHUS_DATA=/tmp/before    # for PostgreSQL also DATABASE_URL, an empty database
    python manage.py migrate && PYTHONPATH=. python fill.py

Then `VACUUM INTO` made elenchus.sqlite.gz, and elenchus.postgresql.gz is what
`pg_dump --no-owner --no-privileges --inserts` gives without the lines that begin with a backslash, set the
search_path or comment on an extension. files.*.tar.gz is of the folder `files`: release 3 without its
archive, and data/all.jsonl of release 1.
"""

import hashlib
import os
from datetime import UTC, datetime

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")
django.setup()

from agreement.jobs import report_compute  # noqa: E402
from annotation.adjudicating import Ruling, resolution_current, resolution_decide, unit_claim  # noqa: E402
from annotation.discussing import comment_add  # noqa: E402
from annotation.inviting import invitation_create  # noqa: E402
from annotation.opening import round_open  # noqa: E402
from annotation.recording import Unit  # noqa: E402
from exports.parameters import Parameters  # noqa: E402

from agreement.models import AgreementReport  # noqa: E402
from annotation.models import Question, Upload  # noqa: E402
from annotation.rounds import round_close, round_create, round_draw  # noqa: E402
from exports.models import QuestionRefinement, RefinementRun, Release  # noqa: E402
from exports.releases import release_build  # noqa: E402
from tests import factories  # noqa: E402
from tests.factories import NO, record, yes  # noqa: E402

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")


def report_of(round):
    [report] = AgreementReport.objects.filter(round=round)
    assert report_compute(report_id=report.pk) == "done"


def talk():
    """A FOCUS study: judged, decided, released; a second round is open."""
    made = factories.study("focus", items=3, slug="talk")
    made.project.licence = "CC-BY-4.0"
    made.project.save()
    factories.open_round(made)
    ann, bea, _ = made.annotators
    first, second, third = made.items
    answers = {
        (first, "LE"): [yes(first, "grades fell", comment="why?"), *[yes(first, "grades fell")] * 2],
        (second, "VAT"): [yes(second, "happy 🎉"), yes(second, "people happy 🎉"), NO],
        (third, "CF"): [yes(third, "the cause"), NO, None],
    }
    record(made.round, ann, first, "LE", NO)
    for item in made.items:
        for code in TYPES:
            for member, answer in zip(made.annotators, answers.get((item, code), [NO] * 3), strict=True):
                if answer is not None:
                    record(made.round, member, item, code, answer, active_seconds=7)
    round_close(made.round, by=made.lead)
    flipped, start = Unit("CF"), third.text.index("the cause")
    lead = {"item": third, "unit": flipped, "member": made.lead, "codebook": made.round.codebook}
    resolution_decide(**lead, seen=None, ruling=Ruling(applicable=False, why="It names no cause."))
    why = {"why": "On second thoughts it does.", "in_guideline": True}
    resolution_decide(
        **lead,
        seen=resolution_current(third, flipped).pk,
        ruling=Ruling(applicable=True, spans=((start, start + len("the cause")),), **why),
    )
    comment_add(round=made.round, item=third, unit=flipped, member=made.lead, text="@A2 is that a cause?")
    unit_claim(item=second, unit=Unit("VAT"), member=made.lead)
    report_of(made.round)
    release_build(project=made.project, version="1.0", parameters=Parameters.from_json({}), by=made.lead)
    invitation_create(project=made.project, member=made.lead, note="for Dan")
    Upload.objects.create(
        project=made.project, member=made.lead, name="more.csv", size=3, state="done", rows_read=1
    )
    release_build(project=made.project, version="1.1", parameters=Parameters.from_json({"texts": False}))
    refine(made, first)
    factories.add_items(made.project, 1)
    second_round = round_create(project=made.project, overlap=2, member=made.lead, name="Second")
    round_draw(second_round, member=made.lead)
    second_round = round_open(second_round, members=[ann, bea], by=made.lead)
    record(second_round, ann, made.project.items.get(external_id="I-4"), "LE", NO)


def refine(made, item):
    """Put in a run of a language model with its one answer."""
    run = RefinementRun.objects.create(
        project=made.project,
        number=1,
        member=made.lead,
        endpoint="http://127.0.0.1:9/v1",
        model="small",
        prompt="Reword {question}",
        max_tokens=90,
        timeout=9,
        per_minute=60,
        max_questions=5,
        sources=[["test", ""]],
        state="done",
        progress_done=1,
        progress_total=1,
        finished_at=NOW,
    )
    start = item.text.index("grades fell")
    QuestionRefinement.objects.create(
        run=run,
        item=item,
        type_code="LE",
        start=start,
        end=start + len("grades fell"),
        text_sha256=hashlib.sha256(item.text.encode()).hexdigest(),
        question_template="?",
        state="refined",
        question="Did they fall?",
        model="small",
        tries=1,
        answered_at=NOW,
    )


def ask():
    """A CQs-Gen study: judged, decided, released; a second release waits, the worker of a third died."""
    made = factories.study("cqs_gen", items=1, questions=3, slug="ask")
    factories.open_round(made)
    [item] = made.items
    one, two, three = Question.objects.filter(item=item).order_by("position")
    invalid = {"label": "IN", "reason": "NC", "edited_question": "What does a barrier cost?"}
    unhelpful = {"label": "UN", "comment": "The text answers it."}
    for member in made.annotators:
        record(made.round, member, item, one, {"label": "USE"}, active_seconds=5)
        record(made.round, member, item, two, invalid)
    thirds = ({"label": "USE"}, unhelpful, {"label": "IN", "reason": "BR"})
    for member, answer in zip(made.annotators, thirds, strict=True):
        record(made.round, member, item, three, answer)
    round_close(made.round, by=made.lead)
    resolution_decide(
        item=item,
        unit=Unit("", three.pk),
        member=made.lead,
        codebook=made.round.codebook,
        seen=None,
        ruling=Ruling(label="UN", why="The text answers it."),
    )
    report_of(made.round)
    release_build(project=made.project, version="1.0", parameters=Parameters.from_json({}), by=made.lead)
    given = {"project": made.project, "parameters": Parameters.from_json({}).to_json()}
    Release.objects.create(version="1.1", member=made.lead, **given)
    dead = {"state": "running", "attempt": "0" * 32, "attempts": 1, "lease_until": NOW}
    Release.objects.create(version="1.2", **dead, **given)


if __name__ == "__main__":
    talk()
    ask()
