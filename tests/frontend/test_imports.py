"""Leads bring a file, see what will happen, let it happen, and take it back."""

import html
import sys
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation import tasks
from annotation.importing.subprocess_reader import AT_ONCE
from annotation.models import Upload
from core.jobs import LEASE
from tests import factories
from tests.annotation.workbooks import HEADER, parts, row, saved_bytes, sheet, text
from tests.pages import html_of

pytestmark = pytest.mark.django_db

GOOD = b"id,text,topic\na1,First text.,t1\na2,Second text.,t2\n"
MIXED = b"id,text\na1,First text.\na2,\n"


@pytest.fixture
def study():
    return factories.study("focus", annotators=2, items=0, slug="s")


def send(client, content: bytes, name: str = "items.csv", **more):
    given = {"file": SimpleUploadedFile(name, content), "holds": "items", **more}
    return client.post("/p/s/import/", given, follow=True)


def test_a_file_is_checked_shown_imported_and_undone(lead_client, study):
    response = send(lead_client, GOOD)
    page = html_of(response)
    assert "<b>2</b> new items" in page and "Import 2 new items" in page and "First text." in page
    assert study.project.items.filter(brought_by__state="done").count() == 0
    address = response.redirect_chain[-1][0]
    page = html_of(lead_client.post(address, {"act": "import"}, follow=True))
    assert "Go on with the project" in page
    assert study.project.items.count() == 2
    brought = study.project.imports.get(state="done", member=study.lead)
    page = html_of(lead_client.post(f"/p/s/imports/{brought.pk}/undo/", follow=True))
    assert "The import of items.csv is undone: 2 items taken away." in page
    assert study.project.items.count() == 0


def test_only_a_project_of_questions_asks_who_wrote_them(lead_client, study):
    factories.study("cqs_gen", items=0, slug="q")
    assert "Who wrote the questions" in html_of(lead_client.get("/p/q/import/"))
    assert "Who wrote the questions" not in html_of(lead_client.get("/p/s/import/"))


def test_refused_rows_are_listed_and_can_be_left_out_or_downloaded(lead_client, study):
    response = send(lead_client, MIXED)
    page = html_of(response)
    assert "1 row breaks a rule" in page and "row 3" in page and "the text is blank" in page
    address = response.redirect_chain[-1][0]
    refused = lead_client.get(f"{address}refused.csv")
    assert b"the text is blank" in b"".join(refused.streaming_content)
    assert refused["Content-Disposition"] == 'attachment; filename="items.refused.csv"'
    page = html_of(lead_client.post(address, {"act": "import", "skip_invalid": "on"}, follow=True))
    assert "1 row refused and left out" in page
    assert study.project.items.get().external_id == "a1"


def test_the_same_file_again_is_told_to_change_nothing(lead_client, study):
    address = send(lead_client, GOOD).redirect_chain[-1][0]
    lead_client.post(address, {"act": "import"})
    assert "Everything in it is here already." in html_of(send(lead_client, GOOD))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"id,text\n", "The file has the names of its columns and no row."),
        ("a.csv", b"id,text\na1,\n", "Nothing in it can be imported as it is."),
        ("a.csv", b"", "a.csv is empty."),
        ("a.csv", b"\xef\xbb\xbf", "row 1: the columns of no known format"),
        ("a.csv", b"\xe9,text\n", "row 1, column 1: byte 0xE9 is not UTF-8; save the file as UTF-8"),
        ("a.jsonl", b'{"id":' + b"9" * 5000 + b"}", "The file is no valid JSON: a whole number has more"),
        ("a.json", b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "The file is no valid JSON: nested too deeply."),
        ("a.xlsx", b"PK\x03\x04" + bytes(99), "cannot be read as an Excel workbook"),
        ("a.json", b'{"T": {"intervention_id": "T", "intervention": "x", "dataset": "d", "cqs": '
         b'[{"id": "T_1", "cq": "Why?"}]}}', "import it into a CQs-Gen project"),
    ],
)  # fmt: skip
def test_a_file_of_which_nothing_can_be_imported_says_why_and_offers_another(
    lead_client, study, name, content, told
):
    page = html.unescape(html_of(send(lead_client, content, name)))
    assert told in page
    assert "Choose another file" in page or "Check this file" in page
    assert "Import without the refused rows" not in page
    assert study.project.items.count() == 0


