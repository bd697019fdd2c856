"""docs/reproducing.md: from the published files to the figures of both papers, as far as they follow.

The tables of the document are read and each of their figures is computed again.
"""

import io
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.statistics.label_agreement import label_agreement
from annotation.codebooks.toml_reader import load_shipped
from annotation.importing.formats.focus_files import plain_type_name, read_focus_file
from annotation.models import Item, Round, TypeAnnotation
from annotation.projects.projects import project_create

pytestmark = pytest.mark.django_db

DOCUMENT = (Path(__file__).parents[2] / "docs" / "reproducing.md").read_text(encoding="utf-8")
TYPES = load_shipped("focus").types
CODES = {plain_type_name(name): kind.code for kind in TYPES for name in (kind.code, kind.name, *kind.aliases)}


def table(title):
    """Return the rows of the table below a heading: cells of each by the word in the first column."""
    part = DOCUMENT.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in part.splitlines()
        if line[:1] == "|"
    ]
    header, _, *body = rows
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in body}


def shown(value, digits=3):
    return "–" if value is None else f"{value:.{digits}f}"


@pytest.fixture(scope="module")
def focus(shared_data):
    return shared_data / "focus"


@pytest.fixture(scope="module")
def reference(shared_data):
    folder = shared_data.parent / "reference"
    return lambda name: json.loads((folder / f"{name}.json").read_bytes())


def sheets(folder):
    """Return the cells of each type as they stand, a row an argument, a column an annotator."""
    found = {}
    for path in sorted((folder / "annotated data").glob("*_annotated.csv")):
        sheet = read_focus_file(path, path.name, CODES)
        for letter, code in zip("FG", sheet.category[1:], strict=True):
            columns = [name for name in sheet.columns if name.endswith(letter)]
            found[code] = [[row[column] for column in sorted(columns)] for row in sheet.rows]
    return found


def as_the_paper(cells):
    """Return the answers as the paper counted them: anything in a cell is a yes (code 0), nothing a no."""
    return np.array([[0 if cell else 1 for cell in row] for row in cells])


def pair_agreement(answers, one, other):
    return float(np.mean(answers[:, one] == answers[:, other]))


def test_the_agreement_of_the_development_set(focus, reference):
    """Tables 2 and 17: 27 of 28 rows, and a blank is a yes."""
    known = reference("focus_dev")["types"]
    written = table("Tables 2 and 17")
    assert list(written) == [kind.code for kind in TYPES]
    for code, cells in sheets(focus).items():
        figures = label_agreement(as_the_paper(cells)[:27], q=2, seed=1, replicates=0).estimates
        expected = known[code]["labels_blank_is_yes_without_last_row"]
        for name in ("focus_score", "fleiss_kappa", "krippendorff_alpha"):
            assert figures[name].value == pytest.approx(expected[name], abs=1e-12)
        assert written[code] == {
            "FOCUS score": shown(figures["focus_score"].value),
            "Fleiss' kappa": shown(figures["fleiss_kappa"].value),
            "alpha": shown(figures["krippendorff_alpha"].value),
        }


def test_the_pairs_of_annotators(focus, reference):
    """Tables 18 (kappa, 27 rows) and 22 (agreement in 28ths)."""
    known = reference("focus_dev")["types"]
    written = table("Tables 18 and 22")
    for code, cells in sheets(focus).items():
        answers = as_the_paper(cells)
        row = {}
        for one, other in itertools.combinations(range(3), 2):
            pair = f"A{one + 1}-A{other + 1}"
            of_two = label_agreement(answers[:27, [one, other]], q=2, seed=1, replicates=0)
            kappa = of_two.estimates["cohen_kappa"].value
            expected = known[code]["labels_blank_is_yes_without_last_row"]["cohen_kappa"][pair]
            assert kappa == (None if expected is None else pytest.approx(expected, abs=1e-12))
            row[f"kappa {pair}"] = shown(kappa)
            row[f"agreement {pair}"] = shown(pair_agreement(answers, one, other))
        assert written[code] == row


