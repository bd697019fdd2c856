"""The published development data of FOCUS: each argument was asked the two types of its category.

Judgements, figures and consensus are those of the reference that lies beside the data.
"""

import json

import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.display.tables import cross_table
from agreement.models import ConsensusSpan
from agreement.spans.tokens import positions
from annotation.importing.focus import files_named, focus_import
from annotation.importing.formats.focus_files import ASKED
from annotation.models import Round
from annotation.projects.projects import project_create
from annotation.rounds.progress import progress_of_round
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

MEASURES = ("exact", "token_jaccard", "unigram_jaccard", "bigram_jaccard", "edit", "rouge1", "rougeL")


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads((shared_data.parent / "reference" / "focus_dev.json").read_bytes())


@pytest.fixture
def project(shared_data):
    """The arguments with their categories, and what three annotators said, but for two spans nowhere."""
    folder = shared_data / "focus"
    made = project_create(slug="dev", codebook="focus")
    paths = [folder / "model_pred" / "dev_prediction_gpt-3.5-turbo.csv"]
    paths += sorted((folder / "annotated data").glob("*_annotated.csv"))
    focus_import(project=made, files=files_named(paths), set_name="D")
    return made


def reported(round: Round):
    report = report_request(round=round, parameters={"replicates": 100})
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    return report


def without_span(reference, code: str) -> bool:
    """Whether a vote is missing here, whose words stand nowhere in the text."""
    return any(row[1] == code and row[6] == "nowhere" for row in reference["judgements"])


def test_figures_gold_and_cross_tables_are_those_of_the_reference(project, reference):
    round = project.rounds.get()
    rows = progress_of_round(round)
    # All answered but for the two spans that stand nowhere.
    assert ([row.total for row in rows], sum(row.left for row in rows)) == ([280] * 3, 2)
    report = reported(round)
    sections = {section["code"]: section for section in report.figures["sections"]}
    for code, expected in reference["types"].items():
        section = sections[code]
        assert section["n_items"] == expected["n_items"]
        spans = section["spans"]
        for measure in MEASURES:
            known = expected["spans"][measure]
            assert spans["similarity"][measure]["value"] == pytest.approx(known["mean_over_pairs"], abs=1e-9)
            assert spans["over_items"][measure]["value"] == pytest.approx(known["mean_over_items"], abs=1e-9)
            assert spans["over_items"][measure]["n_texts"] == known["n_items"]
        if without_span(reference, code):
            continue
        assert section["labels"] == {"yes": expected["yes_total"], "no": expected["no_total"]}
        for name in ("observed_agreement", "focus_score", "pabak", "gwet_ac1", "krippendorff_alpha"):
            assert section["estimates"][name]["value"] == pytest.approx(expected["labels"][name], abs=1e-9)
    gold_is_that_of(reference)
    cross_table_has_dashes(report.figures)


def gold_is_that_of(reference) -> None:
    """A full stop is in gold where all who chose these words from there on have it."""
    found = {}
    for span in ConsensusSpan.objects.filter(kind="gold").select_related("item"):
        found.setdefault((span.item.external_id, span.type_code), []).append(span)
    chosen = {}
    for item, code, _annotator, applicable, start, end, _how in reference["judgements"]:
        if applicable and start is not None:
            chosen.setdefault((item, code), []).append((start, end))
    n_gold = 0
    for code, of_type in reference["types"].items():
        for item, decided in of_type["consensus"].items():
            gold = sorted((span.start, span.end) for span in found.get((item, code), []))
            assert gold == sorted((span["start"], span["end"]) for span in decided["gold"])
            n_gold += len(gold)
            for span in found.get((item, code), []):
                cut = positions(span.item.text)
                words = cut.touched(span.start, span.end)
                alike = [place for place in chosen[item, code] if cut.touched(*place) == words]
                first = min(start for start, _ in alike)
                shortest = min(end for start, end in alike if start == first)
                assert (span.start, span.end) == (first, shortest)
    assert n_gold == sum(of_type["n_gold"] for of_type in reference["types"].values())


def cross_table_has_dashes(figures) -> None:
    """Of 50 cells 40 are about types that nobody was asked."""
    for whose in ("each", "any", "consensus", "A1", "A2", "A3"):
        table = cross_table(figures, "category", whose)
        cells = [cell["n"] for row in table["rows"] for cell in row["cells"]]
        assert (len(cells), cells.count("–")) == (50, 40)
    (of_a1,) = (row for row in cross_table(figures, "category", "A1")["rows"] if "Stakeholder" in row["name"])
    assert [cell["n"] for cell in of_a1["cells"]] == [28, "–", "–", "–", "–"]


def test_the_release_says_what_was_asked_and_none_of_the_above_where_both_are_no(
    project, reference, tmp_path
):
    folder = released(project, tmp_path / "out", agreement=False)
    entries = json.loads((folder / "focus.D.json").read_bytes())
    consensus = [of_type["consensus"] for of_type in reference["types"].values()]
    decided = {item: [found[item]["label"] for found in consensus if item in found] for item in entries}
    none = set()
    for item, category in ((item["id"], item["category"]) for item in reference["items"]):
        assert [label["code"] for label in entries[item]["labels"]] == ASKED[category]
        if set(decided[item]) == {"no"}:
            none.add(item)
    assert none
    assert {item for item, entry in entries.items() if entry["fsq_types"] == ["None of the Above"]} == none
    assert all(entries[item]["spans"] == ["Null"] for item in none)
    counts = json.loads((folder / "release.json").read_bytes())["counts"]
    assert (counts["types_not_asked"], counts.get("undecided_types", 0)) == (140 * 8, 2)