def test_a_table_of_a_thousand_columns_keeps_them_with_the_item(lead_client, study):
    names = [f"c{n}" for n in range(998)]
    content = f"id,text,{','.join(names)}\nx1,A text.,{','.join(names)}\n".encode()
    address = send(lead_client, content).redirect_chain[-1][0]
    lead_client.post(address, {"act": "import"})
    assert study.project.items.get().metadata == {name: name for name in names}


def test_a_name_that_would_turn_the_line_around_is_shown_without_its_controls(lead_client, study):
    page = html_of(send(lead_client, GOOD, "stxet\u202evsc.csv"))
    assert "stxetvsc.csv" in page and "\u202e" not in page


def test_a_file_with_other_columns_asks_which_is_which(lead_client, study):
    response = send(lead_client, b"nr,body\n7,Some text.\n")
    page = html_of(response)
    assert "This file cannot be imported as it is" in page and '<option value="body"' in page
    address = response.redirect_chain[-1][0]
    given = {"act": "columns", "column-id": "nr", "column-text": "body"}
    page = html_of(lead_client.post(address, given, follow=True))
    assert "<b>1</b> new item<" in page and "Some text." in page


def test_a_file_of_judgements_with_other_columns_asks_too(lead_client):
    made = factories.study("focus", annotators=1, items=1, slug="s")
    content = b"Text id,Coder,Category,Answer\nI-1,Mona,OSP,no\n"
    response = send(lead_client, content, holds="judgements", round_name="Earlier")
    page = html_of(response)
    assert "This file cannot be imported as it is" in page and '<option value="Coder"' in page
    assert 'name="column-annotator"' in page and 'name="column-text"' not in page
    address = response.redirect_chain[-1][0]
    columns = {"item": "Text id", "annotator": "Coder", "type": "Category"}
    given = {f"column-{ours}": theirs for ours, theirs in columns.items()}
    page = lead_client.post(address, {"act": "columns", **given, "column-annotator": ""}, follow=True)
    assert "Choose the column for: annotator." in html_of(page)
    given["column-applicable"] = "Answer"
    page = html_of(lead_client.post(address, {"act": "columns", **given}, follow=True))
    assert "<b>1</b> new judgement" in page
    lead_client.post(address, {"act": "import"})
    assert made.project.rounds.get(name="Earlier").assignments.count() == 1


@pytest.mark.parametrize("name", ["nobody", "b\0dy", "x" * 100_000])
def test_a_column_that_the_file_lacks_stands_for_nothing(lead_client, study, name):
    address = send(lead_client, b"nr,body\n7,Some text.\n").redirect_chain[-1][0]
    given = {"act": "columns", "column-id": "nr", "column-text": name}
    page = html_of(lead_client.post(address, given, follow=True))
    assert f"The file has no column “{name[:80]}” that can be used" in page
    assert Upload.objects.get().columns == {}


