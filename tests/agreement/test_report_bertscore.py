"""BERTScore in a report: only with an encoder, its name beside its figures, and said where it is missing."""

import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_current, report_request
from agreement.models import AgreementReport
from agreement.spans.bertscore import bertscore
from agreement.spans.encoders import load_encoder
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.agreement.small_encoder import encoder_folder

pytestmark = pytest.mark.django_db

TEXTS = (
    "The mayor says buses are late because drivers sleep.",
    "The bus is late, so the drivers must sleep.",
    "Taxes fall.",
)
REVISION = "sha256:7cc09e2963a4d8c708aaa42c991baa2095aca846470fbd52d383a2385ae9d25f"


@pytest.fixture
def study():
    """LE: equal spans in the first text, others in the second, one alone in the third; WE: no spans."""
    made = factories.study(items=3, annotators=2, texts=TEXTS)
    factories.open_round(made)
    quotes = (("drivers sleep", "drivers sleep"), ("bus is late", "drivers must sleep"), ("Taxes", None))
    for item, of_item in zip(made.items, quotes, strict=True):
        for member, quote in zip(made.annotators, of_item, strict=True):
            answer = factories.yes(item, quote) if quote else factories.NO
            factories.record(made.round, member, item, "LE", answer)
            factories.record(made.round, member, item, "WE", factories.NO)
    made.round = round_close(made.round, by=made.lead)
    AgreementReport.objects.all().delete()
    return made


@pytest.fixture
def encoder(settings, tmp_path):
    settings.ENCODER = str(encoder_folder(tmp_path))
    return load_encoder(settings.ENCODER)


def computed(made):
    report = report_request(round=made.round)
    assert report_compute(report_id=report.id)
    report = report_current(round=made.round).report
    return report, {section["key"]: section for section in report.figures["sections"]}


def bertscore_of(section):
    return section["spans"]["similarity"]["bertscore"]


def page(client, made):
    return client.get(f"/p/{made.project.slug}/rounds/1/agreement/").content.decode()


def download(client, made, rest):
    return client.get(f"/api/projects/{made.project.slug}/rounds/1/report/{rest}").content.decode()


def test_without_an_encoder_the_figures_say_nothing_of_it_and_page_and_files_say_why(study, lead_client):
    report, sections = computed(study)
    assert "encoder" not in report.figures
    assert "encoder" not in report.parameters
    assert "bertscore" not in sections["type:LE"]["spans"]["similarity"]
    lines = download(lead_client, study, "figures.csv").splitlines()
    assert "type:LE,Lacks Evidence,bertscore,,,,,no_encoder,,,0,3,3,6,," in lines
    assert lines[0].endswith(",n_ratings,n_spans,interval_method")
    shown = page(lead_client, study)
    assert "BERTScore is not computed. To have it" in shown
    assert "pip install -r requirements-semantic.txt" in shown
    assert "ELENCHUS_ENCODER" in shown
    table = download(lead_client, study, "table.tex?rows=type:LE&columns=bertscore")
    assert "undefined: not computed: the report was made without an encoder" in table


def test_bertscore_is_the_mean_f1_of_the_pairs_who_both_said_yes(study, encoder):
    _, sections = computed(study)
    other = bertscore(*encoder.embed(["bus is late", "drivers must sleep"])).f1
    figure = bertscore_of(sections["type:LE"])
    assert figure["value"] == pytest.approx((1 + other) / 2, abs=5e-5)
    assert figure["value"] == round(figure["value"], 4)
    assert figure["n_pairs"] == 2
    assert (figure["low"], figure["high"]) == (0, 1)
    assert figure["caution"] == "few_texts"
    assert bertscore_of(sections["all"]) == figure
    assert (bertscore_of(sections["type:WE"])["value"], bertscore_of(sections["type:WE"])["reason"]) == (
        None,
        "no_pairs",
    )


def test_bertscore_is_computed_of_each_span_against_gold_and_against_what_others_chose_alone(
    study, encoder, lead_client
):
    _, sections = computed(study)
    other = bertscore(*encoder.embed(["bus is late", "drivers must sleep"])).f1
    against = sections["type:LE"]["spans"]["against"]
    # The first text has gold, its two spans are that; in the second each span is alone beside the other.
    gold, every = (against[target]["bertscore"] for target in ("gold", "gold_and_disagreement"))
    assert (gold["value"], gold["n_spans"], gold["interval_reason"]) == (1, 2, "single_item")
    assert (every["value"], every["n_spans"]) == (pytest.approx((1 + other) / 2, abs=5e-5), 4)
    assert every["value"] == round(every["value"], 4)
    assert sections["all"]["spans"]["against"]["gold"]["bertscore"] == gold
    nobody = sections["type:WE"]["spans"]["against"]
    assert nobody["gold"]["bertscore"]["reason"] == "no_gold"
    lines = download(lead_client, study, "figures.csv").splitlines()
    row = next(line for line in lines if line.startswith("type:LE,Lacks Evidence,bertscore_against_gold,"))
    assert row.startswith("type:LE,Lacks Evidence,bertscore_against_gold,1.0,")
    assert row.endswith(f',"minilm-int8, {REVISION}, last layer, onnxruntime"')
    table = download(lead_client, study, "table.tex?rows=type:LE&columns=bertscore_against_gold")
    assert "BERTScore, gold" in table and "1.00" in table


