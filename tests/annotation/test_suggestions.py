"""Suggestions: fixed as a round opens, the hidden half tells nothing, judgements keep what was visible."""

import json

import pytest
from django.db import IntegrityError, transaction

from annotation.items.erasure import item_erase
from annotation.judging.recording import Seen
from annotation.judging.workspace import workspace_overview, workspace_round, workspace_units
from annotation.models import Round, Suggestion, TypeAnnotation
from annotation.projects.deletion import project_delete
from annotation.rounds.drawing import round_draw
from annotation.rounds.editing import draft_delete
from annotation.rounds.lifecycle import round_create
from annotation.rounds.opening import round_open
from annotation.rounds.suggestions import SuggestionChoice
from core.errors import Refused
from tests.annotation.database import refused
from tests.factories import NO, USEFUL, close, focus_study, open_round, record, study, yes
from tests.factories.suggestions import (
    ENDPOINT,
    answered,
    finished_run,
    focus_run,
    label_run,
    suggesting_round,
    suggestion_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

WORDS = "The library should stay open all night."


@pytest.fixture(autouse=True)
def endpoint(settings):
    settings.LLM_ENDPOINTS = [ENDPOINT]


def suggested(made, shown="all", **options):
    suggesting_round(made, focus_run(made, {"LE": WORDS, "WE": None}), shown, **options)
    return made


def shown_to(made, member):
    return workspace_units(member, workspace_round(member, made.round.number))["results"]


def test_a_run_over_types_becomes_yes_with_its_words_and_no_for_the_others():
    made = suggested(study(annotators=2, items=2))
    first, second = made.items
    got = suggestion_of(made, first, "LE")
    assert (got.applicable, got.quote, got.start, got.end) == (True, WORDS, 0, len(WORDS))
    assert (suggestion_of(made, first, "WE").applicable, suggestion_of(made, first, "WE").quote) == (
        True,
        None,
    )
    assert suggestion_of(made, second, "LE").applicable is False
    assert made.round.suggested.count() == 20
    made.round.refresh_from_db()
    assert (made.round.suggestions, made.round.suggestion_run, made.round.suggestion_model) == (
        "all",
        1,
        "tiny",
    )
    log = made.project.events.get(action="round opened").details
    assert (log["suggestions"], log["run"]) == ("all", 1)


def test_a_run_over_questions_becomes_their_labels():
    made = study("cqs_gen", annotators=1, items=1, questions=3)
    suggesting_round(made, label_run(made, "UN"))
    assert (
        list(made.round.suggested.values_list("label", "type_code", "applicable")) == [("UN", "", None)] * 3
    )
    (text,) = shown_to(made, made.annotators[0])
    assert [question["suggestion"]["label"] for question in text["questions"]] == ["UN"] * 3


def test_half_is_hidden_at_random_by_the_seed_of_the_round():
    made = study(annotators=1, items=2)
    run = focus_run(made, {"LE": WORDS})

    def hidden(seed):
        suggesting_round(made, run, "half", seed=seed, name=f"seed {seed} {made.project.rounds.count()}")
        rows = made.round.suggested.filter(shown=False)
        return sorted(rows.values_list("item__external_id", "type_code"))

    first = hidden(1)
    assert len(first) == 10
    assert hidden(1) == first
    assert hidden(2) != first


def test_an_annotator_meets_what_is_shown_and_nothing_of_the_hidden_half():
    made = suggested(study(annotators=1, items=2), "half")
    (member,) = made.annotators
    overview = workspace_overview(member, made.round)
    assert overview["round"]["suggestion_model"] == "tiny"
    texts = shown_to(made, member)
    met = {(text["item"]["id"], code) for text in texts for code in text["suggestions"]}
    there = made.round.suggested.filter(shown=True).values_list("item__external_id", "type_code")
    assert met == set(there)
    assert len(met) == 10
    for text in texts:
        for told in text["suggestions"].values():
            assert set(told) == {"id", "applicable", "start", "end", "quote"}
    hidden = set(made.round.suggested.filter(shown=False).values_list("pk", flat=True))
    assert not hidden & {told["id"] for text in texts for told in text["suggestions"].values()}


def test_a_round_without_suggestions_tells_nothing_of_a_run():
    made = focus_study(annotators=1, items=2)
    focus_run(made, {"LE": WORDS})
    (member,) = made.annotators
    assert "suggestions" not in json.dumps(shown_to(made, member))
    assert workspace_overview(member, made.round)["round"]["suggestion_model"] is None
    assert not Suggestion.objects.exists()


def test_a_judgement_keeps_what_was_visible_and_whether_it_was_taken():
    made = suggested(study(annotators=2, items=1))
    (item,), (ann, bea) = made.items, made.annotators
    suggestion = suggestion_of(made, item, "LE")
    taken = record(made.round, ann, item, "LE", yes(item, WORDS), seen=Seen(suggestion.pk, taken=True)).row
    assert (taken.suggestion_id, taken.suggestion_taken) == (suggestion.pk, True)
    event = ann.annotation_events.get()
    assert (event.after["suggestion"], event.after["suggestion_taken"]) == (suggestion.pk, True)
    left = record(made.round, bea, item, "LE", NO, seen=Seen(suggestion.pk)).row
    assert (left.suggestion_id, left.suggestion_taken) == (suggestion.pk, False)
    # A word of the span may be another; another answer is not the suggestion's any more.
    moved = record(
        made.round, ann, item, "LE", yes(item, "library"), seen=Seen(suggestion.pk, taken=True)
    ).row
    assert moved.suggestion_taken
    changed = record(made.round, ann, item, "LE", NO, seen=Seen(suggestion.pk)).row
    assert (changed.suggestion_id, changed.suggestion_taken) == (suggestion.pk, False)
    undone = record(made.round, ann, item, "LE", None).row
    assert (undone.suggestion_id, undone.suggestion_taken) == (suggestion.pk, False)


def test_an_answer_from_before_it_was_seen_never_becomes_one_with_a_suggestion():
    made = suggested(study(annotators=1, items=1))
    (item,), (ann,) = made.items, made.annotators
    record(made.round, ann, item, "LE", NO)
    again = record(
        made.round,
        ann,
        item,
        "LE",
        yes(item, WORDS),
        seen=Seen(suggestion_of(made, item, "LE").pk, taken=True),
    )
    assert (again.row.suggestion_id, again.row.suggestion_taken) == (None, False)


@pytest.mark.parametrize(
    "claimed", ["of another unit", "hidden", "not there", "of another round", "not what was answered"]
)
def test_a_claim_that_its_unit_does_not_bear_out_is_refused(claimed):
    made = suggested(study(annotators=1, items=1), "half")
    (item,), (ann,) = made.items, made.annotators
    first, other = made.round.suggested.filter(shown=True)[:2]
    hidden = made.round.suggested.filter(shown=False).first()
    code = first.type_code
    if claimed == "of another unit":
        seen = Seen(other.pk)
    elif claimed == "hidden":
        code, seen = hidden.type_code, Seen(hidden.pk)
    elif claimed == "not there":
        seen = Seen(999_999)
    elif claimed == "of another round":
        made.round, theirs = open_round(made, purpose="main", name="Plain"), first
        seen = Seen(theirs.pk)
    else:
        seen = Seen(first.pk, taken=True)
    answer = NO if first.applicable and claimed == "not what was answered" else yes(item, WORDS)
    with pytest.raises(Refused) as refusal:
        record(made.round, ann, item, code, answer, seen=seen)
    assert list(refusal.value.errors) == ["suggestion"]
    assert not TypeAnnotation.objects.exists()


def test_the_same_decision_with_another_claim_is_no_repeat():
    made = suggested(study(annotators=1, items=1))
    (item,), (ann,) = made.items, made.annotators
    suggestion = suggestion_of(made, item, "OSP")
    first = record(made.round, ann, item, "OSP", NO, event_id="one", seen=Seen(suggestion.pk, taken=True))
    again = record(
        made.round,
        ann,
        item,
        "OSP",
        NO,
        event_id="one",
        base_revision=0,
        seen=Seen(suggestion.pk, taken=True),
    )
    assert (first.replayed, again.replayed, again.row.revision) == (False, True, 1)
    with pytest.raises(Refused) as refusal:
        record(made.round, ann, item, "OSP", NO, event_id="one", base_revision=0, seen=Seen(suggestion.pk))
    assert refusal.value.code == "event_id_reused"


def test_the_database_keeps_suggestions_as_they_were_when_the_round_opened():
    made = suggested(study(annotators=1, items=1), "half")
    (item,), (ann,) = made.items, made.annotators
    shown = made.round.suggested.filter(shown=True, applicable=False).first()
    hidden = made.round.suggested.filter(shown=False).first()
    rows = Suggestion.objects
    assert "a suggestion stays as it came" in refused(lambda: rows.filter(pk=hidden.pk).update(shown=True))
    assert "are frozen when it opens" in refused(lambda: rows.filter(pk=hidden.pk)._raw_delete("default"))
    assert "never later" in refused(lambda: Round.objects.filter(pk=made.round.pk).update(suggestions="all"))
    row = record(made.round, ann, item, shown.type_code, NO, seen=Seen(shown.pk)).row
    mine = TypeAnnotation.objects.filter(pk=row.pk)
    other = {"applicable": None, "suggestion_taken": True}
    assert "before the first input does not change" in refused(lambda: mine.update(suggestion=None))
    assert "what is taken is its answer" in refused(lambda: mine.update(**other))
    values = {"assignment_id": row.assignment_id, "span_required": True, "text_length": item.text_length}
    left = next(code for code in made.round.type_codes if code not in (shown.type_code, hidden.type_code))
    assert "is one that the round shows for the unit" in refused(
        lambda: TypeAnnotation.objects.create(type_code=left, suggestion=hidden, **values)
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        TypeAnnotation.objects.create(type_code=left, suggestion_taken=True, **values)


def test_a_draft_takes_no_suggestion_about_what_it_does_not_ask():
    made = study(annotators=1, items=2)
    drafted = round_create(project=made.project, purpose="main", member=made.lead, types=["OSP", "TC"])
    round_draw(drafted, member=made.lead, external_ids=["I-1"])
    first, second = made.items
    given = {"round": drafted, "type_code": "OSP", "applicable": False, "shown": True}
    told = "a suggestion answers what a draft round with suggestions asks"
    assert told in refused(lambda: Suggestion.objects.create(item=first, **given))
    Round.objects.filter(pk=drafted.pk).update(suggestions="all", suggestion_run=1, suggestion_model="tiny")
    Suggestion.objects.create(item=first, **given)
    assert told in refused(lambda: Suggestion.objects.create(item=second, **given))
    assert told in refused(lambda: Suggestion.objects.create(item=first, **given | {"type_code": "LE"}))
    span = {"applicable": True, "start": 0, "end": 3, "quote": "xyz", "type_code": "TC"}
    assert told in refused(lambda: Suggestion.objects.create(item=first, **given | span))
    draft_delete(drafted, by=made.lead)
    assert not Suggestion.objects.exists()


@pytest.mark.parametrize(
    ("purpose", "run", "told"),
    [
        ("calibration", 1, "Suggestions are for training and main rounds"),
        ("main", 9, "There is no run 9"),
        ("main", 2, "is not done"),
        ("main", 3, "which answers no unit of a round"),
        ("main", 4, "no usable answer about the texts"),
    ],
)
def test_a_round_opens_only_with_a_run_that_answers_what_it_asks(purpose, run, told):
    made = study(annotators=1, items=1)
    focus_run(made)
    finished_run(made, "focus_answers", state="cancelled")
    finished_run(made, "context")
    answered(finished_run(made, "focus_answers"), made.items[0], None)
    drafted = round_create(project=made.project, purpose=purpose, overlap=1, member=made.lead)
    round_draw(drafted, member=made.lead)
    with pytest.raises(Refused, match=told) as refusal:
        round_open(drafted, by=made.lead, suggestions=SuggestionChoice(run))
    assert list(refusal.value.errors) == ["suggestions"]
    drafted.refresh_from_db()
    assert (drafted.status, drafted.suggestions, drafted.is_claimed) == ("draft", "", False)
    round_open(drafted, by=made.lead)
    assert not drafted.suggested.exists()


def test_without_an_endpoint_there_are_no_suggestions(settings):
    made = study(annotators=1, items=1)
    run = focus_run(made)
    settings.LLM_ENDPOINTS = []
    with pytest.raises(Refused, match="ELENCHUS_LLM_ENDPOINTS"):
        suggesting_round(made, run)


def test_an_opening_without_them_takes_back_those_of_one_that_stopped():
    made = study(annotators=1, items=1)
    drafted = round_create(project=made.project, purpose="main", overlap=1, member=made.lead)
    round_draw(drafted, member=made.lead)
    Round.objects.filter(pk=drafted.pk).update(suggestions="all", suggestion_run=1, suggestion_model="tiny")
    item = made.items[0]
    Suggestion.objects.create(round=drafted, item=item, type_code="OSP", applicable=False, shown=True)
    drafted.refresh_from_db()
    round_open(drafted, by=made.lead)
    drafted.refresh_from_db()
    assert (drafted.suggestions, drafted.suggested.count()) == ("", 0)


def test_questions_keep_what_was_visible_too():
    made = study("cqs_gen", annotators=1, items=1, questions=2)
    suggesting_round(made, label_run(made, "USE"))
    item, (ann,) = made.items[0], made.annotators
    first, second = item.questions.order_by("position")
    told = suggestion_of(made, item, first)
    row = record(made.round, ann, item, first, USEFUL, seen=Seen(told.pk, taken=True)).row
    assert (row.suggestion_id, row.suggestion_taken) == (told.pk, True)
    with pytest.raises(Refused):
        record(made.round, ann, item, second, USEFUL, seen=Seen(told.pk))
    close(made)


def test_an_erased_text_takes_the_words_of_its_suggestions_with_it():
    made = suggested(study(annotators=1, items=2))
    close(made)
    first, second = made.items
    item_erase(item=first, member=made.lead, typed=first.external_id)
    told = suggestion_of(made, first, "LE")
    assert (told.applicable, told.quote) == (True, "█" * len(WORDS))
    assert suggestion_of(made, second, "LE").applicable is False


def test_a_project_with_suggestions_is_deleted_whole():
    made = suggested(study(annotators=1, items=1))
    (item,), (ann,) = made.items, made.annotators
    record(made.round, ann, item, "LE", NO, seen=Seen(suggestion_of(made, item, "LE").pk))
    close(made)
    project_delete(project=made.project)
    assert not Suggestion.objects.exists()
    assert not TypeAnnotation.objects.exists()