def test_a_large_file_is_left_to_a_worker_and_the_page_follows_it(
    lead_client, study, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr("annotation.importing.uploads.AT_ONCE_BYTES", 10)
    monkeypatch.setattr(tasks.check_upload, "delay", lambda *given: sent.append(given))
    with django_capture_on_commit_callbacks(execute=True):
        response = send(lead_client, GOOD)
    upload = Upload.objects.get()
    assert sent == [(upload.pk, "en")]
    address = response.redirect_chain[-1][0]
    page = html_of(response)
    assert "Waiting for a worker." in page and 'hx-trigger="every 2s"' in page
    Upload.objects.update(
        state="running", lease_token="x", lease_until=timezone.now() + LEASE, rows_read=34000
    )
    assert "Rows read so far: 34\u202f000." in html_of(lead_client.get(f"{address}progress/"))
    long_ago = timezone.now() + LEASE - timedelta(minutes=2, seconds=5)
    Upload.objects.update(lease_until=long_ago, attempts=2)
    silent = html_of(lead_client.get(f"{address}progress/"))
    assert "Nothing was heard of the worker for 2 minutes." in silent and "Attempt 2." in silent
    Upload.objects.update(state="done")
    done = lead_client.get(f"{address}progress/")
    assert (done.status_code, done["HX-Redirect"]) == (204, address)


def test_a_lead_cancels_a_check_on_the_page_and_has_it_done_after_all(lead_client, study, monkeypatch):
    monkeypatch.setattr("annotation.importing.uploads.AT_ONCE_BYTES", 10)
    response = send(lead_client, GOOD)
    address = response.redirect_chain[-1][0]
    assert "Cancel the check</button>" in html_of(response)
    page = html_of(lead_client.post(address, {"act": "cancel"}, follow=True))
    assert "It was cancelled; nothing was stored" in page and 'hx-trigger="every 2s"' not in page
    assert lead_client.get(f"{address}progress/").status_code == 204
    page = html_of(lead_client.post(address, {"act": "cancel"}, follow=True))
    assert "The work on items.csv has ended already." in page
    monkeypatch.undo()
    page = html_of(lead_client.post(address, {"act": "retry"}, follow=True))
    assert "Import 2 new items" in page


def test_judgements_need_the_name_of_their_round(lead_client, study):
    page = html_of(send(lead_client, b"item,annotator\n", holds="judgements"))
    assert "Name the round that the judgements go into." in page
    assert not Upload.objects.exists()


def test_files_of_another_project_cannot_be_reached(lead_client, study):
    other = factories.study("focus", slug="other")
    foreign = Upload.objects.create(
        project=other.project, member=other.lead, name="x", size=1, refused_file="uploads/x.csv"
    )
    for act in ("", "progress/", "refused.csv"):
        assert lead_client.get(f"/p/s/import/{foreign.pk}/{act}").status_code == 404
    brought = other.project.imports.get()
    assert lead_client.post(f"/p/s/imports/{brought.pk}/undo/").status_code == 404
    assert other.project.items.count() == 2


@pytest.mark.parametrize(
    ("language", "one", "two", "three"),
    [
        ("en", "new item", "new items", "1 new item, 2 items already there"),
        ("es", "texto nuevo", "textos nuevos", "1 texto nuevo, 2 textos que ya estaban"),
        ("ja", "新しいテキスト", "新しいテキスト", "1 新しいテキスト, 2 既存のテキスト"),
    ],
)
def test_what_an_import_counts_is_said_of_one_and_of_many(lead_client, study, language, one, two, three):
    lead_client.cookies["django_language"] = language
    for content, said in ((b"id,text\nx1,A text.\n", f"<b>1</b> {one}<"), (GOOD, f"<b>2</b> {two}<")):
        address = send(lead_client, content).redirect_chain[-1][0]
        assert said in html_of(lead_client.get(address))
        assert said in html_of(lead_client.post(address, {"act": "import"}, follow=True))
    address = send(lead_client, GOOD + b"z9,Another text.,t1\n").redirect_chain[-1][0]
    lead_client.post(address, {"act": "import"})
    table = html_of(lead_client.get("/p/s/import/"))
    assert f"<li>1 {three.split(', ')[0][2:]}</li>" in table
    log = html_of(lead_client.get("/p/s/log/"))
    assert [said for said in three.split(", ") if said not in log] == []


WORKBOOK = saved_bytes(parts(sheet(HEADER, row(2, text("A2", "a"), text("B2", "First text.")))))
FOREIGN_READERS = ("delimited.records", "excel.records", "encodings.json_document")


@pytest.mark.parametrize(("content", "name"), [(GOOD, "a.csv"), (WORKBOOK, "a.xlsx")], ids=["csv", "xlsx"])
def test_no_web_process_reads_a_file_and_a_page_shows_what_was_found_once(
    lead_client, study, monkeypatch, content, name
):
    def read(*given):
        raise AssertionError("a file is read in the web process")

    for reader in FOREIGN_READERS:
        monkeypatch.setattr(f"annotation.importing.files.{reader}", read)
    address = send(lead_client, content, name).redirect_chain[-1][0]
    monkeypatch.setattr("django.core.files.storage.FileSystemStorage.open", read)
    monkeypatch.setattr("annotation.importing.subprocess_reader.subprocess.Popen", read)
    page = html_of(lead_client.get(address))
    assert "First text." in page and '<option value="text"' in page


def test_a_file_that_takes_long_is_left_to_a_worker_and_still_waits_to_be_checked(
    lead_client, study, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr(tasks.check_upload, "delay", lambda *given: sent.append(given))
    large = saved_bytes({"[Content_Types].xml": "x" * (AT_ONCE.unpacked + 1)})
    with django_capture_on_commit_callbacks(execute=True):
        page = html_of(send(lead_client, large, "a.xlsx"))
    upload = Upload.objects.get()
    assert (upload.work, upload.state, sent) == ("check", "queued", [(upload.pk, "en")])
    assert "Waiting for a worker." in page
    tasks.check_upload(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.error) == (
        "failed",
        "The file cannot be read as an Excel workbook: its part 'xl/workbook.xml' is missing. Open it in "
        "Excel and save it again as .xlsx, or save its table as CSV UTF-8.",
    )


def test_a_reader_that_came_to_its_end_is_told_in_a_sentence(lead_client, study, monkeypatch):
    ends = (sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setattr("annotation.importing.subprocess_reader._CHILD", ends)
    page = html.unescape(html_of(send(lead_client, GOOD)))
    assert "The file takes more than 256 MB of memory to read: split it into several files" in page
    assert study.project.items.count() == 0


def test_items_and_their_questions_are_counted_by_themselves(lead_client, study):
    factories.study("cqs_gen", items=0, slug="q")
    content = b"id,text,question\na,One.,Why?\na,One.,How?\nb,Two.,Who?\n"
    given = {"file": SimpleUploadedFile("a.csv", content), "holds": "items"}
    page = html_of(lead_client.post("/p/q/import/", given, follow=True))
    assert "Import 2 new items and 3 new questions</button>" in page


def test_questions_for_a_project_that_judges_none_are_refused_once_for_the_file(lead_client, study):
    rows = "".join(f"a{n},Text {n}.,Why?\n" for n in range(186))
    page = html_of(send(lead_client, f"id,text,question\n{rows}".encode()))
    assert page.count("has questions, and this project judges none; import it into a CQs-Gen project") == 1
    assert "This file cannot be imported as it is" in page


def test_one_reason_of_many_rows_is_shown_for_the_first_of_them(lead_client, study):
    rows = "".join(f"a{n},\n" for n in range(186))
    page = html_of(send(lead_client, f"id,text\n{rows}z,\n".encode()))
    assert page.count("<td>the text is blank") == 5
    assert "and 182 more rows" in page


FOCUS_FILES = {
    "model.csv": b"Argument,category,FSQType1,FSQType2,Span_FSQType1,Span_FSQType2,Predicted_Type1,"
    b"Predicted_Type2,Span_PredictedType1,Span_PredictedType2\nTaxes rise.,reasons_evidence,,,,,,,,\n",
    "reason.csv": b"A1_reason_F,A2_reason_F,A1_reason_G,A2_reason_G\nTaxes, ,,rise\n",
}


def send_focus(client, files, **more):
    given = [SimpleUploadedFile(name, content) for name, content in files.items()]
    return client.post(
        "/p/s/import/", {"file": given, "holds": "focus", "set_name": "dev", **more}, follow=True
    )


def test_the_focus_authors_files_are_checked_and_imported_together(lead_client, study):
    response = send_focus(lead_client, FOCUS_FILES)
    page = html_of(response)
    assert "<b>1</b> new item" in page and "<b>4</b> new judgements" in page
    assert "sheet; reasons_evidence; A1 A2; 1 rows; 2 yes, 2 no, 1 blank; 2 exact" in page
    assert "column A2_reason_F (dev001)" in page and "holds white space alone and is a no" in page
    assert not study.project.items.exists()
    address = response.redirect_chain[-1][0]
    page = html_of(lead_client.post(address, {"act": "import"}, follow=True))
    assert "Go on with the project" in page and "<b>4</b> new judgements" in page
    assert study.project.items.get().external_id == "dev001"
    assert study.project.rounds.get(name="dev").status == "closed"
    page = html_of(send_focus(lead_client, FOCUS_FILES))
    assert "Everything in it is here already. Importing it would change nothing." in page


@pytest.mark.parametrize(
    ("files", "more", "told"),
    [
        (FOCUS_FILES, {"set_name": ""}, "Name the set, as in dev."),
        (FOCUS_FILES, {"set_name": "a b"}, "Name the set by letters, digits, dots and hyphens"),
        (
            FOCUS_FILES,
            {"holds": "items"},
            "Choose one file: only the FOCUS authors’ files come several at once.",
        ),
        ({"reason.csv": FOCUS_FILES["reason.csv"]}, {}, "reason.csv: brings no arguments"),
        (FOCUS_FILES | {"x.csv": b"a,b\n"}, {}, "x.csv: row 1: is none of the FOCUS authors"),
    ],
)
def test_focus_files_that_do_not_belong_together_are_refused_in_words(lead_client, study, files, more, told):
    assert told in html.unescape(html_of(send_focus(lead_client, files, **more)))
    assert not study.project.items.exists()
