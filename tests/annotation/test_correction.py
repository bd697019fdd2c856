"""What is said of an item beside its text can be corrected while no release has it; the log says so."""

import csv

import pytest
from django.core.management import call_command

from agreement.report.loading import judgements_stamp
from annotation.importing.items import items_import
from annotation.items.correction import held_by, item_correct
from annotation.models import ProjectEvent
from annotation.signals import items_held
from core.errors import Refused
from tests.factories import NO, add_items, close, focus_study, judge, study
from tests.factories.releases import release

pytestmark = pytest.mark.django_db


def write(path, *rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("id", "text", "topic", "split"), *rows])
    return path


@pytest.fixture
def made():
    return study(annotators=1, items=2)


def correction(made, tmp_path, *changes):
    rows = [(item.external_id, item.text, *change) for item, change in zip(made.items, changes, strict=False)]
    return write(tmp_path / "c.csv", *rows)


def test_a_second_import_corrects_items_only_where_the_lead_says_so(made, tmp_path):
    path = correction(made, tmp_path, ("Energy", "train"), ("", "train"))
    report = items_import(project=made.project, path=path)
    assert (report.changed, report.noticed) == (False, 3)
    report = items_import(project=made.project, path=path, correct=True, member=made.lead)
    assert (report.stored, report.counts["new corrections"]) == (True, 2)
    first, second = made.project.items.order_by("id")
    assert (first.topic, first.split, second.topic, second.split) == (
        "Energy",
        "train",
        made.items[1].topic,
        "train",
    )
    event = ProjectEvent.objects.get(action="items corrected")
    assert (event.member, event.details["items"], event.details["file"]) == (made.lead, 2, "c.csv")
    assert event.details["changes"] == [
        ["I-1", "topic", made.items[0].topic, "Energy"],
        ["I-1", "split", "", "train"],
        ["I-2", "split", "", "train"],
    ]
    again = items_import(project=made.project, path=path, correct=True)
    assert again.changed is False


def test_looking_through_a_file_corrects_nothing_and_a_bad_row_refuses_all(made, tmp_path):
    path = correction(made, tmp_path, ("Energy", ""))
    report = items_import(project=made.project, path=path, correct=True, dry_run=True)
    assert report.counts["new corrections"] == 1
    broken = write(
        tmp_path / "b.csv", (made.items[0].external_id, made.items[0].text, "Energy", ""), ("", "x", "", "")
    )
    assert not items_import(project=made.project, path=broken, correct=True).stored
    assert "Energy" not in made.project.items.values_list("topic", flat=True)


def test_items_of_two_imports_become_one_split(made, tmp_path):
    made.items += add_items(made.project, 1)
    path = correction(made, tmp_path, *[("", "test")] * 3)
    call_command("import_items", made.project.slug, path, "--correct")
    assert set(made.project.items.values_list("split", "brought_by")) == {
        ("test", made.items[0].brought_by_id),
        ("test", made.items[2].brought_by_id),
    }
    assert made.items[0].brought_by_id != made.items[2].brought_by_id


@pytest.fixture
def released():
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {"LE": [NO, NO]})
    close(made)
    made.items += add_items(made.project, 1)
    release(made.project)
    return made


def test_what_a_release_has_stays_and_the_refusal_names_the_release(released, tmp_path):
    path = correction(released, tmp_path, ("Energy", ""), ("Energy", ""))
    report = items_import(project=released.project, path=path, correct=True, skip_invalid=True)
    (refusal,) = report.refusals
    assert "release 1.0 has this item" in refusal["reason"]
    first, second = released.project.items.order_by("id")
    assert (first.topic, second.topic) == (released.items[0].topic, "Energy")
    assert held_by(released.project, [first.pk, second.pk]) == {first.pk: "1.0"}
    with pytest.raises(Refused, match=r"release 1\.0"):
        item_correct(item=first, member=released.lead, given={"topic": "Energy"})


def test_one_item_is_corrected_on_its_page(lead_client):
    made = study(annotators=1, items=1, slug="s")
    item = made.items[0]
    page = lead_client.get(f"/p/s/items/{item.pk}/").content.decode()
    assert "Correct topic, split, source or licence" in page
    given = {"topic": " Energy ", "split": "test", "source": "", "licence": ""}
    page = lead_client.post(f"/p/s/items/{item.pk}/correct/", given, follow=True).content.decode()
    assert f"{item.external_id} is corrected." in page and "Energy" in page
    item.refresh_from_db()
    assert (item.topic, item.split) == ("Energy", "test")


def test_a_correction_makes_reports_look_again(made, tmp_path):
    judged = focus_study(annotators=2, items=1)
    judge(judged, judged.items[0], {"LE": [NO, NO]})
    round = close(judged)
    before = judgements_stamp(round)
    item_correct(item=judged.items[0], member=judged.lead, given={"topic": "Energy"})
    assert judgements_stamp(round) != before
    assert items_held.receivers