def test_two_rows_of_the_paper_pair_other_cells_than_their_names_say(focus):
    """OSP of the first annotator against Temporal Contrast of the two others."""
    cells = sheets(focus)
    mixed = [[mine[0], *others[1:]] for mine, others in zip(cells["OSP"], cells["TC"], strict=True)]
    figures = label_agreement(as_the_paper(mixed)[:27], q=2, seed=1, replicates=0).estimates
    (score,) = re.findall(r"the FOCUS score is ([0-9.]+)", DOCUMENT)
    assert shown(figures["focus_score"].value) == score


def words_of(cell):
    return set(re.findall(r"\b\w\w+\b", cell.lower()))


def bigrams_of(cell):
    words = re.findall(r"\b\w\w+\b", cell.lower())
    return set(itertools.pairwise(words))


def jaccard(one, other):
    return len(one & other) / len(one | other) if one | other else 0.0


SCORER = RougeScorer(["rouge1"], use_stemmer=True)
MEASURES = {
    "unigram_jaccard": lambda one, other: jaccard(words_of(one), words_of(other)),
    "rouge1_stemmed": lambda one, other: SCORER.score(one, other)["rouge1"].fmeasure,
}


def test_the_spans_of_the_development_set(focus, reference):
    """Tables 3 and 15: the cells as they stand, the mean over the texts of the mean over the pairs."""
    known = reference("focus_dev")["types"]
    written = table("Tables 3 and 15")
    heads = {
        "unigram_jaccard": "Jaccard",
        "bigram_jaccard": "bigrams",
        "edit": "edit",
        "rouge1_stemmed": "ROUGE-1",
    }
    measures = {
        **MEASURES,
        "bigram_jaccard": lambda one, other: jaccard(bigrams_of(one), bigrams_of(other)),
        "edit": Levenshtein.normalized_similarity,
    }
    for code, cells in sheets(focus).items():
        row = {}
        for name, measure in measures.items():
            means = []
            for texts in cells:
                pairs = list(itertools.combinations([text for text in texts if text], 2))
                if pairs:
                    means.append(np.mean([measure(*pair) for pair in pairs]))
            assert np.mean(means) == pytest.approx(known[code]["spans_as_the_paper"][name], abs=1e-9)
            row[heads[name]] = shown(np.mean(means))
        ours = known[code]["spans"]["unigram_jaccard"]["mean_over_items"]
        assert written[code] == {**row, "Jaccard here": shown(ours)}


LOGIC_COLUMNS = ("OSP", "TC", "VAT", "OG", "IE", "BS", "QCE", "CF", "LE", "WE")
"""The types in the order of the columns of the sheets."""


def spans_of_logicclimate(folder):
    """Return the mean similarity of the two cells of each type; where one is empty it is 0."""
    first, second = (
        read_focus_file(folder / name, name, CODES)
        for name in ("Generalization_A1_SQ - Logic.csv", "Generalization_A2_SQ - Logic.csv")
    )
    found = {}
    for code, column in zip(LOGIC_COLUMNS, first.columns[2:12], strict=True):
        pairs = [
            (one.get(column) or "", other.get(column) or "")
            for one, other in zip(first.rows, second.rows, strict=True)
        ]
        pairs = [pair for pair in pairs if any(pair)]
        found[code] = {
            name: float(np.mean([measure(*pair) for pair in pairs])) if pairs else 0.0
            for name, measure in MEASURES.items()
        }
    return found


