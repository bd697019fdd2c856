"""What people make of systems' questions: matched or labelled, and what that is worth."""

import json
import re
from html import unescape

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Question, Resolution, Round
from annotation.rounds.lifecycle import round_close
from annotation.rounds.opening import round_open
from core.errors import Refused
from exports.models import Release
from scoring.figures.matching import UNDECIDED, question_scores
from scoring.figures.people import Outcome, Vote, match_by_people, match_by_reference, outcome_of
from scoring.models import Candidate, Evaluation
from scoring.systems.evaluations import can_score_again
from scoring.systems.matching_rounds import matching_make
from scoring.systems.new_references import references_add
from scoring.systems.storage import release_files
from tests.annotation.database import refused
from tests.conftest import client_of
from tests.factories import Study, record
from tests.factories.releases import release as build
from tests.scoring.systems import (
    focus_release,
    handed_in,
    questions,
    questions_release,
    scored,
    submitted,
)

LABELS = ["Useful", "Invalid", "Unhelpful"]


@pytest.mark.parametrize(
    ("votes", "outcome", "by_reference", "by_people"),
    [
        ([Vote(0), Vote(0)], Outcome(True, 0), "Useful", "Useful"),
        ([Vote(1), Vote(1), Vote(None, "Useful")], Outcome(True, 1), "Invalid", "Invalid"),
        ([Vote(0), Vote(1)], Outcome(None), UNDECIDED, UNDECIDED),
        ([Vote(0), Vote(None, "Useful")], Outcome(None), UNDECIDED, UNDECIDED),
        (
            [Vote(None, "Useful"), Vote(None, "Useful")],
            Outcome(False, None, "Useful"),
            "not_able_to_evaluate",
            "Useful",
        ),
        (
            [Vote(None, "Useful"), Vote(None, "Invalid")],
            Outcome(False),
            "not_able_to_evaluate",
            UNDECIDED,
        ),
        (
            [Vote(2), Vote(None, "Invalid"), Vote(None, "Invalid")],
            Outcome(False, None, "Invalid"),
            "not_able_to_evaluate",
            "Invalid",
        ),
        ([], Outcome(None), UNDECIDED, UNDECIDED),
    ],
)
def test_the_majority_decides_first_the_reference_then_the_label(votes, outcome, by_reference, by_people):
    assert outcome_of(votes) == outcome
    assert match_by_reference(outcome, LABELS).label == by_reference
    assert match_by_people(outcome, LABELS).label == by_people


def test_a_reference_of_the_system_itself_decides_nothing():
    outcome = Outcome(True, 0)
    assert match_by_people(outcome, LABELS, left_out={0}).label == UNDECIDED
    assert match_by_people(outcome, LABELS, left_out={1}).reference == 0
    assert match_by_people(None, LABELS).label == UNDECIDED


def test_what_is_undecided_is_not_scored():
    scores = question_scores(
        {"a": ["Useful", UNDECIDED, "Invalid"], "b": [UNDECIDED] * 3, "c": ["Useful"]},
        ["a", "b", "c"],
        replicates=0,
    )
    assert scores.score.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert scores.score.n == 2
    assert scores.distribution == {"0": 0, "1/3": 1, "2/3": 0, "1": 0}


pytestmark = [pytest.mark.django_db(transaction=False), pytest.mark.database]

SAME, OTHER, NEW = "Were there any other reasons?", "How long did the year last?", "Who counted the sales?"


@pytest.fixture
def released(db, tmp_path, settings) -> tuple[Study, Release]:
    settings.SENTENCE_ENCODER = ""
    return questions_release()


def two_systems(made: Study, release: Release) -> Round:
    """Match the questions of two systems, of which one is the same in both."""
    one = submitted(made, release, questions(SAME, OTHER), name="Parrot")
    two = submitted(made, release, questions(SAME.upper(), NEW), name="Owl")
    return matching_make(submissions=[one, two], overlap=1, by=made.lead).round


def judged(made: Study, round: Round, answers: dict[str, dict]) -> None:
    """Open the round, give the first annotator's answers, and close it."""
    (annotator,) = made.annotators[:1]
    round_open(round, members=[annotator], by=made.lead)
    for text, answer in answers.items():
        question = Question.objects.get(round_questions__round=round, text=text)
        record(round, annotator, question.item, question, answer)
    round_close(round)


def picked(round: Round, place: int) -> dict:
    return {"label": "REF", "reference": round.match_references.get(item__external_id="I-1", place=place).pk}


