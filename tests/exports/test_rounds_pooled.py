"""Which rounds, items and judgements a release is made from."""

import json

import jsonschema
import pytest
from django.utils import timezone

from annotation.models import Resolution, Round
from annotation.rounds.lifecycle import round_reopen
from exports.selection.parameters import ParameterError
from tests import factories
from tests.factories import UNHELPFUL, USEFUL, close, cqs_study, focus_study, judge, judge_question, yes
from tests.factories.releases import release, released

pytestmark = pytest.mark.django_db


def votes(folder, code="WE", item="I-1"):
    entry = json.loads((folder / "focus.json").read_bytes())[item]
    return next(label["votes"] for label in entry["labels"] if label["code"] == code)


def twice_judged():
    """A study judged in two rounds; in the second, still open, everybody changes "no" to "yes" for WE."""
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {})
    close(made)
    factories.open_round(made)
    judge(made, made.items[0], {"WE": [yes(made.items[0], "grades fell")] * 2})
    return made


def test_each_annotators_latest_judgement_of_a_unit_counts_and_no_other(tmp_path):
    made = twice_judged()
    close(made)
    assert votes(released(made.project, tmp_path / "out")) == {"yes": 2, "no": 0}
    counts = release(made.project).counts
    assert (counts["judgements"], counts["judgements_counted"]) == (40, 20)


def test_an_open_round_and_a_training_round_are_left_out(tmp_path):
    made = twice_judged()
    assert votes(released(made.project, tmp_path / "open")) == {"yes": 0, "no": 2}
    close(made)
    # A training round opens only with a key; what it is for matters here, not how it was made.
    Round.objects.filter(pk=made.round.pk).update(purpose=Round.Purpose.TRAINING)
    assert votes(released(made.project, tmp_path / "training")) == {"yes": 0, "no": 2}


def test_named_rounds_are_pooled_and_no_other(tmp_path):
    made = twice_judged()
    close(made)
    assert votes(released(made.project, tmp_path / "out", rounds=["Round 1"])) == {"yes": 0, "no": 2}


def test_a_round_that_is_open_training_or_unknown_is_refused_by_name():
    made = twice_judged()
    close(made)
    Round.objects.filter(pk=made.round.pk).update(purpose=Round.Purpose.TRAINING)
    with pytest.raises(ParameterError) as open_one:
        release(made.project, rounds=["Round 2", "Round 7"])
    assert open_one.value.problems == (
        "rounds: 'Round 2' is a training round: its judgements were made with feedback",
        "rounds: 'Round 7' is no round of this project",
    )


def test_an_undone_answer_leaves_the_earlier_one_standing(tmp_path):
    made = twice_judged()
    factories.record(made.round, made.annotators[0], made.items[0], "WE", None)
    close(made)
    assert votes(released(made.project, tmp_path / "out")) == {"yes": 1, "no": 1}


def test_judgements_after_a_reopening_count_and_are_marked(tmp_path):
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {})
    close(made)
    made.round = round_reopen(made.round, why="Bea was ill.", by=made.lead)
    factories.record(made.round, made.annotators[1], made.items[0], "WE", yes(made.items[0], "grades fell"))
    close(made)
    assert votes(released(made.project, tmp_path / "out")) == {"yes": 1, "no": 1}
    assert release(made.project).counts["judgements_after_reopening"] == 1


def test_withdrawn_items_and_items_that_no_round_drew_are_left_out(tmp_path):
    made = focus_study(annotators=2, items=3)
    for item in made.items:
        judge(made, item, {})
    close(made)
    made.items[1].withdrawn_at, made.items[1].withdrawn_reason = timezone.now(), "The author asked."
    made.items[1].save()
    factories.add_items(made.project, 1)
    folder = released(made.project, tmp_path / "out")
    assert list(json.loads((folder / "focus.json").read_bytes())) == ["I-1", "I-3"]
    assert release(made.project).counts["items_left_out"] == 1
    assert "I-2" not in (folder / "judgements.csv").read_text()


def test_a_round_of_some_types_replaces_the_judgements_of_these_types_alone(tmp_path):
    made = focus_study(annotators=2, items=1)
    item = made.items[0]
    judge(made, item, {"WE": [yes(item, "grades fell")] * 2})
    close(made)
    factories.open_round(made, types=["LE"])
    for member in made.annotators:
        factories.record(made.round, member, item, "LE", yes(item, "The library"))
    close(made)
    folder = released(made.project, tmp_path / "out")
    assert votes(folder, "LE") == {"yes": 2, "no": 0}
    assert votes(folder, "WE") == {"yes": 2, "no": 0}
    assert votes(folder, "CF") == {"yes": 0, "no": 2}
    rounds = json.loads((folder / "release.json").read_bytes())["rounds"]
    assert [row.get("types") for row in rounds] == [None, ["LE"]]
    assert "| Round 2 (LE only) |" in (folder / "README.md").read_text()


