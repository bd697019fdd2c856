"""How many texts a study needs before there is any data: simulation, command, API and page."""

import io
import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from agreement.statistics.label_agreement import label_agreement
from agreement.what_if.study_size import MOST_TEXTS, StudyExpected, study_size, yes_law
from annotation.rounds.lifecycle import round_create
from tests import factories
from tests.conftest import client_of

QUICK = {"studies": 100, "replicates": 200}
ASKED = {"alpha": 0.6, "prevalence": 0.2, "raters": 3, "width": 0.2}


def law_of(**given):
    return yes_law(StudyExpected(**{**ASKED, **given}))


def studies_of(expected, n, number, seed):
    """Return studies drawn in another way: each text's own share of yes from a beta, then its annotators."""
    rng = np.random.default_rng(seed)
    size = (1 - expected.alpha) / expected.alpha
    shares = rng.beta(expected.prevalence * size, (1 - expected.prevalence) * size, (number, n, 1))
    return (rng.random((number, n, expected.raters)) < shares).astype(int)


def command(**given):
    out = io.StringIO()
    asked = {**{name: str(value) for name, value in ASKED.items()}, **given}
    arguments = [f"--{name}={value}" for name, value in asked.items()]
    call_command("plan_study", *arguments, "--json", "--studies=100", "--replicates=200", stdout=out)
    return json.loads(out.getvalue())


def test_the_law_has_the_prevalence_and_the_alpha_that_are_expected():
    law = law_of(alpha=0.6, prevalence=0.2, raters=2)
    # Two annotators: both yes p^2 + rho p (1 - p), one yes 2 p (1 - p) (1 - rho).
    assert law.tolist() == pytest.approx([0.736, 0.128, 0.136])
    shares = np.arange(5) / 4
    assert law_of(raters=4) @ shares == pytest.approx(0.2)


def test_simulated_studies_have_the_alpha_expected_by_another_implementation():
    expected = StudyExpected(**ASKED)
    rng = np.random.default_rng(1)
    yes = rng.choice(4, p=yes_law(expected), size=20_000)
    table = (np.arange(3) < yes[:, None]).astype(float)
    alpha = krippendorff.alpha(reliability_data=table.T, level_of_measurement="nominal", value_domain=[0, 1])
    assert alpha == pytest.approx(0.6, abs=0.02)


def test_so_many_texts_do_reach_the_width_in_studies_drawn_otherwise():
    expected = StudyExpected(**ASKED)
    size = study_size(expected, seed=1)
    assert 280 < size.n_texts < 350
    assert 0.8 <= size.reached < 0.9
    assert size.low < 0.6 < size.high
    for factor, least, most in ((1.0, 0.65, 0.95), (0.7, 0.0, 0.2)):
        found = []
        for at, study in enumerate(studies_of(expected, int(size.n_texts * factor), 60, 7)):
            alpha = label_agreement(study, q=2, seed=at, replicates=500).estimates["krippendorff_alpha"]
            found.append(alpha.high - alpha.low < 0.2 and alpha.caution is None)
        assert least <= np.mean(found) <= most


def test_a_narrower_interval_rarer_types_and_fewer_annotators_take_more_texts():
    base = study_size(StudyExpected(**ASKED), seed=1, **QUICK).n_texts
    for change in ({"width": 0.1}, {"prevalence": 0.05}, {"raters": 2}):
        assert study_size(StudyExpected(**{**ASKED, **change}), seed=1, **QUICK).n_texts > 1.2 * base


def test_half_the_width_takes_about_four_times_the_texts():
    wide, narrow = (
        study_size(StudyExpected(**{**ASKED, "width": width}), seed=1, **QUICK).n_texts
        for width in (0.2, 0.1)
    )
    assert narrow / wide == pytest.approx(4, rel=0.15)


def test_what_no_number_of_texts_reaches_is_none_with_what_the_most_reach():
    size = study_size(StudyExpected(0.6, 0.01, 2, 0.03), seed=1, **QUICK)
    assert (size.n_texts, size.reached) == (None, 0.0)
    assert size.width > 0.03
    assert MOST_TEXTS == 100_000