def test_identical_questions_are_asked_once_and_nothing_says_whose_they_are(released):
    made, release = released
    round = two_systems(made, release)
    asked = Question.objects.filter(round_questions__round=round)
    assert sorted(asked.values_list("text", flat=True)) == sorted([SAME, OTHER, NEW])
    assert set(asked.values_list("origin", "candidate")) == {("", True)}
    sources = Candidate.objects.filter(question__text=SAME).values_list("submission__system__name", "number")
    assert sorted(sources) == [("Owl", 1), ("Parrot", 1)]
    assert round.match_references.filter(item__external_id="I-1").count() == 3
    assert "Parrot" not in json.dumps(round.draw) + round.name


def test_people_label_what_a_system_asks(released):
    made, release = released
    round = two_systems(made, release)
    answers = {SAME: picked(round, 0), OTHER: {"label": "USE"}, NEW: {"label": "UN", "comment": "So what?"}}
    judged(made, round, answers)
    parrot = made.project.systems.get(name="Parrot").submissions.get()
    by_reference = scored(parrot, methods=["human_reference"])
    assert by_reference.state == Evaluation.State.DONE, by_reference.error
    assert by_reference.figures["figures"]["labels"] == {
        "Useful": 1,
        "Unhelpful": 0,
        "Invalid": 0,
        "not_able_to_evaluate": 1,
    }
    assert by_reference.figures["figures"]["score"]["value"] == pytest.approx(1 / 6)
    by_people = scored(parrot, methods=["human"])
    assert by_people.figures["figures"]["score"]["value"] == pytest.approx(2 / 6)
    assert by_people.figures["figures"]["nae"] == 0
    assert by_people.parameters["people"]["rounds"] == [round.number]
    owl = made.project.systems.get(name="Owl").submissions.get()
    assert scored(owl, methods=["human"]).figures["figures"]["score"]["value"] == pytest.approx(1 / 6)
    rows = by_people.answers.order_by("place").values_list("label", "is_right", "references")
    assert [(label, right) for label, right, _ in rows] == [("Useful", True), ("Useful", True)]
    assert rows[0][2]["best"]["words"] == "Were there other reasons for the good year?"


def test_a_decision_of_a_lead_wins_and_scoring_again_is_offered(released):
    made, release = released
    round = two_systems(made, release)
    judged(made, round, {SAME: {"label": "USE"}, OTHER: {"label": "USE"}, NEW: {"label": "USE"}})
    parrot = made.project.systems.get(name="Parrot").submissions.get()
    before = scored(parrot, methods=["human"])
    assert not can_score_again(before)
    question = Question.objects.get(text=SAME, candidate=True)
    Resolution.objects.create(
        item=question.item,
        question=question,
        label="REF",
        reference=round.match_references.get(item=question.item, place=1),
        source="adjudicated",
        why="The same but for a word.",
        member=made.lead,
    )
    assert can_score_again(before)
    after = scored(parrot, methods=["human"])
    assert after.pk != before.pk
    assert after.figures["figures"]["labels"]["Invalid"] == 1
    before.refresh_from_db()
    assert before.figures["figures"]["labels"]["Invalid"] == 0


def test_without_a_closed_round_there_is_nothing_to_score_by(released):
    made, release = released
    two_systems(made, release)
    parrot = made.project.systems.get(name="Parrot").submissions.get()
    with pytest.raises(Refused, match="make a matching round"):
        scored(parrot, methods=["human"])


def test_a_round_is_made_of_submissions_for_one_release(released):
    made, release = released
    other_made, other = questions_release(slug="other")
    one = submitted(made, release, questions(SAME))
    two = submitted(other_made, other, questions(SAME))
    with pytest.raises(Refused, match="for one release"):
        matching_make(submissions=[one, two])
    with pytest.raises(Refused, match="at least one"):
        matching_make(submissions=[])
    assert not Round.objects.filter(matching=True).exists()


def test_candidates_do_not_leak_into_the_next_release(released):
    made, release = released
    round = two_systems(made, release)
    judged(made, round, {SAME: {"label": "USE"}, OTHER: {"label": "USE"}, NEW: {"label": "USE"}})
    again = build(made.project)
    assert again.digest == release.digest


def test_where_candidates_are_from_is_kept(released):
    made, release = released
    round = two_systems(made, release)
    judged(made, round, {})
    assert "frozen" in refused(lambda: Candidate.objects.all().delete())
    assert "stays" in refused(lambda: Candidate.objects.update(run=2))
    owl = made.project.systems.get(name="Owl").submissions.get()
    question = Question.objects.get(text=OTHER, candidate=True)
    assert "draft matching round" in refused(
        lambda: Candidate.objects.create(question=question, submission=owl, run=1, number=3)
    )


