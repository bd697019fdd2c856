"""The stored figures of a report against other libraries, and the change against the round before."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agreement.api.reports import _change_json
from agreement.computation import crosscheck_rouge
from agreement.computation.compute import report_compute
from agreement.computation.crosscheck import crosscheck_sweep, report_crosscheck, result_of
from agreement.computation.requests import report_request
from agreement.display.tables import crosscheck_table
from agreement.models import AgreementReport
from agreement.report.comparison import rounds_conditions
from agreement.report.figures import (
    ChangeFigures,
    ConditionsFigures,
    CrosscheckFigures,
    FirstRoundFigures,
    ShownChange,
)
from annotation.models import TypeAnnotation
from core.jobs import LEASE
from tests.declared import drift
from tests.factories.stored import (
    close_stored,
    store_answers,
    store_items,
    store_members,
    store_project,
    store_round,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "Everyone knows that buses are late."


def round_judged(project, items, members, answers, **fields):
    """Answers for OG, one word an annotator, a letter an item: y, n or - for not judged."""
    round = store_round(project, items, **fields)
    for member, word in zip(members, answers, strict=True):
        for item, letter in zip(items, word, strict=True):
            if letter != "-":
                store_answers(round, item, member, {"OG": (0, 8) if letter == "y" else False})
    return close_stored(round)


def computed(round):
    report = report_request(round=round, parameters={"replicates": 200})
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    return report


@pytest.fixture
def study():
    project = store_project()
    items = list(store_items(project, {f"i{n}": TEXT for n in range(6)}).values())
    return project, items, list(store_members(project, ["A1", "A2", "A3"]).values())


def test_a_report_of_complete_judgements_is_checked_by_both_libraries(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnnn", "ynnnyy"]))
    assert report_crosscheck(report_id=report.id) == "agrees"
    report.refresh_from_db()
    assert report.crosscheck_result["libraries"] == ["krippendorff", "rouge-score", "statsmodels"]
    assert report.crosscheck_result["checked"] == report.crosscheck_result["due"] > 0


def test_missing_judgements_are_checked_in_part_and_the_report_says_why(study):
    report = computed(round_judged(*study, ["yynnyn", "yynn--", "ynnnyy"]))
    assert report_crosscheck(report_id=report.id) == "partly"
    report.refresh_from_db()
    result = report.crosscheck_result
    assert list(result["why_not"]) == [
        "no independent implementation at hand for items with different numbers of ratings",
        "statsmodels needs equally many ratings of every item: "
        "checked on the items with the most common number",
    ]
    rows = {row["name"]: row for row in crosscheck_table(result)}
    found = {
        name: (row["library"], row["checked"], row["subset"], row["not_checked"])
        for name, row in rows.items()
    }
    assert found["Observed agreement (p_a)"] == ("statsmodels", 0, 3, 0)
    assert found["Cohen's kappa, pair by pair"] == ("statsmodels", 9, 0, 0)
    assert found["Krippendorff's alpha"] == ("krippendorff", 3, 0, 0)
    assert found["FOCUS score"] == ("", 0, 0, 3)


def test_rouge_is_checked_by_its_package_and_a_wrong_mean_is_found(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnyn", "ynnnyy"]))
    figures = report.figures
    section = next(entry for entry in figures["sections"] if entry["key"] == "type:OG")
    assert section["spans"]["similarity"]["rouge1"]["n_pairs"] == 7
    section["spans"]["similarity"]["rougeL"]["value"] -= 1e-6
    AgreementReport.objects.filter(id=report.id).update(figures=figures)
    assert report_crosscheck(report_id=report.id) == "differs"
    report.refresh_from_db()
    (found,) = report.crosscheck_result["differs"]
    assert (found["section"], found["name"], found["theirs"]) == ("type:OG", "rougeL", 1)
    rows = {row["name"]: row for row in crosscheck_table(report.crosscheck_result)}
    assert (rows["ROUGE-1 F"]["checked"], rows["ROUGE-L F"]["checked"], rows["ROUGE-L F"]["differs"]) == (
        3,
        2,
        1,
    )


def test_too_many_pairs_of_spans_are_not_checked_and_the_report_says_so(study, monkeypatch):
    report = computed(round_judged(*study, ["yynnyn", "yynnyn", "ynnnyy"]))
    monkeypatch.setattr(crosscheck_rouge, "PAIRS_LIMIT", 6)
    assert report_crosscheck(report_id=report.id) == "partly"
    report.refresh_from_db()
    assert list(report.crosscheck_result["why_not"]) == [
        "more than 20,000 pairs of spans are too many for rouge-score"
    ]


def test_a_stored_figure_that_is_wrong_is_found(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnnn", "ynnnyy"]))
    figures = report.figures
    section = next(entry for entry in figures["sections"] if entry["key"] == "type:OG")
    section["estimates"]["krippendorff_alpha"]["value"] += 1e-6
    AgreementReport.objects.filter(id=report.id).update(figures=figures)
    assert report_crosscheck(report_id=report.id) == "differs"
    report.refresh_from_db()
    (found,) = report.crosscheck_result["differs"]
    assert (found["section"], found["name"]) == ("type:OG", "krippendorff_alpha")


def test_judgements_that_changed_since_are_not_compared(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnnn", "ynnnyy"]))
    TypeAnnotation.objects.filter(applicable=False).update(active_seconds=99)
    assert report_crosscheck(report_id=report.id) == "unchecked"
    report.refresh_from_db()
    assert "changed since" in report.crosscheck_result["why"]


def test_a_lost_check_is_found_again_and_a_made_one_is_not_repeated(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnnn", "ynnnyy"]))
    assert crosscheck_sweep() == []
    AgreementReport.objects.update(computed_at="2020-01-01T00:00Z")
    assert crosscheck_sweep() == [report.id]
    report_crosscheck(report_id=report.id)
    assert crosscheck_sweep() == []
    assert report_crosscheck(report_id=report.id) == ""


def test_a_check_whose_worker_died_is_made_by_another_after_a_minute_and_one_at_work_is_left_alone(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnnn", "ynnnyy"]))
    row = AgreementReport.objects.filter(id=report.id)
    row.update(computed_at="2020-01-01T00:00Z", lease_token="x", lease_until=timezone.now() + LEASE)
    assert (crosscheck_sweep(), report_crosscheck(report_id=report.id)) == ([], "")
    row.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert crosscheck_sweep() == [report.id]
    assert report_crosscheck(report_id=report.id) == "agrees"
    report.refresh_from_db()
    assert (report.state, report.lease_until, report.crosscheck) == ("done", None, "agrees")
    assert drift(report.crosscheck_result, CrosscheckFigures) == []
    assert set(report.crosscheck_result) == set(CrosscheckFigures.__annotations__) - {"why"}


def test_a_stored_section_reads_back_as_the_result_it_was(study):
    report = computed(round_judged(*study, ["yynnyn", "yynnnn", "ynnnyy"]))
    section = next(entry for entry in report.figures["sections"] if entry["key"] == "type:OG")
    result = result_of(section)
    assert result.estimates["pabak"].value == section["estimates"]["pabak"]["value"]
    assert [(pair.first, pair.second, pair.n_common) for pair in result.pairs] == [
        (0, 1, 6),
        (0, 2, 6),
        (1, 2, 6),
    ]


def test_the_change_against_the_round_before_has_its_interval(study):
    project, items, members = study
    first = round_judged(project, items, members, ["yynnyn", "nnnnyy", "ynnnyy"])
    second = round_judged(project, items, members, ["yynnyn", "yynnyn", "yynnyn"])
    before, after = computed(first), computed(second)
    assert before.change == {}
    change = after.change["sections"]["type:OG"]
    alphas = [
        next(s for s in report.figures["sections"] if s["key"] == "type:OG")["estimates"][
            "krippendorff_alpha"
        ]
        for report in (before, after)
    ]
    difference = change["differences"]["krippendorff_alpha"]
    assert difference["value"] == pytest.approx(alphas[1]["value"] - alphas[0]["value"])
    assert difference["low"] <= difference["value"] <= difference["high"]
    assert (change["n_both"], change["n_before"], change["n_after"]) == (6, 0, 0)
    assert (after.change["round"], after.change["judgements_sha256"]) == (1, before.judgements_sha256)
    assert set(after.change) == set(ChangeFigures.__annotations__) - {"types", "cluster"}
    assert drift(after.change, ChangeFigures) == []
    rows = rounds_conditions(project, [first.pk, second.pk])
    assert drift(rows[0], FirstRoundFigures) == drift(rows[1], ConditionsFigures) == []
    assert drift(_change_json(after), ShownChange) == [] and "conditions" in _change_json(after)


def test_a_training_round_is_not_what_came_before(study):
    project, items, members = study
    round_judged(project, items, members, ["yynnyn", "nnnnyy", "ynnnyy"], purpose="training")
    assert computed(round_judged(project, items, members, ["yynnyn", "yynnyn", "yynnyn"])).change == {}
