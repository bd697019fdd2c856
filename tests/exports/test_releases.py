"""A release is built whole or not at all, and stays what it was."""

import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.database.install import lifted_triggers
from annotation.models import TypeAnnotation
from core.errors import Refused
from exports.models import Release
from exports.releases import build as building
from exports.releases import lifecycle as releases
from exports.releases.build import NotReconciled, build_files
from exports.releases.lifecycle import release_request
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests.factories import adjudicate, focus_study, judged
from tests.factories.releases import contents, release, released, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_two_builds_of_the_same_judgements_are_equal_byte_for_byte(tmp_path):
    selection = read_selection(judged().project, Parameters())
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        build_files(selection, "1.0", tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_the_same_version_of_the_same_judgements_is_the_release_that_is_there():
    made = judged()
    first = release(made.project)
    assert release(made.project).pk == first.pk
    assert first.state == "done"


@pytest.mark.parametrize("change", ["judgements", "choices", "code"])
def test_the_same_version_of_something_else_is_refused(change, monkeypatch):
    made = judged()
    release(made.project)
    choices = {}
    if change == "judgements":
        adjudicate(made, made.items[0], "WE", False)
    elif change == "choices":
        choices = {"comments": True}
    else:
        monkeypatch.setattr("exports.releases.build.FORMAT_VERSION", 99)
    with pytest.raises(Refused, match="give this one a new version"):
        release(made.project, **choices)
    assert release(made.project, "1.1", **choices).state == "done"


def test_the_sums_are_those_of_the_files_in_the_folder_and_the_manifest(tmp_path):
    made = judged()
    folder = released(made.project, tmp_path / "out")
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    found = contents(folder)
    assert sums == {
        name: hashlib.sha256(content).hexdigest() for name, content in found.items() if name != "SHA256SUMS"
    }
    row = release(made.project)
    assert {file["name"]: (file["sha256"], file["size"]) for file in row.files if not file["archive"]} == {
        name: (hashlib.sha256(content).hexdigest(), len(content)) for name, content in found.items()
    }


def test_the_manifest_says_what_it_was_built_from_and_its_counts_are_the_databases(tmp_path):
    made = judged()
    manifest = json.loads((released(made.project, tmp_path / "out") / "release.json").read_bytes())
    assert manifest["version"] == "1.0"
    assert manifest["rounds"][0]["name"] == "Round 1"
    assert manifest["parameters"]["rounds"] is None
    counts = manifest["counts"]
    assert (counts["items"], counts["judgements"], counts["gold_spans"]) == (2, 40, 2)
    assert counts["judgements"] == TypeAnnotation.objects.filter(assignment__round=made.round).count()
    assert manifest["labels"]["VAT yes"] == 2


def test_a_resolution_whose_span_is_outside_the_text_stops_the_release_and_is_named():
    made = judged()
    adjudicate(made, made.items[1], "WE", True, (3, 9999))
    with pytest.raises(NotReconciled, match=r"item 'I-2', WE: the resolved span \[3, 9999\] is not inside"):
        release(made.project)
    row = made.project.releases.get()
    assert (row.state, row.files, row.digest) == ("failed", [], "")
    assert "9999" in row.error
    assert stored_files() == []


def test_a_quote_that_is_not_the_text_stops_the_release():
    made = judged()
    with lifted_triggers():
        row = TypeAnnotation.objects.filter(type_code="VAT").first()
        TypeAnnotation.objects.filter(pk=row.pk).update(quote="x" * (row.end - row.start))
    with pytest.raises(NotReconciled, match="item 'I-1', VAT: the quote of A2 is not the text"):
        release(made.project)


def test_judgements_that_change_during_the_build_stop_it(monkeypatch):
    made = judged()
    real = releases.build_files

    def changing(selection, *arguments):
        adjudicate(made, made.items[0], "WE", False)
        return real(selection, *arguments)

    stamps = iter(["before", "after"])
    monkeypatch.setattr("exports.releases.build.inputs_stamp", lambda selection: next(stamps))
    monkeypatch.setattr(releases, "build_files", changing)
    with pytest.raises(NotReconciled, match="changed while it was being built"):
        release(made.project)


def test_the_stamp_changes_with_a_judgement_a_resolution_and_a_withdrawal():
    from exports.files.reconciliation import inputs_stamp

    made = judged()
    selection = read_selection(made.project, Parameters())
    stamps = [inputs_stamp(selection)]
    row = TypeAnnotation.objects.first()
    row.revision += 1
    row.save()
    stamps.append(inputs_stamp(selection))
    adjudicate(made, made.items[0], "WE", False)
    stamps.append(inputs_stamp(selection))
    made.items[0].withdrawn_at, made.items[0].withdrawn_reason = timezone.now(), "x"
    made.items[0].save()
    stamps.append(inputs_stamp(selection))
    assert len(set(stamps)) == 4


def test_there_is_nothing_to_release_before_a_round_is_closed():
    made = focus_study()
    with pytest.raises(Refused, match="close a round"):
        release(made.project)


OTHER_VALUES = {
    "id": 999_999,
    "version": "2",
    "parameters": {},
    "state": "failed",
    "progress_done": 0,
    "progress_total": 999,
    "lease_token": "x",
    "attempts": 9,
    "lease_until": datetime(2000, 1, 1, tzinfo=UTC),
    "error": "x",
    "digest": "0",
    "files": [],
    "counts": {},
    "public": {},
    "card": "x",
    "name": "x",
    "licence": "x",
    "description": "x",
    "created_at": datetime(2000, 1, 1, tzinfo=UTC),
    "enqueued_at": datetime(2000, 1, 1, tzinfo=UTC),
    "built_at": datetime(2000, 1, 1, tzinfo=UTC),
}


def test_of_a_finished_release_only_whether_it_is_public_or_taken_down_can_change():
    made = judged()
    row = release(made.project)
    other = focus_study(annotators=1, items=1)
    values = {**OTHER_VALUES, "project": other.project, "member": other.lead}
    assert values.keys() == {field.name for field in Release._meta.fields} - {"is_public", "taken_down_at"}
    for name, value in values.items():
        with (
            pytest.raises(IntegrityError, match="a release is immutable: build a new version"),
            transaction.atomic(),
        ):
            Release.objects.filter(pk=row.pk).update(**{name: value})
    for public in (True, False):
        Release.objects.filter(pk=row.pk).update(is_public=public)
        assert Release.objects.get(pk=row.pk).is_public is public
    now = timezone.now()
    Release.objects.filter(pk=row.pk).update(taken_down_at=now)
    assert Release.objects.get(pk=row.pk).taken_down_at == now
    with pytest.raises(IntegrityError, match="a release is never deleted"), transaction.atomic():
        Release.objects.filter(pk=row.pk).delete()


def test_a_done_release_has_a_digest_and_one_that_is_not_has_none():
    made = judged()
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=row.pk).update(state="done")
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=row.pk).update(digest="0" * 64)


@pytest.mark.parametrize("batch", [1, 2, 4])
def test_how_many_records_are_taken_in_at_a_time_does_not_show_in_the_digest(batch, monkeypatch):
    selection = read_selection(judged(items=3).project, Parameters())
    whole = building.release_digest(selection)
    monkeypatch.setattr(building, "BATCH", batch)
    assert building.release_digest(selection) == whole


@pytest.mark.parametrize("version", ["", " 1", "a/b", "../x", "v 1", "x" * 41])
def test_a_version_that_cannot_be_a_folder_is_refused(version):
    made = judged()
    with pytest.raises(Refused, match="cannot be a version"):
        release(made.project, version)
