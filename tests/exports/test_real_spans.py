"""Real crowd spans, offensive and dirty, come out of a release with every slice equal to its quote."""

import csv
import json

import pytest

from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import
from annotation.models import TypeAnnotation
from annotation.projects.projects import project_create
from tests.factories.releases import released
from tests.toxic_spans import CODEBOOK, write_items, write_judgements

pytestmark = pytest.mark.django_db


def test_three_thousand_posts_reconcile_and_each_span_is_its_slice(shared_data, tmp_path):
    folder = shared_data / "toxic_spans"
    project = project_create(slug="insults", codebook=CODEBOOK)
    write_items(folder, tmp_path / "items.csv")
    write_judgements(folder, tmp_path / "judgements.csv")
    items_import(project=project, path=tmp_path / "items.csv")
    judgements_import(
        project=project, path=tmp_path / "judgements.csv", round_name="Crowd", skip_invalid=True
    )
    out = released(project, tmp_path / "out", agreement=False)
    benchmark = json.loads((out / "focus.json").read_bytes())
    counts = json.loads((out / "release.json").read_bytes())["counts"]
    assert len(benchmark) == counts["items"] == 3000
    with (out / "judgements.csv").open(encoding="utf-8", newline="") as stream:
        judgements = list(csv.DictReader(stream))
    assert len(judgements) == counts["judgements"] == TypeAnnotation.objects.count()
    support = 0
    for entry in benchmark.values():
        (label,) = entry["labels"]
        spans = label["gold_spans"] + label["disagreement_spans"]
        support += sum(span["support"] for span in spans)
        for span in spans:
            assert entry["argument"][span["start"] : span["end"]] == span["text"]
        assert all(span["support"] > 1 for span in label["gold_spans"])
        gold = [span["text"] for span in label["gold_spans"]]
        assert entry["spans"] == (gold if label["applicable"] else [])
    assert support == sum(bool(row["start"]) for row in judgements)
