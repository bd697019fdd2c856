"""Whatever a file holds, it is imported or refused in words; nothing of a refused file is stored.

`make fuzz` runs the two thousand files of the seeds from 0 on; the ordinary run takes a few of them.
"""

import csv
import os

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.importing.files.rows import FileError
from annotation.importing.items import items_import
from annotation.importing.reading import read_here
from annotation.importing.subprocess_reader import read_apart
from core.errors import Refused
from tests import factories
from tests.faults.mutated_files import mutated

pytestmark = pytest.mark.django_db

FILES = int(os.environ.get("ELENCHUS_FUZZ_FILES", "120"))
APART_EVERY = 40
UPLOADED = 12


@pytest.mark.parametrize("first", range(0, FILES, 40))
def test_a_mutated_file_is_imported_or_refused_in_words(tmp_path, first):
    for seed in range(first, min(first + 40, FILES)):
        name, content = mutated(seed)
        path = tmp_path / f"{seed}-{name}"
        path.write_bytes(content)
        project = factories.study("cqs_gen", annotators=1, items=0, slug=f"p{seed}").project
        reader = read_apart if seed % APART_EVERY == 0 else read_here
        kept = {"project": project, "path": path, "name": name, "reader": reader}
        refused_path = tmp_path / f"{seed}.refused.csv"
        try:
            report = items_import(**kept)
            in_words(seed, report)
            n_new = report.counts.get("new items", 0)
            assert project.items.count() == (n_new if report.stored else 0), seed
            if report.refused:
                report = items_import(**kept, skip_invalid=True, refused_path=refused_path)
                assert project.items.count() == report.counts.get("new items", 0), seed
        except FileError as error:
            assert error.message and str(tmp_path) not in str(error), seed
            assert project.items.count() == 0, seed
        except Refused as refusal:
            assert refusal.message, seed
        if refused_path.exists():
            mended_is_accepted(seed, project, refused_path)


@pytest.mark.parametrize("holds", ["items", "judgements"])
def test_the_page_answers_a_mutated_file_in_words(lead_client, holds):
    made = factories.study("cqs_gen", annotators=1, items=0, slug="s")
    stored = 0
    for seed in range(UPLOADED):
        name, content = mutated(seed)
        given = {"file": SimpleUploadedFile(name, content), "holds": holds, "round_name": f"Earlier {seed}"}
        answer = lead_client.post("/p/s/import/", given, follow=True)
        assert answer.status_code in (200, 422), (seed, name)
        upload = made.project.uploads.latest("pk")
        assert upload.state in ("done", "failed") and not upload.is_imported, (seed, upload.state)
        # Either the file was refused whole in words, or each refused row has its place and why.
        assert upload.error if upload.state == "failed" else upload.report, seed
        done = lead_client.post(answer.redirect_chain[-1][0], {"act": "import"}, follow=True)
        assert done.status_code in (200, 409, 422), seed
        upload.refresh_from_db()
        now = made.project.items.count()
        assert now == stored or upload.is_imported, seed
        stored = now


def in_words(seed: int, report) -> None:
    for said in (*report.refusals, *report.notices):
        assert said["place"] and (said.get("reason") or said.get("message")), seed
    assert report.stored != bool(report.refused), seed


def mended_is_accepted(seed: int, project, refused_path) -> None:
    with refused_path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert {"id", "text"} <= set(header) and len(set(header)) == len(header), seed
    values = {"id": "mended {}", "text": "Mended {}."}
    lines = [[values.get(column, "").format(n) for column in header] for n, _ in enumerate(rows)]
    mended = refused_path.with_name("mended.csv")
    with mended.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *lines])
    before = project.items.count()
    report = items_import(project=project, path=mended)
    assert (report.refused, project.items.count()) == (0, before + len(lines)), (seed, report.refusals)