def test_the_encoder_stands_beside_its_figures_in_figures_page_and_files(study, encoder, lead_client):
    report, sections = computed(study)
    assert report.figures["encoder"] == {
        "name": "minilm-int8",
        "revision": REVISION,
        "runtime": "onnxruntime",
        "layer": None,
        "reason": None,
        "n_cut": 0,
    }
    lines = download(lead_client, study, "figures.csv").splitlines()
    assert lines[0].endswith(",n_ratings,n_spans,interval_method,encoder")
    value = bertscore_of(sections["type:LE"])["value"]
    row = next(line for line in lines if line.startswith("type:LE,Lacks Evidence,bertscore,"))
    assert row.startswith(f"type:LE,Lacks Evidence,bertscore,{value},")
    assert row.endswith(f',"minilm-int8, {REVISION}, last layer, onnxruntime"')
    table = download(lead_client, study, "table.tex?rows=type:LE&columns=bertscore")
    assert f"BERTScore F1 by minilm-int8, {REVISION}" in table
    shown = page(lead_client, study)
    assert "BERTScore F1 by the encoder minilm-int8, sha256:7cc09e2963a4, last layer, onnxruntime" in shown
    assert "Only roberta-large gives the numbers that papers call BERTScore." in shown


def test_a_report_made_before_the_encoder_is_out_of_date_and_is_computed_anew(study, settings, tmp_path):
    before, _ = computed(study)
    settings.ENCODER = str(encoder_folder(tmp_path))
    assert report_current(round=study.round).out_of_date
    after, _ = computed(study)
    assert not report_current(round=study.round).out_of_date
    assert after.digest != before.digest
    assert after.judgements_sha256 == before.judgements_sha256


def test_an_encoder_that_cannot_be_loaded_costs_one_figure_and_is_tried_again(
    study, settings, tmp_path, lead_client
):
    settings.ENCODER = str(tmp_path / "minilm-int8")
    without, sections = computed(study)
    assert bertscore_of(sections["type:LE"])["reason"] == "encoder_unavailable"
    assert sections["type:LE"]["spans"]["similarity"]["exact"]["value"] == 0.5
    shown = page(lead_client, study)
    assert "the encoder minilm-int8 could not be loaded (there is no folder minilm-int8" in shown
    assert "Compute the report again" in shown
    encoder_folder(tmp_path)
    again, sections = computed(study)
    assert again.digest != without.digest
    assert bertscore_of(sections["type:LE"])["n_pairs"] == 2


def test_a_worker_with_another_encoder_than_the_web_server_does_not_use_it(study, settings, encoder):
    asked = report_request(round=study.round)
    settings.ENCODER = "owner/another"
    report_compute(report_id=asked.id)
    asked.refresh_from_db()
    assert asked.figures["encoder"]["revision"] is None
    assert asked.figures["encoder"]["reason"] == "ELENCHUS_ENCODER of the worker names another encoder"


def test_spans_that_the_encoder_cannot_read_are_undefined_with_their_reason(settings, tmp_path):
    made = factories.study(items=1, annotators=2, texts=("a \ufffd b",))
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "LE", factories.yes(made.items[0], "\ufffd"))
    made.round = round_close(made.round, by=made.lead)
    AgreementReport.objects.all().delete()
    settings.ENCODER = str(encoder_folder(tmp_path))
    _, sections = computed(made)
    assert bertscore_of(sections["type:LE"])["reason"] == "no_encoder_token"


def test_a_live_report_and_a_study_of_questions_use_no_encoder(encoder):
    live = factories.study(items=1)
    factories.open_round(live, live_agreement=True)
    assert "encoder" not in report_request(round=live.round).parameters
    questions = factories.study(items=1, codebook="cqs_gen", slug="questions")
    factories.open_round(questions, live_agreement=True)
    questions.round = round_close(questions.round, by=questions.lead)
    assert "encoder" not in report_request(round=questions.round).parameters