def test_none_of_the_above_follows_from_the_types_that_were_asked(tmp_path):
    made = factories.study("focus", annotators=2, items=1)
    factories.open_round(made, types=["LE", "WE"])
    for member in made.annotators:
        for code in ("LE", "WE"):
            factories.record(made.round, member, made.items[0], code, factories.NO)
    close(made)
    entry = json.loads((released(made.project, tmp_path / "out") / "focus.json").read_bytes())["I-1"]
    assert (entry["fsq_types"], entry["spans"]) == (["None of the Above"], ["Null"])
    assert [(label["code"], label["applicable"]) for label in entry["labels"]] == [
        ("LE", False),
        ("WE", False),
    ]


def test_spans_of_a_type_that_asks_for_none_any_more_are_released_without_a_question(tmp_path):
    made = focus_study(annotators=2, items=1)
    (item,) = made.items
    judge(made, item, {"LE": [yes(item, "grades fell")] * 2})
    close(made)
    first = made.project.codebooks.get()
    changed = json.loads(json.dumps(first.definition))
    next(kind for kind in changed["types"] if kind["code"] == "LE").update(span=False, exemplar=None)
    made.project.codebooks.create(version=2, definition=changed, source=first.source)
    folder = released(made.project, tmp_path / "1", "1")
    assert json.loads((folder / "focus.json").read_text())["I-1"]["labels"][8]["gold_spans"][0]["question"]
    factories.open_round(made)
    judge(made, item, {"LE": [None, None]})
    close(made)
    folder = released(made.project, tmp_path / "2", "2")
    entry = json.loads((folder / "focus.json").read_text())
    (gold,) = entry["I-1"]["labels"][8]["gold_spans"]
    assert (gold["text"], gold["support"], gold["question"]) == ("grades fell", 2, None)
    assert (entry["I-1"]["fsq_types"], entry["I-1"]["spans"]) == (["Lacks Evidence"], ["Null"])
    jsonschema.validate(entry, json.loads((folder / "schemas" / "focus.schema.json").read_text()))


def published_again(answers):
    """A study of questions published as Useful, three of them, judged again with these answers."""
    made = cqs_study(annotators=2, items=1, questions=3)
    for question, given in zip(made.items[0].questions.all(), answers, strict=True):
        Resolution.objects.create(
            item=question.item,
            question=question,
            label="USE",
            source="imported",
            brought_by=question.brought_by,
        )
        judge_question(made, question, given)
    close(made)
    return made


def labels(folder):
    entry = json.loads((folder / "cqs_gen.json").read_bytes())["I-1"]
    return {question["id"]: question["label"] for question in entry["cqs"]}


def test_a_published_label_that_was_judged_again_stands_or_gives_way_as_the_releaser_chooses(tmp_path):
    made = published_again([[UNHELPFUL, UNHELPFUL], [USEFUL, UNHELPFUL], [None, None]])
    useful = dict.fromkeys(("I-1-Q1", "I-1-Q2", "I-1-Q3"), "Useful")
    assert labels(released(made.project, tmp_path / "stand")) == useful
    folder = released(made.project, tmp_path / "votes", "2", published_labels="votes")
    # Two votes that differ decide nothing, and nobody voted on the third.
    assert labels(folder) == {"I-1-Q1": "Unhelpful", "I-1-Q3": "Useful"}
    counts = release(made.project, "2", published_labels="votes").counts
    assert (counts["published_labels"], counts["published_labels_outvoted"]) == (1, 2)
    text = (folder / "README.md").read_text()
    assert "2 labels that were published with an imported file were judged again here" in text
    assert "stands where nobody voted." in text


def test_a_lead_decides_over_votes_and_published_labels_alike(tmp_path):
    made = published_again([[UNHELPFUL, UNHELPFUL], [None, None], [None, None]])
    question = made.items[0].questions.first()
    question.resolutions.update(superseded_at=timezone.now())
    Resolution.objects.create(
        item=question.item, question=question, label="IN", reason="BR", source="adjudicated", why="No.",
        member=made.lead,
    )  # fmt: skip
    folder = released(made.project, tmp_path / "votes", published_labels="votes")
    assert labels(folder)["I-1-Q1"] == "Invalid"