@pytest.mark.parametrize(
    "given",
    [
        {"alpha": 1.0}, {"alpha": -0.1}, {"prevalence": 0.0}, {"prevalence": 1.0}, {"raters": 1},
        {"width": 0.0}, {"width": 2.1}, {"assurance": 1.0},
    ],
)  # fmt: skip
def test_impossible_studies_are_no_studies(given):
    with pytest.raises(ValueError, match=r"is a|needs"):
        study_size(StudyExpected(**{**ASKED, **given}), seed=1)


def test_the_command_prints_what_the_simulation_finds_and_repeats_it():
    found = command(seed=7)
    size = study_size(StudyExpected(**ASKED), seed=7, **QUICK)
    assert found["n_texts"] == size.n_texts
    assert (found["width_wanted"], found["assurance"], found["seed"], found["raters"]) == (0.2, 0.8, 7, 3)
    assert found == command(seed=7)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("alpha", "1", "--alpha must be a number from 0 up to below 1"),
        ("alpha", "nan", "--alpha must be a number from 0 up to below 1"),
        ("prevalence", "0", "--prevalence must be a share between 0 and 1, such as 0.2"),
        ("prevalence", "20%", "--prevalence must be a share between 0 and 1, such as 0.2"),
        ("raters", "1", "--raters must be a whole number from 2 to 50"),
        ("raters", "2.5", "--raters must be a whole number from 2 to 50"),
        ("raters", "inf", "--raters must be a whole number from 2 to 50"),
        ("width", "-0.1", "--width must be a number above 0 and up to 2"),
        ("assurance", "1", "--assurance must be a share between 0 and 1, such as 0.8"),
        ("replicates", "5", "the number must be from 100 to 2,000"),
        ("seed", "-1", "'-1' is not a whole number of 0 or more"),
    ],
)
def test_the_command_says_which_number_is_impossible(name, value, why):
    arguments = {**ASKED, name: value}
    with pytest.raises(CommandError) as refused:
        call_command("plan_study", *(f"--{key}={given}" for key, given in arguments.items()))
    assert why in str(refused.value)


@pytest.mark.django_db
def test_the_api_tells_leads_alone(lead_client):
    made = factories.study(items=1, annotators=1)
    address = f"/api/projects/{made.project.slug}/study-plan/"
    found = lead_client.get(address, {**ASKED, "width": 0.9}).json()
    assert found["n_texts"] == study_size(StudyExpected(**{**ASKED, "width": 0.9}), seed=1).n_texts
    refused = lead_client.get(address, {**ASKED, "alpha": "high"})
    assert refused.status_code == 422
    assert refused.json()["errors"] == {"alpha": "must be a number from 0 up to below 1"}
    assert client_of(made.annotators[0].user.username).get(address, ASKED).status_code == 403


@pytest.mark.django_db
def test_the_pages_that_plan_a_round_ask_and_answer_for_the_draw(lead_client):
    made = factories.study(items=5, annotators=2)
    codebook = made.project.codebooks.get()
    draft = round_create(project=made.project, member=made.lead, codebook=codebook, overlap=2).number
    page = lead_client.get(f"/p/{made.project.slug}/rounds/new/").content.decode()
    assert 'name="prevalence"' in page
    page = lead_client.get(f"/p/{made.project.slug}/rounds/{draft}/draw/").content.decode()
    assert f'name="round" value="{draft}"' in page
    asked = {**ASKED, "round": draft}
    answer = lead_client.get(f"/p/{made.project.slug}/rounds/texts/", asked, headers={"HX-Request": "true"})
    found = answer.content.decode()
    expected = study_size(StudyExpected(**ASKED), seed=1).n_texts
    assert f"<b>{expected}</b> texts" in found
    assert f"/rounds/{draft}/draw/?how=sample&amp;size={expected}" in found
    assert "<html" not in found
    wrong = lead_client.get(f"/p/{made.project.slug}/rounds/texts/", {**asked, "width": "0"})
    assert "The width must be a number above 0 and up to 2." in wrong.content.decode()
    assert "<html" in wrong.content.decode()


def test_the_worked_example_of_the_documentation_is_what_is_computed():
    told = " ".join(Path("docs/statistics.md").read_text().split())
    law = ", ".join(f"{share:.4f}" for share in law_of())
    size = study_size(StudyExpected(**ASKED), seed=1)
    assert f"P = ({law}) for 0 to 3 yes" in told
    assert f"takes {size.n_texts} texts; it then reaches from about {size.low:.2f} to {size.high:.2f}" in told
    assert f"in {size.reached:.0%} of the studies" in told
