"""Candidate questions: from schemes and models, kept or dropped, and made in an order that tells nothing."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction

from annotation.importing.items import items_import
from annotation.importing.undo import import_undo
from annotation.models import Import, Item, Question
from assist.asking import llm_client
from assist.candidates.proposals import (
    FORMAT,
    filling_questions,
    is_preselected,
    keep_proposals,
    proposals_collect,
    proposals_decide,
    proposals_near,
    questions_make,
)
from assist.candidates.scheme_file import SHIPPED, read_catalogue
from assist.candidates.schemes import (
    catalogue,
    filling_confirm,
    scheme_questions,
    schemes_of,
    schemes_unknown,
)
from assist.models import AssistRun, ProposedQuestion, Scheme, SchemeFilling
from core.errors import Refused
from tests.assist.asking import asked
from tests.exports.endpoint import saying
from tests.factories import study

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SCHEME = {
    "id": "rain",
    "name": "Argument from Rain",
    "aliases": ["Rain"],
    "slots": ["<eventA>"],
    "form": {"premises": ["<eventA>."], "conclusion": "It is wet."},
    "questions": ["Does <eventA> really happen?"],
}


@pytest.fixture
def made():
    made = study(
        "cqs_gen", annotators=1, items=2, questions=0, texts=("It rains, so roads are wet.", "Taxes fell.")
    )
    project = made.project
    project.items.update(source="US2016", metadata={"schemes": ["CauseToEffect", "Example", "CauseToEffect"]})
    return made


def wrote(made, endpoint, listed, suggested, **given):
    endpoint.otherwise = lambda one: saying(listed if one.prompt.startswith("List") else suggested)
    run = asked(made, endpoint, "questions", sources=[["US2016", ""]], model="meta/Llama-3", **given)
    return run, proposals_collect(run)


def test_the_shipped_catalogue_has_ten_schemes_that_fit_together():
    found = read_catalogue(SHIPPED)
    assert (len(found.schemes), found.refused) == (10, [])


@pytest.mark.parametrize("name", ["sample.json", "validation.json", "test.json"])
def test_each_scheme_of_the_published_interventions_is_known_or_listed(shared_data, tmp_path, name):
    made = study("cqs_gen", annotators=0, items=0)
    items_import(project=made.project, path=shared_data / "cqs_gen" / name, skip_invalid=True)
    unknown = schemes_unknown(made.project)
    assert set(unknown) <= {
        *(
            "Alternatives",
            "Bias",
            "DangerAppeal",
            "FearAppeal",
            "PopularOpinion",
            "PopularPractice",
            "Values",
        ),
    }
    for item in made.project.items.all():
        known = {name for scheme in schemes_of(item, catalogue()) for name in scheme.aliases}
        assert set(item.metadata.get("schemes", [])) <= known | set(unknown)


def test_words_are_joined_to_a_schemes_questions_as_a_span_to_an_exemplar():
    scheme = catalogue()["causetoeffect"]
    words = {"<eventA>": "The rain   falls.", "<eventB>": "roads are wet"}
    assert scheme_questions(scheme, words)[:2] == [
        "How strong is the rule that if the rain falls, then roads are wet?",
        "What evidence shows that the rain falls leads to roads are wet?",
    ]
    assert scheme_questions(scheme, {"<eventA>": "it rains"})[0] == (
        "How strong is the rule that if it rains, then <eventB>?"
    )


def test_a_confirmed_scheme_proposes_its_questions_under_the_published_ids(made):
    item, known = made.items[0], catalogue()
    with pytest.raises(Refused) as refusal:
        filling_confirm(item=item, scheme=known["sign"], slots={"<eventA>": "rain"}, by=made.lead)
    assert list(refusal.value.errors) == ["<eventB>"]
    for name in ("sign", "analogy"):
        slots = dict.fromkeys(known[name].slots, "it rains")
        filling = filling_confirm(item=item, scheme=known[name], slots=slots, by=made.lead)
        rows = filling_questions(filling)
        assert filling_questions(filling) == rows
    ids = [row.external_id for row in item.proposed_questions.order_by("pk")]
    assert ids == [f"{item.external_id}_T__{n}" for n in range(7)]
    assert {row.origin for row in item.proposed_questions.all()} == {"theory"}


def test_a_models_questions_wait_under_the_published_ids(made, endpoint):
    run, n = wrote(made, endpoint, "1. Who says so?\n2. Why?", "- Is it so?", items=["I-1"])
    assert (n, proposals_collect(run)) == (3, 0)
    rows = made.items[0].proposed_questions.order_by("external_id")
    assert [(row.external_id, row.text, row.origin, row.state) for row in rows] == [
        ("I-1_LLM_US2016_D_meta_Llama-3_0_L", "Who says so?", "meta/Llama-3", "waiting"),
        ("I-1_LLM_US2016_D_meta_Llama-3_0_S", "Is it so?", "meta/Llama-3", "waiting"),
        ("I-1_LLM_US2016_D_meta_Llama-3_1_L", "Why?", "meta/Llama-3", "waiting"),
    ]
    assert {one.prompt.split()[0] for one in endpoint.asked} == {"List", "Suggest"}
    assert not Question.objects.exists()


def test_an_answer_without_a_question_is_kept_as_not_usable(made, endpoint):
    run, n = wrote(made, endpoint, "I cannot help with that.", "Who?", items=["I-1"])
    assert n == 1
    assert run.answers.get(variant="L").problem == "no_question"


def test_near_repeats_stand_together_with_one_preselected(made, endpoint):
    wrote(
        made, endpoint, "Is it really true that it rains?\nWho says so?", "Is it really true that it rained?",
        items=["I-1"],
    )  # fmt: skip
    groups = proposals_near(list(made.items[0].proposed_questions.all()))
    assert [[row.text for row in group.proposals] for group in groups] == [
        ["Is it really true that it rains?", "Is it really true that it rained?"],
        ["Who says so?"],
    ]
    assert keep_proposals(project=made.project, which="preselected") == 2
    states = made.items[0].proposed_questions.order_by("pk").values_list("text", "state")
    assert dict(states) == {
        "Is it really true that it rains?": "kept",
        "Is it really true that it rained?": "dropped",
        "Who says so?": "kept",
    }


def test_what_a_lead_keeps_and_edits_becomes_the_items_questions_and_the_rest_stays_on_record(made, endpoint):
    wrote(made, endpoint, "Who?\nWhy?", "When?", items=["I-1"])
    item = made.items[0]
    who, why, when = (item.proposed_questions.get(text=text) for text in ("Who?", "Why?", "When?"))
    with pytest.raises(Refused) as refusal:
        proposals_decide(item=item, decisions={who.pk: ("kept", "x" * 9_000), 99: ("kept", "")}, by=made.lead)
    assert set(refusal.value.errors) == {str(who.pk), "99"}
    proposals_decide(
        item=item,
        decisions={who.pk: ("kept", "Who says so?"), why.pk: ("dropped", ""), when.pk: ("kept", "")},
        by=made.lead,
    )
    assert questions_make(project=made.project, seed=1, by=made.lead) == 2
    rows = Question.objects.filter(item=item).order_by("position")
    assert {(row.text, row.origin) for row in rows} == {
        ("Who says so?", "meta/Llama-3"),
        ("When?", "meta/Llama-3"),
    }
    assert [row.position for row in rows] == [1, 2]
    assert questions_make(project=made.project, seed=1, by=made.lead) == 0
    assert item.proposed_questions.get(pk=why.pk).state == "dropped"
    with pytest.raises(Refused, match="stays as it is"):
        proposals_decide(item=item, decisions={who.pk: ("dropped", "")}, by=made.lead)
    with pytest.raises(IntegrityError), transaction.atomic():
        ProposedQuestion.objects.filter(pk=who.pk).update(text="Other?")


def test_the_order_of_the_questions_does_not_give_away_where_they_are_from(made, endpoint):
    """Made in two goes, over many items, with fixed seeds: either origin stands first about as often."""
    project, known = made.project, catalogue()
    made.project.items.update(metadata={})
    first = [0, 0]
    for seed in range(40):
        item = project.items.create(
            external_id=f"X-{seed}", text="It rains.", text_length=9, brought_by=made.items[0].brought_by
        )
        slots = dict.fromkeys(known["sign"].slots, "it rains")
        filling_questions(filling_confirm(item=item, scheme=known["sign"], slots=slots))
        keep_proposals(project=project, items=[item.pk])
        questions_make(project=project, items=[item.pk], seed=seed)
        for n in range(3):
            ProposedQuestion.objects.create(
                item=item, external_id=f"m-{n}", origin="tiny", text=f"Model question {n}?", state="kept"
            )
        assert questions_make(project=project, items=[item.pk], seed=seed) == 3
        rows = list(Question.objects.filter(item=item).order_by("position"))
        assert [row.position for row in rows] == [1, 2, 3, 4, 5, 6]
        first[rows[0].origin == "theory"] += 1
    assert min(first) >= 10, first


def test_the_words_that_a_model_proposes_for_a_scheme_wait_for_a_person(made, endpoint):
    endpoint.otherwise = saying('{"eventA": "It rains", "eventB": "streets are wet"}')
    run = asked(made, endpoint, "slots", sources=[["US2016", ""]], items=["I-1"])
    assert {row.variant: row.problem for row in run.answers.all()} == {
        "cause_to_effect": "",
        "example": "no_such_slot",
    }
    assert (proposals_collect(run), proposals_collect(run)) == (1, 0)
    filling = SchemeFilling.objects.get()
    assert filling.answer.found["not_in_text"] == ["<eventB>"]
    with pytest.raises(Refused, match="Confirm the words"):
        filling_questions(filling)
    confirmed = filling_confirm(
        item=filling.item, scheme=filling.scheme, slots=filling.slots, by=made.lead, proposed=filling
    )
    assert len(filling_questions(confirmed)) == 3


def schemes(tmp_path, rows, name="schemes.jsonl"):
    path = tmp_path / name
    path.write_text(rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows)), "utf-8")
    return str(path)


def test_a_catalogue_is_read_from_both_forms_and_a_known_id_takes_the_new_words(tmp_path, capsys):
    call_command("import_schemes", schemes(tmp_path, [SCHEME]))
    assert "1 schemes: 1 new" in capsys.readouterr().out
    toml = (
        '[[schemes]]\nid = "rain"\nname = "Rain"\nslots = ["<eventA>"]\nquestions = ["Does <eventA>?"]\n'
        'form.premises = []\nform.conclusion = "It is wet."\n'
    )
    call_command("import_schemes", schemes(tmp_path, toml, "schemes.toml"))
    assert "0 new, 1 changed" in capsys.readouterr().out
    assert Scheme.objects.get(code="rain").name == "Rain"
    call_command("import_schemes")
    assert Scheme.objects.count() == 11


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"questions": []}, "a scheme needs slots and questions"),
        ({"questions": ["Does <eventB>?"]}, "<eventB> is not among the slots"),
        ({"slots": ["eventA"]}, "eventA is no slot: write it as <eventA>"),
        ({"name": ""}, "name is missing"),
        ({"form": {"premises": []}}, "form needs premises and a conclusion"),
        ({"colour": "red"}, "colour is no part of a scheme"),
        ({"id": "b", "aliases": ["Sun"]}, "the name sun is that of another scheme"),
    ],
)
def test_a_row_that_is_no_scheme_is_refused_and_nothing_is_stored(tmp_path, capsys, change, reason):
    sun = {**SCHEME, "id": "sun", "name": "Sun", "aliases": []}
    with pytest.raises(CommandError, match="nothing was stored") as refused:
        call_command("import_schemes", schemes(tmp_path, [sun, {**SCHEME, **change}]))
    assert refused.value.returncode == 2
    assert f"line 2: {reason}" in capsys.readouterr().err
    assert not Scheme.objects.exists()


@pytest.mark.parametrize("task", ["questions", "slots"])
def test_questions_are_made_from_the_command_line_without_the_page(made, endpoint, capsys, monkeypatch, task):
    monkeypatch.setattr(llm_client.Pause, "wait", lambda self: None)
    endpoint.otherwise = (
        saying("Who?\nWhy?")
        if task == "questions"
        else lambda one: saying(
            '{"eventA": "It rains", "eventB": "wet"}'
            if "eventA" in one.prompt
            else '{"subjectA": "it", "featB": "rain", "featC": "wet"}'
        )
    )
    arguments = [made.project.slug, f"--task={task}", "--model=m", "--sources", "US2016", "--keep", "all"]
    call_command("generate_questions", *arguments)
    out = capsys.readouterr().out
    # Both prompts give the same two questions, which are made once; schemes have three and four.
    assert f"{'8 kept, 4' if task == 'questions' else '14 kept, 14'} questions made" in out
    call_command("generate_questions", *arguments)
    assert "0 kept, 0 questions made" in capsys.readouterr().out
    assert AssistRun.objects.first().requests == 0
    assert Import.objects.filter(format=FORMAT).count() == 1
    if task == "questions":
        return
    assert set(Question.objects.values_list("origin", flat=True)) == {"theory"}


def test_a_task_that_writes_no_questions_is_refused(made, endpoint):
    with pytest.raises(CommandError, match="context proposes no questions"):
        call_command("generate_questions", made.project.slug, "--task=context", "--model=m")


def test_what_a_person_decided_of_near_repeats_is_ticked_as_they_decided(made, endpoint):
    wrote(made, endpoint, "Who says that it rains here?\nWho says that it rains there?", "Why?")
    rows = list(ProposedQuestion.objects.filter(item=made.items[0], external_id__endswith="_L"))
    assert [one.state for one in rows] == ["waiting", "waiting"]

    def ticked():
        [group] = [
            g for g in proposals_near(ProposedQuestion.objects.filter(pk__in=[r.pk for r in rows])) if g
        ]
        return sorted(row.pk for row in group.proposals if is_preselected(row, group))

    assert ticked() == [rows[0].pk]
    proposals_decide(item=made.items[0], decisions={row.pk: ("kept", "") for row in rows})
    assert ticked() == [row.pk for row in rows]
    proposals_decide(item=made.items[0], decisions={rows[0].pk: ("dropped", ""), rows[1].pk: ("dropped", "")})
    assert ticked() == []


def test_an_import_that_a_model_was_asked_about_is_not_taken_back(made, endpoint):
    wrote(made, endpoint, "Who says that?", "Why?")
    [brought] = Import.objects.filter(items__in=made.items).distinct()
    with pytest.raises(Refused, match="a language model was asked about its items"):
        import_undo(brought)
    keep_proposals(project=made.project)
    questions_make(project=made.project)
    with pytest.raises(Refused, match="cannot be undone"):
        import_undo(Import.objects.get(format=FORMAT))
    assert (Item.objects.count(), Question.objects.count()) == (2, 4)
    assert set(Import.objects.values_list("state", flat=True)) == {"done"}