def test_logicclimate(focus, reference):
    """Tables 8 and 9, from the import to the report; one cell with a blank is a no here."""
    project = project_create(slug="logic", codebook="focus")
    paths = map(str, sorted((focus / "logic").glob("*.csv")))
    call_command(
        "import_focus", "logic", *paths, set="L", keep_votes=True, stdout=io.StringIO(), stderr=io.StringIO()
    )
    report = report_request(round=Round.objects.get(project=project), parameters={"replicates": 100})
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    sections = {section["code"]: section for section in report.figures["sections"]}
    known = reference("focus_logic")["types"]
    written = table("Tables 8 and 9")
    of_cells = spans_of_logicclimate(focus / "logic")
    for code, expected in known.items():
        figures = sections[code]["estimates"]
        for name in ("observed_agreement", "cohen_kappa", "pabak"):
            if code != "WE":
                assert figures[name]["value"] == pytest.approx(expected[name], abs=1e-11)
        joint = sections[code]["spans"]["joint"].get("unigram_jaccard", {}).get("value")
        one_sided = of_cells[code]
        for name, value in expected["spans_one_sided_zero"].items():
            assert one_sided[name] == pytest.approx(value, abs=1e-9)
        assert written[code] == {
            "agreement": shown(figures["observed_agreement"]["value"]),
            "kappa": shown(figures["cohen_kappa"]["value"]),
            "PABAK": shown(figures["pabak"]["value"]),
            "Jaccard": shown(one_sided["unigram_jaccard"]),
            "ROUGE-1": shown(one_sided["rouge1_stemmed"]),
            "Jaccard here": shown(joint),
        }
    for name, printed in reference("focus_table8")["rows"].items():
        row = printed["printed"]
        code = {"Other Stakeholder": "OSP", "Overgeneralized": "OG", "Questionable Cause-Effect": "QCE"}.get(
            name
        ) or CODES[plain_type_name(name)]
        assert written[code]["agreement"] == f"{float(row['observed_agreement']):.3f}"
        assert written[code]["PABAK"] == f"{float(row['pabak']):.3f}"


def test_what_gpt_4_answered(focus, tmp_path):
    """Table 4: one annotator's answers as the references, everything else a no."""
    project_create(slug="test", codebook="focus")
    answers = focus / "model_pred" / "SQ-testset-GPT4-1shot.csv"
    files = [*sorted((focus / "annotated data").glob("testset-*.csv")), answers]
    silent = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("import_focus", "test", *map(str, files), set="T", keep_votes=True, **silent)
    names = {kind.code: kind.name for kind in TYPES}
    entries = {
        item.external_id: {"argument": item.text, "fsq_types": [], "spans": []}
        for item in Item.objects.order_by("pk")
    }
    for row in TypeAnnotation.objects.filter(applicable=True).select_related(
        "assignment__item", "assignment__member"
    ):
        item = row.assignment.item
        whose = "A2" if item.metadata["category"] == "alternate_viewpoints_perspectives" else "A1"
        if row.assignment.member.pseudonym == whose:
            entries[item.external_id]["fsq_types"].append(names[row.type_code])
            entries[item.external_id]["spans"].append(row.quote or "Null")
    references = tmp_path / "references.json"
    references.write_text(json.dumps(entries), encoding="utf-8")
    out = io.StringIO()
    call_command(
        *("score", "--references", str(references), "--answers", str(answers), "--codebook", "focus"),
        *("--scope", "all", "--replicates", "0", "--json"),
        stdout=out,
        stderr=io.StringIO(),
    )
    figures = json.loads(out.getvalue())["figures"]["all"]["types"]
    found = {code: figures[code]["f1"]["value"] or 0 for code in figures}
    assert [shown(found[code]) for code in (*names, "NONE")] == [
        *("0.222", "0.000", "0.217", "0.120", "0.203", "0.182", "0.125", "0.000", "0.089", "0.061"),
        "0.100",
    ]
    assert table("Table 4") == {code: {"F1": shown(value)} for code, value in found.items()}


def test_the_labels_of_cqs_gen(shared_data):
    """Table 2 of CQs-Gen, its row of the validation set."""
    project_create(slug="cqs", codebook="cqs_gen")
    silent = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("import_items", "cqs", str(shared_data / "cqs_gen" / "validation.json"), **silent)
    entries = json.loads((shared_data / "cqs_gen" / "validation.json").read_bytes())
    labels = Counter(question["label"] for entry in entries.values() for question in entry["cqs"])
    total = labels.total()
    assert table("CQs-Gen, Table 2") == {
        "interventions": {"validation": str(len(entries)), "share": "–"},
        "questions": {"validation": f"{total:,}", "share": "–"},
        **{
            label: {"validation": f"{labels[label]:,}", "share": f"{labels[label] / total:.1%}"}
            for label in ("Useful", "Unhelpful", "Invalid")
        },
    }
    assert Item.objects.count() == len(entries)