def test_the_commands_make_the_round_and_score_by_it(released, capsys, tmp_path):
    made, release = released
    submitted(made, release, questions(SAME, OTHER), name="Parrot")
    call_command("match_submissions", made.project.slug, release.version, "--overlap", "1")
    said = capsys.readouterr().out
    assert "Matching 1" in said
    assert "2 questions of 2 of 1 system, identical ones once" in said
    round = made.project.rounds.get(matching=True)
    judged(made, round, {SAME: picked(round, 0), OTHER: {"label": "IN", "reason": "NC"}})
    path = tmp_path / "run.json"
    path.write_bytes(handed_in(questions(SAME, OTHER))[0].data)
    words = [made.project.slug, release.version, str(path), "--method", "human", "--json"]
    call_command("score", *words, "--replicates", "0")
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == {"name": "human", "threshold": None}
    assert found["figures"]["labels"]["Invalid"] == 1
    assert found["figures"]["undecided"] == 0
    with pytest.raises(CommandError, match="no submission for this release; there is: Parrot"):
        call_command("match_submissions", made.project.slug, release.version, "Nobody")


def test_new_questions_become_references_of_the_next_release_and_keep_whose_they_are(released):
    made, release = released
    round = two_systems(made, release)
    with pytest.raises(Refused, match="that is closed"):
        references_add(round=round, by=made.lead)
    judged(
        made, round, {SAME: {"label": "USE"}, OTHER: picked(round, 0), NEW: {"label": "IN", "reason": "NC"}}
    )
    owl = made.project.systems.get(name="Owl").submissions.get()
    before = scored(owl, methods=["human"])
    assert references_add(round=round, by=made.lead) == 2
    with pytest.raises(Refused, match="no new question"):
        references_add(round=round, by=made.lead)
    both = Question.objects.get(text=SAME)
    assert (both.candidate, both.origin.split("\n")) == (False, ["Owl", "Parrot"])
    again = build(made.project, version="1.1")
    files = release_files(again)
    found = {one["cq"]: one for one in json.loads(files.read("cqs_gen.json"))["I-1"]["cqs"]}
    assert found[SAME]["label"] == "Useful"
    assert found[NEW]["label"] == "Invalid"
    assert OTHER not in found
    assert Resolution.objects.get(question__text=NEW).reason == "NC"
    own = {one["cq"] for one in json.loads(files.read("internal/submissions/Owl.json"))["I-1"]["cqs"]}
    assert own == {SAME, NEW}
    # Its own questions are no references where it is scored, and those of another system are.
    assert labels_of(made, again, "Owl", NEW) == ["not_able_to_evaluate"]
    assert labels_of(made, again, "Third", NEW) == ["Invalid"]
    assert labels_of(made, again, "Parrot", SAME) == ["not_able_to_evaluate"]
    # What was scored before rests on the same decisions.
    assert not can_score_again(before)


def labels_of(made: Study, release: Release, system: str, text: str) -> list[str]:
    found = scored(submitted(made, release, questions(text), name=system), methods=["exact"])
    return list(found.answers.values_list("label", flat=True))


