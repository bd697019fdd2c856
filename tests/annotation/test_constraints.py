"""What the protocols forbid cannot be stored, whoever writes: every rule by trying to break it."""

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from annotation.models import (
    AnnotationEvent,
    Import,
    Item,
    Membership,
    Question,
    QuestionAnnotation,
    Resolution,
    Round,
    TypeAnnotation,
)
from annotation.rounds.lifecycle import round_close
from tests.annotation.database import refused
from tests.factories import NO, assignment_of, record, user

pytestmark = [pytest.mark.django_db, pytest.mark.database]

BLANKS = ["", " ", "\t\n", "\u00a0", "\u3000\u200b"]


def type_row(made, **values):
    assignment = assignment_of(made.round, made.annotators[0], made.items[0])
    fields = {
        "assignment": assignment,
        "type_code": "LE",
        "span_required": True,
        "text_length": made.items[0].text_length,
        **values,
    }
    return lambda: TypeAnnotation.objects.create(**fields)


def question_row(made, **values):
    assignment = assignment_of(made.round, made.annotators[0], made.items[0])
    fields = {"assignment": assignment, "question": made.items[0].questions.first(), **values}
    return lambda: QuestionAnnotation.objects.create(**fields)


SPAN = {"start": 0, "end": 3, "quote": "The"}


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"applicable": True}, "span_exactly_when_asked"),
        ({"applicable": True, "start": 0, "end": 3}, "span_exactly_when_asked"),
        ({"applicable": True, "start": 0, "quote": "The"}, "the quote is the text"),
        ({"applicable": False, **SPAN}, "span_exactly_when_asked"),
        ({"applicable": None, **SPAN}, "span_exactly_when_asked"),
        ({"cannot_judge": True, "comment": "broken", **SPAN}, "span_exactly_when_asked"),
        ({"applicable": True, "start": 3, "end": 3, "quote": ""}, "the quote is the text"),
        (
            {"applicable": True, "start": 3, "end": 0, "quote": "The"},
            "the quote is the text",
        ),
        ({"applicable": True, "start": 0, "end": 4, "quote": "The"}, "quote"),
        ({"applicable": True, "start": 0, "end": 3, "quote": "the"}, "the quote is the text"),
        ({"applicable": True, "start": 1, "end": 4, "quote": "The"}, "the quote is the text"),
        ({"applicable": True, "start": 3, "end": 4, "quote": " "}, "quote_fits_span"),
        ({"applicable": True, "cannot_judge": True, "comment": "x", **SPAN}, "one_answer"),
        ({"applicable": False, "type_code": "XX"}, "the type is one that the assignment asks"),
        ({"applicable": True, "span_required": False}, "the type is one that the assignment asks"),
        ({"applicable": False, "text_length": 5}, "the quote is the text"),
        ({"applicable": False, "revision": 0}, "revision_positive"),
        *(({"cannot_judge": True, "comment": blank}, "cannot_judge_says_why") for blank in BLANKS),
    ],
)
def test_a_type_annotation_that_the_protocol_forbids_is_refused(focus, values, rule):
    message = refused(type_row(focus, **values))
    assert rule in message
    assert not TypeAnnotation.objects.exists()


def test_a_span_beyond_the_text_is_refused(focus):
    length = focus.items[0].text_length
    assert refused(type_row(focus, applicable=True, start=length - 2, end=length + 1, quote="en."))


@pytest.mark.parametrize(
    "values",
    [
        {"applicable": True, **SPAN},
        {"applicable": False},
        {"applicable": None},
        {"cannot_judge": True, "comment": "in another language"},
    ],
)
def test_what_the_protocol_allows_for_a_type_is_stored(focus, values):
    type_row(focus, **values)()
    assert TypeAnnotation.objects.count() == 1


def test_a_span_is_counted_in_code_points_also_behind_emoji(focus):
    item = focus.items[1]
    start = item.text.index("parks")
    assert start == 19
    TypeAnnotation.objects.create(
        assignment=assignment_of(focus.round, focus.annotators[0], item),
        type_code="LE",
        span_required=True,
        text_length=item.text_length,
        applicable=True,
        start=start,
        end=start + 5,
        quote="parks",
    )
    assert TypeAnnotation.objects.get().quote == "parks"


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"label": "IN"}, "reason_exactly_when_invalid"),
        ({"label": "USE", "reason": "NC"}, "reason_exactly_when_invalid"),
        ({"label": "UN", "comment": "known", "reason": "NC"}, "reason_exactly_when_invalid"),
        ({"label": None, "reason": "NC"}, "reason_exactly_when_invalid"),
        ({"label": "IN", "reason": "ZZ"}, "the reason is one of the codebook"),
        ({"label": "IN", "reason": "TG", "edited_question": "Why?"}, "an edited question needs a reason"),
        ({"label": "USE", "edited_question": "Why?"}, "edit_only_when_invalid"),
        ({"label": None, "edited_question": "Why?"}, "edit_only_when_invalid"),
        ({"label": "IN", "reason": "NC", "edited_question": " "}, "edit_only_when_invalid"),
        ({"label": "USE", "cannot_judge": True, "comment": "x"}, "one_answer"),
        ({"label": "ZZ"}, "label_known"),
        *(({"label": "UN", "comment": blank}, "unhelpful_says_why") for blank in BLANKS),
        *(({"cannot_judge": True, "comment": blank}, "cannot_judge_says_why") for blank in BLANKS),
    ],
)
def test_a_question_annotation_that_the_protocol_forbids_is_refused(cqs, values, rule):
    assert rule in refused(question_row(cqs, **values))
    assert not QuestionAnnotation.objects.exists()


