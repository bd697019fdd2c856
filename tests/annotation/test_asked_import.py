"""What an imported round asked about each text: all types, those judged, or by a field of the text."""

import json

import pytest
from django.core.management import call_command

from annotation.importing.judgements import judgements_import
from annotation.models import Assignment, RoundItem, TypeAnnotation
from annotation.rounds.progress import progress_of_round
from core.errors import Refused
from tests import factories
from tests.factories import asked_rounds

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    return factories.study("focus", annotators=0, items=4, texts=asked_rounds.TEXTS)


def write(path, rows):
    path.write_text(
        "\n".join(
            json.dumps({"item": item, "type": code, "annotator": annotator, "applicable": False})
            for item, code, annotator in rows
        )
    )
    return path


ROWS = [
    (f"I-{number}", code, annotator)
    for number, codes in ((1, ("OSP", "TC")), (2, ("LE", "WE")))
    for code in codes
    for annotator in ("Mo", "Jo")
]


def brought(made, path, **options):
    return judgements_import(project=made.project, path=path, round_name="Old", **options)


def asked_of(made) -> dict[str, str | None]:
    rows = RoundItem.objects.filter(round__project=made.project).order_by("item")
    return dict(rows.values_list("item__external_id", "types"))


def test_by_default_all_types_were_asked(made, tmp_path):
    assert brought(made, write(tmp_path / "j.jsonl", ROWS)).stored
    assert asked_of(made) == {"I-1": None, "I-2": None}
    assert [row.total for row in progress_of_round(made.project.rounds.get())] == [20, 20]


def test_what_somebody_judged_was_asked_of_everybody(made, tmp_path):
    path = write(tmp_path / "j.jsonl", ROWS[:-1])
    assert brought(made, path, asked={"by": "judgements"}).stored
    assert asked_of(made) == {"I-1": "OSP TC", "I-2": "LE WE"}
    # Jo has not answered WE of the second text, which Mo did.
    rows = progress_of_round(made.project.rounds.get())
    assert sorted((row.decided, row.total) for row in rows) == [(3, 4), (4, 4)]
    assert made.project.rounds.get().asked == {"by": "judgements"}


def test_by_a_field_each_text_was_asked_the_types_of_its_value(made, tmp_path):
    by_topic = {"field": "topic", "types": asked_rounds.BY_TOPIC}
    stray = [("I-1", "LE", "Mo")]
    report = brought(made, write(tmp_path / "j.jsonl", ROWS + stray), asked=by_topic, skip_invalid=True)
    assert report.stored and report.refused == 1
    assert report.refusals[0]["reason"] == "“I-1” is not asked LE in Old"
    assert asked_of(made) == {"I-1": "OSP TC", "I-2": "LE WE"}
    assert set(Assignment.objects.values_list("types", flat=True)) == {"OSP TC", "LE WE"}


def test_a_text_whose_value_says_nothing_is_refused(made, tmp_path):
    given = {"field": "topic", "types": {"topic 1": ["OSP", "TC"]}}
    report = brought(made, write(tmp_path / "j.jsonl", ROWS), asked=given)
    assert not report.stored and report.refused == 4
    assert report.refusals[0]["reason"] == "no type is chosen for the “topic” of “I-2”"
    assert not made.project.rounds.exists()


def test_a_round_that_grows_keeps_what_its_texts_were_asked(made, tmp_path):
    brought(made, write(tmp_path / "a.jsonl", ROWS), asked={"by": "judgements"})
    more = [("I-1", "OSP", "Flo"), ("I-3", "CF", "Flo"), ("I-1", "LE", "Flo")]
    report = brought(made, write(tmp_path / "b.jsonl", more), skip_invalid=True)
    assert report.stored and report.refused == 1
    assert asked_of(made) == {"I-1": "OSP TC", "I-2": "LE WE", "I-3": "CF"}
    of_flo = Assignment.objects.filter(member__private_name="Flo").order_by("item")
    assert list(of_flo.values_list("types", flat=True)) == ["OSP TC", "CF"]
    with pytest.raises(Refused, match="another choice of what is asked"):
        brought(
            made, write(tmp_path / "c.jsonl", ROWS), asked={"field": "topic", "types": asked_rounds.BY_TOPIC}
        )
    assert TypeAnnotation.objects.count() == len(ROWS) + 2


def test_a_look_through_stores_nothing(made, tmp_path):
    report = brought(made, write(tmp_path / "j.jsonl", ROWS), asked={"by": "judgements"}, dry_run=True)
    assert report.counts["new judgements"] == 8 and not made.project.rounds.exists()


def test_the_command_takes_both_choices(made, tmp_path):
    path = str(write(tmp_path / "j.jsonl", ROWS))
    slug = made.project.slug
    call_command("import_judgements", slug, path, "--round", "A", "--asked", "judgements")
    words = ["topic 1=OSP,TC", "topic 0=LE,WE"]
    call_command("import_judgements", slug, path, "--round", "B", "--asked-by", "topic", *words)
    for round in made.project.rounds.all():
        types = round.round_items.order_by("item").values_list("types", flat=True)
        assert list(types) == ["OSP TC", "LE WE"]
