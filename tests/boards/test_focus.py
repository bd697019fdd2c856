"""A board of types and spans: its score, its trivial rows, and a release without other splits."""

import json

import pytest
from django.test import Client

from boards.life.boards import board_create, board_switch
from boards.life.versions import find_trivial_files, version_create, version_now, version_run
from core.errors import Refused
from scoring.evaluation.evaluate import Choices, evaluate
from scoring.evaluation.sources import benchmark_of_release
from scoring.evaluation.submissions import read_submission
from scoring.systems.storage import release_files
from tests.boards.made import handed_in, team
from tests.factories import close, focus_study, judge, yes
from tests.factories.releases import release

pytestmark = pytest.mark.django_db


def focus_board():
    """Four arguments: LE in both of validation; in the test split one has LE and WE, one nothing."""
    made = focus_study(annotators=3, items=4, slug="talk")
    decided = [{"LE"}, {"LE", "WE"}, {"LE"}, set()]
    for item, types in zip(made.items, decided, strict=True):
        judge(made, item, {code: [yes(item, item.text[:11])] * 3 for code in types})
    close(made)
    built = release(
        made.project,
        withheld=["test"],
        split_by="topic",
        split_names={"topic 1": "validation", "topic 0": "test"},
        agreement=False,
        judgements=False,
    )
    board = board_create(
        project=made.project, name="types", title="Types", entrance="anyone", feedback="full"
    )
    return made, built, board


def test_types_are_ranked_by_micro_f1_beside_answers_that_know_nothing():
    made, built, board = focus_board()
    version = version_create(
        board=board, release=built, split="test", scope="all", replicates=50, by=made.lead
    )
    version_run(version_id=version.pk)
    board_switch(board=board, state="open")
    team(board)
    third, fourth = (made.items[at].external_id for at in (1, 3))
    answer = {
        third: {"fsq_types": ["LE"], "spans": ["Null"]},
        fourth: {"fsq_types": ["None of the Above"], "spans": ["Null"]},
    }
    placing = handed_in(board, answer)
    # Two of the three that are there, and nothing else: 2·2 / (2·2 + 0 + 1).
    assert placing.figures["value"] == pytest.approx(0.8)
    assert placing.figures["labels"]["LE"] == 1
    shown = Client().get("/boards/talk/types/board.json").json()
    none, constant, random = shown["trivial"]
    assert (none["kind"], none["score"]) == ("none_of_the_above", pytest.approx(2 / 5))
    # LE for all, as in validation: one right, one wrong, WE and None missed.
    assert (constant["types"], constant["split"]) == (["LE"], "validation")
    assert constant["score"] == pytest.approx(2 / 5)
    assert (random["kind"], random["seed"]) == ("random_types", 1)
    assert shown["bits"]["labels"] == 20
    page = Client().get("/boards/talk/types/").content.decode()
    assert "None of the Above for all" in page
    assert "the best constant pair of types: LE" in page
    template = json.loads(Client().get("/boards/talk/types/template.json").content)
    assert set(template[third]) == {"argument_id", "argument", "fsq_types", "spans"}
    assert template[third]["fsq_types"] == []


def test_a_trivial_row_is_what_its_file_is_worth():
    made, built, board = focus_board()
    version = version_create(board=board, release=built, split="test", replicates=0, by=made.lead)
    version_run(version_id=version.pk)
    version = version_now(board)
    benchmark = benchmark_of_release(release_files(built), [], split="test")
    files = find_trivial_files(version, internal=False)
    assert list(files) == [row["kind"] for row in version.trivial]
    for row in version.trivial:
        read = read_submission(files[row["kind"]], "x", benchmark, complete=True)
        scores = evaluate(benchmark, [(read, "")], Choices(replicates=0)).scores
        assert scores["figures"]["decided"]["micro"]["f1"]["value"] == row["value"]


def test_a_file_of_types_leaves_no_text_out():
    made, built, board = focus_board()
    version_create(board=board, release=built, split="test", by=made.lead)
    board_switch(board=board, state="open")
    team(board)
    with pytest.raises(Refused) as refused:
        handed_in(board, {made.items[1].external_id: {"fsq_types": ["LE"], "spans": ["Null"]}})
    assert [fault.message for fault in refused.value.faults] == ["is missing"]


def test_what_cannot_rank_is_refused_with_words():
    made, built, board = focus_board()
    for wrong, words in (
        ({"split": "dev"}, "has no split 'dev'"),
        ({"split": "test", "methods": ["chrf"]}, "Leave them out"),
        ({"split": "test", "scope": "some"}, "“decided” or “all”"),
    ):
        with pytest.raises(Refused, match=words):
            version_create(board=board, release=built, by=made.lead, **wrong)
    with pytest.raises(Refused, match="Choose the release and the method"):
        board_switch(board=board, state="open")