@pytest.mark.parametrize(
    "values",
    [
        {"label": "USE"},
        {"label": "UN", "comment": "well known"},
        {"label": "IN", "reason": "TG"},
        {"label": "IN", "reason": "NC", "edited_question": "Why?"},
        {"label": None},
        {"cannot_judge": True, "comment": "cut off"},
    ],
)
def test_what_the_protocol_allows_for_a_question_is_stored(cqs, values):
    question_row(cqs, **values)()
    assert QuestionAnnotation.objects.count() == 1


def test_a_question_of_another_item_is_refused(cqs):
    other = cqs.items[1].questions.first()
    assert "asks about the assigned item" in refused(question_row(cqs, label="USE", question=other))


def test_a_unit_has_one_row(focus, cqs):
    type_row(focus, applicable=False)()
    assert refused(type_row(focus, applicable=True, **SPAN))
    question_row(cqs, label="USE")()
    assert refused(question_row(cqs, label="UN", comment="known"))


def test_an_event_id_is_unique_per_member(focus):
    record(focus.round, focus.annotators[0], focus.items[0], "LE", NO, event_id="same")
    record(focus.round, focus.annotators[1], focus.items[0], "LE", NO, event_id="same")
    event = AnnotationEvent.objects.first()
    event.pk = None
    assert refused(lambda: event.save(force_insert=True))


@pytest.mark.parametrize(
    "values",
    [
        {"text_length": 3},
        {"text": "", "text_length": 0},
        {"text": "\u00a0 \n", "text_length": 3},
        {"external_id": " "},
        {"withdrawn_at": timezone.now()},
    ],
)
def test_an_item_that_cannot_be_judged_is_refused(focus, values):
    fields = {
        "project": focus.project,
        "brought_by": Import.objects.first(),
        "external_id": "new",
        "text": "A text.",
        "text_length": 7,
    }
    assert refused(lambda: Item.objects.create(**{**fields, **values}))


def test_external_ids_and_question_positions_are_unique(cqs):
    item = cqs.items[0]
    copy = {"project": cqs.project, "brought_by": item.brought_by, "text": "A.", "text_length": 2}
    assert refused(lambda: Item.objects.create(external_id=item.external_id, **copy))
    assert refused(
        lambda: Question.objects.create(item=item, brought_by=item.brought_by, position=1, text="Again?")
    )


@pytest.mark.parametrize(
    "change",
    [
        {"status": "draft", "opened_at": None},
        {"status": "closed"},
        {"status": "paused"},
        {"overlap": 0},
        {"name": " "},
        {"purpose": "fun"},
        {"number": 0},
    ],
)
def test_a_round_keeps_its_rules(focus, change):
    assert refused(lambda: Round.objects.filter(pk=focus.round.pk).update(**change))


def test_memberships_are_one_per_user_with_a_role_and_a_pseudonym_of_their_own(focus):
    ann = focus.annotators[0]
    base = {"project": focus.project, "is_annotator": True}
    assert refused(lambda: Membership.objects.create(user=ann.user, pseudonym="A77", **base))
    assert refused(lambda: Membership.objects.create(user=user("new"), pseudonym=ann.pseudonym, **base))
    assert refused(lambda: Membership.objects.create(user=user("new"), pseudonym=" ", **base))
    assert refused(
        lambda: Membership.objects.create(project=focus.project, user=user("new"), pseudonym="A78")
    )
    for number in (80, 81):
        Membership.objects.create(user=None, pseudonym=f"A{number}", **base)


def test_a_resolution_is_one_current_answer_for_one_unit(focus, cqs):
    lead, item = focus.lead, focus.items[0]
    decided = {"source": "adjudicated", "member": lead, "why": "clear"}
    Resolution.objects.create(item=item, type_code="LE", applicable=True, **decided)
    assert refused(lambda: Resolution.objects.create(item=item, type_code="LE", applicable=False, **decided))
    Resolution.objects.update(superseded_at=timezone.now())
    Resolution.objects.create(item=item, type_code="LE", applicable=False, **decided)
    question = cqs.items[0].questions.first()
    other = {"question": question, "label": "USE"}
    for wrong in (
        {"item": item, "type_code": "TC", "applicable": None},
        {"item": item, "type_code": "TC", "applicable": True, "why": " "},
        {"item": item, "type_code": "TC", "applicable": True, "member": None},
        {"item": cqs.items[0], **other, "label": "ZZ"},
        {"item": cqs.items[0], **other, "reason": "NC"},
        {"item": cqs.items[1], **other},
        {"item": cqs.items[0], **other, "source": "imported"},
    ):
        assert refused(lambda wrong=wrong: Resolution.objects.create(**{**decided, **wrong}))
    Resolution.objects.create(item=cqs.items[0], **other, **decided)
    assert refused(lambda: Resolution.objects.create(item=cqs.items[0], **other, **decided))


def test_closing_is_told_to_listeners_within_its_transaction(focus):
    from annotation.signals import round_closed

    heard = []

    def listener(round, **_):
        heard.append((round.pk, connection.in_atomic_block))
        raise RuntimeError("the listener failed")

    round_closed.connect(listener)
    try:
        with pytest.raises(RuntimeError):
            round_close(focus.round)
    finally:
        round_closed.disconnect(listener)
    assert heard == [(focus.round.pk, True)]
    assert Round.objects.get(pk=focus.round.pk).status == "open"


def test_a_revision_can_be_read_but_offsets_cannot_be_moved_alone(focus):
    type_row(focus, applicable=True, **SPAN)()
    assert "the quote is the text" in refused(
        lambda: TypeAnnotation.objects.update(start=F("start") + 1, end=F("end") + 1)
    )