class TestPages:
    def test_a_lead_makes_the_round_and_reads_what_it_came_to(self, lead_client, released, monkeypatch):
        made, release = released
        sent = []
        monkeypatch.setattr("scoring.tasks.evaluate_submission.delay", sent.append)
        slug = made.project.slug
        assert "No system has handed in" in said(lead_client.get(f"/p/{slug}/systems/matching/"))
        one = submitted(made, release, questions(SAME, OTHER), name="Parrot")
        two = submitted(made, release, questions(SAME, NEW), name="Owl")
        wrong = lead_client.post(f"/p/{slug}/systems/matching/", {"overlap": "1", "seed": "0"})
        assert "Choose at least one submission." in said(wrong)
        given = {"submissions": [one.pk, two.pk], "overlap": "1", "seed": "4", "name": ""}
        made_of = lead_client.post(f"/p/{slug}/systems/matching/", given, follow=True)
        assert "3 questions are asked, of 4 handed in" in said(made_of)
        assert "the questions of systems, identical ones once" in said(made_of)
        assert "Draw other items" not in said(made_of)
        round = made.project.rounds.get(matching=True)
        assert round.seed == 4
        answers = {SAME: picked(round, 0), OTHER: {"label": "USE"}, NEW: {"label": "UN", "comment": "So?"}}
        judged(made, round, answers)
        shown = lead_client.get(f"/p/{slug}/rounds/{round.number}/")
        assert "Make references of 2 new questions" in said(shown)
        assert [(str(words), n) for words, n in shown.context["matching"].outcomes] == [
            ("ask the same as a reference", 1),
            ("new and useful", 1),
            ("new and unhelpful", 1),
        ]
        lead_client.post(f"/p/{slug}/rounds/{round.number}/matching/score/")
        assert Evaluation.objects.filter(method__in=["human", "human_reference"]).count() == 4
        lead_client.post(f"/p/{slug}/rounds/{round.number}/matching/references/")
        assert Question.objects.filter(candidate=True).count() == 1

    def test_the_page_of_an_evaluation_says_which_rounds_it_rests_on(self, lead_client, released):
        made, release = released
        round = two_systems(made, release)
        judged(made, round, {SAME: picked(round, 0), NEW: {"label": "USE"}})
        parrot = made.project.systems.get(name="Parrot").submissions.get()
        found = scored(parrot, methods=["human"])
        assert found.figures["figures"]["undecided"] == 1
        address = f"/p/{made.project.slug}/evaluations/{found.pk}/"
        shown = said(lead_client.get(address))
        assert "1 not decided by people, and not scored" in shown
        assert f"Matching rounds {round.number}" in shown
        assert "people have not decided" in said(lead_client.get(f"{address}answers/"))

    def test_nobody_but_leads_learns_whose_questions_they_are(self, released):
        made, release = released
        round = two_systems(made, release)
        round_open(round, members=made.annotators[:1], by=made.lead)
        ann, slug = client_of("ann"), made.project.slug
        for address in (
            f"/p/{slug}/systems/matching/",
            f"/p/{slug}/systems/",
            f"/p/{slug}/rounds/{round.number}/",
        ):
            assert ann.get(address).status_code == 403, address
        for address in (
            f"/p/{slug}/rounds/{round.number}/matching/score/",
            f"/p/{slug}/rounds/{round.number}/matching/references/",
        ):
            assert ann.post(address).status_code == 403, address
        api = f"/api/projects/{slug}/rounds/{round.number}"
        read = [
            ann.get(address)
            for address in (
                f"/p/{slug}/",
                f"/p/{slug}/rounds/{round.number}/work/",
                f"/p/{slug}/rounds/{round.number}/mine/",
                f"{api}/workspace/",
                f"{api}/units/",
            )
        ]
        question = Question.objects.get(round_questions__round=round, text=OTHER)
        assignment = round.assignments.get(item=question.item)
        event = {
            "event_id": "e-1",
            "assignment": assignment.pk,
            "question": question.pk,
            "base_revision": 0,
            "answer": picked(round, 2),
        }
        recorded = ann.post(f"{api}/judgements/", event, content_type="application/json")
        assert recorded.json()["row"]["reference"] == event["answer"]["reference"]
        for response in (*read, recorded):
            assert response.status_code == 200, response.request["PATH_INFO"]
            for private in ("Parrot", "Owl", '"place"', "left_out", '"origin"'):
                assert private not in response.content.decode(), (response.request["PATH_INFO"], private)

    def test_types_are_not_matched(self, lead_client):
        made, _ = focus_release()
        assert lead_client.get(f"/p/{made.project.slug}/systems/matching/").status_code == 404


def said(response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_the_table_of_thresholds_compares_with_people_who_matched_the_same_questions(released):
    made, release = released
    round = two_systems(made, release)
    parrot = made.project.systems.get(name="Parrot").submissions.get()
    before = scored(parrot, methods=["chrf"])
    assert {row["kappa"]["n"] for row in before.figures["thresholds"]} == {0}
    assert "people" not in before.parameters
    judged(made, round, {SAME: picked(round, 0), OTHER: {"label": "USE"}, NEW: {"label": "USE"}})
    assert can_score_again(before)
    after = scored(parrot, methods=["chrf"])
    assert after.pk != before.pk
    assert after.parameters["people"]["rounds"] == [round.number]
    rows = {row["threshold"]: row for row in after.figures["thresholds"]}
    assert {row["kappa"]["n"] for row in rows.values()} == {2}
    # Above 0 both have the label of their nearest reference; above 95 neither has one.
    assert rows[95.0]["nae"] == 2
    assert (rows[95.0]["kappa"]["value"], rows[95.0]["kappa_without_nae"]["n"]) == (0.0, 0)
    assert after.figures["figures"] == before.figures["figures"]
    assert not can_score_again(after)


def test_a_matching_round_is_made_over_the_api(released, lead_client):
    made, release = released
    submitted(made, release, questions(SAME, OTHER), name="Parrot")
    address = f"/api/projects/{made.project.slug}/releases/1.0/matching-rounds/"
    sent = lead_client.post(address, {"systems": ["Parrot"], "overlap": 1}, content_type="application/json")
    assert sent.status_code == 201, sent.content
    told = sent.json()
    assert (told["asked"], told["handed_in"], told["without"]) == (2, 2, 0)
    round = told["round"]
    assert (round["matching"], round["overlap"], round["status"]) == (True, 1, "draft")
    assert made.project.rounds.get(number=round["number"]).matching
    away = lead_client.post(address, {"systems": ["Owl"]}, content_type="application/json")
    assert away.status_code == 422
    assert away.json()["message"] == "Owl: no submission for this release; there is: Parrot."
    ann = client_of(made.annotators[0].user)
    assert ann.post(address, {}, content_type="application/json").status_code == 403
