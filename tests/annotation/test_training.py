"""Training rounds: the key stays secret until the first answer, which counts and locks."""

import pytest

from annotation.importing.staging import ImportReport
from annotation.judging.workspace import recorded_json
from annotation.models import KeyAnswer, Resolution, Round, TypeAnnotation
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from annotation.rounds.training import training_results
from annotation.training.key import key_from_resolutions, key_import
from core.errors import Refused
from tests.annotation.database import refused
from tests.conftest import client_of
from tests.factories import NO, assignment_of, record, study, yes

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")


@pytest.fixture
def made():
    made = study(items=1, annotators=2, slug="school")
    made.round = round_create(
        project=made.project, purpose=Round.Purpose.TRAINING, overlap=2, pass_mark=90, member=made.lead
    )
    round_draw(made.round)
    return made


def key_file(path, rows):
    lines = ["item,type,applicable,start,end,quote,comment", *rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def whole_key(made, tmp_path) -> ImportReport:
    """Key of I-1: LE yes on “library”, all other types no."""
    rows = [f"I-1,{code},no,,,," for code in TYPES if code != "LE"]
    rows.append("I-1,LE,yes,4,11,library,Nobody shows the grades.")
    return key_import(made.round, key_file(tmp_path / "key.csv", rows))


def opened(made, tmp_path):
    whole_key(made, tmp_path)
    round_open(made.round, members=made.annotators, by=made.lead)
    return made


def test_a_training_round_opens_only_with_a_whole_key(made, tmp_path):
    key_import(made.round, key_file(tmp_path / "key.csv", ["I-1,LE,no,,,,"]))
    with pytest.raises(Refused, match="no answer for 9 units, of I-1") as error:
        round_open(made.round, members=made.annotators)
    assert error.value.code == "not_ready"
    assert whole_key(made, tmp_path).counts["new key answers"] == 10
    assert round_open(made.round, members=made.annotators).status == "open"


def test_a_key_that_breaks_a_rule_is_refused_and_the_old_one_stays(made, tmp_path):
    whole_key(made, tmp_path)
    bad = key_file(tmp_path / "bad.csv", ["I-1,LE,yes,4,11,Library,", "I-7,LE,no,,,,", "I-1,TC,no,,,,"])
    report = key_import(made.round, bad)
    assert [entry["place"] for entry in report.refusals] == ["row 2", "row 3"]
    assert KeyAnswer.objects.count() == 10
    assert KeyAnswer.objects.get(type_code="LE").quote == "library"


def test_nothing_of_the_key_is_shown_before_the_first_answer(made, tmp_path):
    opened(made, tmp_path)
    answer = client_of("ann").get("/api/projects/school/rounds/1/units/")
    assert answer.json()["results"][0]["types"] == {}
    assert "Nobody shows" not in answer.content.decode()
    # A decision taken back is stored like any other, and is no answer.
    undecided = record(made.round, made.annotators[0], made.items[0], "LE", None).row
    assert "feedback" not in recorded_json(undecided)
    units = client_of("ann").get("/api/projects/school/rounds/1/units/").json()
    assert "feedback" not in units["results"][0]["types"]["LE"]


def test_the_answer_to_a_decision_brings_what_the_key_says(made, tmp_path):
    opened(made, tmp_path)
    item, ann = made.items[0], made.annotators[0]
    body = {
        "event_id": "e",
        "assignment": assignment_of(made.round, ann, item).pk,
        "type": "LE",
        "base_revision": 0,
        "answer": yes(item, "Everyone's grades fell"),
    }
    client = client_of("ann")
    row = client.post(
        "/api/projects/school/rounds/1/judgements/", body, content_type="application/json"
    ).json()["row"]
    told = {
        "agrees": True,
        "key": {"applicable": True, "start": 4, "end": 11, "quote": "library"},
        "why": "Nobody shows the grades.",
    }
    assert row["feedback"] == told
    types = client.get("/api/projects/school/rounds/1/units/").json()["results"][0]["types"]
    assert types["LE"]["feedback"] == told
    assert set(types) == {"LE"}


def test_the_first_answer_counts_and_is_locked(made, tmp_path):
    opened(made, tmp_path)
    item, ann = made.items[0], made.annotators[0]
    record(made.round, ann, item, "LE", NO, event_id="first")
    for second in (yes(item, "library"), None):
        with pytest.raises(Refused) as error:
            record(made.round, ann, item, "LE", second)
        assert error.value.code == "locked"
    assert TypeAnnotation.objects.get().applicable is False
    assert record(made.round, ann, item, "LE", NO, event_id="first", base_revision=0).replayed


def test_at_the_end_each_annotator_is_measured_by_type_and_passes_or_not(made, tmp_path):
    opened(made, tmp_path)
    item = made.items[0]
    ann, bea = made.annotators
    for code in TYPES:
        record(made.round, ann, item, code, yes(item, "grades") if code == "LE" else NO)
        record(made.round, bea, item, code, NO if code != "TC" else yes(item, "night"))
    by_name = {result.member.pseudonym: result for result in training_results(made.round)}
    assert (by_name["A2"].agreed, by_name["A2"].total, by_name["A2"].passed) == (10, 10, True)
    assert (by_name["A3"].agreed, by_name["A3"].total, by_name["A3"].passed) == (8, 10, False)
    wrong = [score.code for score in by_name["A3"].scores if not score.agreed]
    assert wrong == ["TC", "LE"] or wrong == ["LE", "TC"]
    own = client_of("bea").get("/api/projects/school/rounds/1/training/").json()["results"]
    assert [result["pseudonym"] for result in own] == ["A3"]
    assert (own[0]["agreed"], own[0]["pass_mark"], own[0]["passed"]) == (8, 90, False)
    assert len(client_of("lea").get("/api/projects/school/rounds/1/training/").json()["results"]) == 2


def test_nobody_has_passed_before_all_is_answered(made, tmp_path):
    opened(made, tmp_path)
    record(made.round, made.annotators[0], made.items[0], "TC", NO)
    assert [result.passed for result in training_results(made.round)] == [None, None]


def test_decided_answers_can_become_the_key(made):
    item = made.items[0]
    decided = {"source": "adjudicated", "member": made.lead, "why": "clear", "item": item}
    Resolution.objects.create(type_code="LE", applicable=True, spans=[[20, 24], [4, 11]], **decided)
    Resolution.objects.create(type_code="TC", applicable=False, **decided)
    assert key_from_resolutions(made.round) == 2
    assert KeyAnswer.objects.get(type_code="LE").quote == "library"
    assert KeyAnswer.objects.get(type_code="TC").applicable is False


def test_the_database_freezes_the_key_and_keeps_it_to_training_rounds(made, tmp_path):
    opened(made, tmp_path)
    assert refused(lambda: KeyAnswer.objects.update(why="other"))
    assert "frozen" in refused(lambda: KeyAnswer.objects.all().delete())
    other = round_create(project=made.project)
    round_draw(other)
    answer = {"round": other, "item": made.items[0], "type_code": "LE", "applicable": False}
    assert "draft training round" in refused(lambda: KeyAnswer.objects.create(**answer))


def test_a_pass_mark_belongs_to_training_rounds(made):
    with pytest.raises(Refused, match="belongs to a training round"):
        round_create(project=made.project, pass_mark=70)


def test_a_round_that_is_no_training_gives_no_feedback_and_no_result(made):
    plain = round_create(project=made.project, overlap=2)
    round_draw(plain)
    round_open(plain, members=made.annotators)
    record(plain, made.annotators[0], made.items[0], "LE", NO)
    units = client_of("ann").get("/api/projects/school/rounds/2/units/").json()
    assert "feedback" not in units["results"][0]["types"]["LE"]
    answer = client_of("ann").get("/api/projects/school/rounds/2/training/")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_decisions_on_types_that_the_round_does_not_ask_stay_out_of_the_key(made):
    item = made.items[0]
    decided = {
        "source": "adjudicated",
        "member": made.lead,
        "why": "clear",
        "item": item,
        "applicable": False,
    }
    Resolution.objects.create(type_code="GONE", **decided)
    Resolution.objects.create(type_code="TC", **decided)
    assert key_from_resolutions(made.round, member=made.lead) == 1
    assert KeyAnswer.objects.get().type_code == "TC"
    event = made.project.events.get(action="key taken from decisions")
    assert (event.member, event.details) == (made.lead, {"round": "Round 1", "answers": 1})


def test_neither_an_empty_file_nor_missing_decisions_take_the_key_away(made, tmp_path):
    whole_key(made, tmp_path)
    with pytest.raises(Refused, match=r"empty\.csv has no answers in it"):
        key_import(made.round, key_file(tmp_path / "empty.csv", []))
    bad = key_file(tmp_path / "bad.csv", ["I-7,LE,no,,,,"])
    assert key_import(made.round, bad, skip_invalid=True).stored is False
    with pytest.raises(Refused, match="None of the units of Round 1 is decided"):
        key_from_resolutions(made.round)
    assert KeyAnswer.objects.count() == 10
    assert [event.details for event in made.project.events.filter(action="key imported")] == [
        {"round": "Round 1", "answers": 10}
    ]


@pytest.mark.parametrize(
    ("cells", "place"),
    [
        (",,library,", (4, 11)),
        (",,e,2", (26, 27)),
        (",,e,1", (2, 3)),
        ("4,11,library,1", (4, 11)),
        (",,e,", "occurrence: “e” stands 9 times in the text: write which, 1 for the first"),
        (",,e,99", "occurrence: is 99, and “e” stands 9 times in the text"),
        (",,Library,", "quote: “Library” does not stand in the text"),
        ("0,7,library,1", "occurrence: is at 4 to 11, and not where the offsets say"),
        (",,e,first", "occurrence is 'first', expected a whole number"),
    ],
)
def test_a_span_of_a_key_is_its_words_and_which_of_them(made, tmp_path, cells, place):
    path = tmp_path / "key.csv"
    path.write_text(
        f"item,type,applicable,start,end,quote,occurrence\nI-1,LE,yes,{cells}\n", encoding="utf-8"
    )
    report = key_import(made.round, path)
    if isinstance(place, str):
        assert place in report.refusals[0]["reason"] and not KeyAnswer.objects.exists()
    else:
        key = KeyAnswer.objects.get()
        assert (key.start, key.end) == place and key.quote == made.items[0].text[slice(*place)]
