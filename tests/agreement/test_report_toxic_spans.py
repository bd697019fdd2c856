"""The report of real crowd annotations: 3,000 posts, 3 to 7 of hundreds of workers each, one type."""

import csv
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import
from annotation.models import Membership, Round
from annotation.projects.projects import project_create
from tests import toxic_spans

pytestmark = pytest.mark.django_db


def computed_by_hand(path, refused_path):
    """Return p_a, alpha, exact match and token-free figures from the file itself, in plain Python."""
    with refused_path.open(encoding="utf-8-sig", newline="") as stream:
        refused = {(row["item"], row["annotator"]) for row in csv.DictReader(stream)}
    posts = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if (row["item"], row["annotator"]) not in refused:
                posts[row["item"]].append((row["start"], row["end"]) if row["applicable"] == "yes" else None)
    counts = [(sum(span is not None for span in spans), len(spans)) for spans in posts.values()]
    pairable = [(yes, total) for yes, total in counts if total >= 2]
    agreement = [(yes * (yes - 1) + (n - yes) * (n - yes - 1)) / (n * (n - 1)) for yes, n in pairable]
    values = sum(n for _, n in pairable)
    n_yes = sum(yes for yes, _ in pairable)
    observed = sum((n * n - yes * yes - (n - yes) ** 2) / (n - 1) for yes, n in pairable) / values
    expected = (values**2 - n_yes**2 - (values - n_yes) ** 2) / (values * (values - 1))
    pairs = [
        one == other
        for spans in posts.values()
        for one, other in combinations([span for span in spans if span], 2)
    ]
    return {
        "n_items": len(posts),
        "yes": sum(yes for yes, _ in counts),
        "p_a": np.mean(agreement),
        "alpha": 1 - observed / expected,
        "exact": np.mean(pairs),
        "n_pairs": len(pairs),
    }


def test_the_report_of_real_crowd_spans_has_the_figures_of_the_file(shared_data, tmp_path):
    project = project_create(slug="crowd", codebook=toxic_spans.CODEBOOK)
    folder = shared_data / "toxic_spans"
    toxic_spans.write_items(folder, tmp_path / "items.csv")
    toxic_spans.write_judgements(folder, tmp_path / "judgements.csv")
    items_import(project=project, path=tmp_path / "items.csv")
    judgements_import(
        project=project,
        path=tmp_path / "judgements.csv",
        round_name="Crowd",
        skip_invalid=True,
        refused_path=tmp_path / "refused.csv",
    )
    report = report_request(round=Round.objects.get())
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    known = computed_by_hand(tmp_path / "judgements.csv", tmp_path / "refused.csv")

    section = report.figures["sections"][0]
    assert section["key"] == "type:INS"
    assert (section["n_items"], section["labels"]["yes"]) == (known["n_items"], known["yes"])
    assert section["estimates"]["observed_agreement"]["value"] == pytest.approx(known["p_a"], abs=1e-9)
    alpha = section["estimates"]["krippendorff_alpha"]
    assert alpha["value"] == pytest.approx(known["alpha"], abs=1e-9)
    assert alpha["low"] < alpha["value"] < alpha["high"]
    similarity = section["spans"]["similarity"]["exact"]
    assert similarity["value"] == pytest.approx(known["exact"], abs=1e-9)
    assert similarity["n_pairs"] == known["n_pairs"]

    spans = Counter(report.consensus_spans.values_list("kind", flat=True))
    assert (spans["gold"], spans["disagreement"]) == (
        section["spans"]["n_gold"],
        section["spans"]["n_disagreement"],
    )
    chosen = report.consensus_spans.values_list("support", "kind", "start", "end", "text", "item__text")
    for support, kind, start, end, text, whole in chosen:
        assert text == whole[start:end]
        assert (kind == "gold") == (support >= 2)
    assert sum(support for support, *_ in chosen) == known["yes"]

    n_raters = Membership.objects.count()
    pairs = n_raters * (n_raters - 1) // 2
    assert section["min_common"] == 5
    assert all(pair["n_common"] >= 5 for pair in section["pairs"])
    assert sum(
        section["pairs_undefined"][name] for name in ("no_pairs", "too_few_common_items")
    ) == pairs - len(section["pairs"])
