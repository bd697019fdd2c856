"""The script that joins the texts to a release without texts, and what it says where they do not fit."""

import json
import subprocess
import sys

import pytest

from annotation.importing.items import items_import
from annotation.projects.projects import project_create
from tests.exports.test_stranger import judged, load
from tests.factories import close, focus_study, judge, yes
from tests.factories.releases import released

pytestmark = pytest.mark.django_db


def join(folder, name, texts):
    """Run the script apart from this environment; `texts` are bytes, or rows for a line each."""
    path = folder.parent / "texts.jsonl"
    lines = texts if isinstance(texts, bytes) else "".join(json.dumps(row) + "\n" for row in texts).encode()
    path.write_bytes(lines)
    script = folder / "scripts" / "join_texts.py"
    words = [sys.executable, "-I", script, folder / name, path, folder.parent / "joined.json"]
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8")


def refused(folder, name, texts):
    """Return what the script says, the path of the file left out, and check that it wrote nothing."""
    ran = join(folder, name, texts)
    assert (ran.returncode, ran.stdout, (folder.parent / "joined.json").exists()) == (1, "", False)
    return ran.stderr.strip().replace(f"{folder.parent}/", "")


def test_texts_are_joined_again_and_another_text_is_refused(tmp_path):
    made = judged()
    whole = load(released(made.project, tmp_path / "whole", "1") / "focus.train.json")
    folder = released(made.project, tmp_path / "ids", "2", texts=False)

    rows = [{"id": item.external_id, "text": item.text} for item in made.items]
    assert refused(folder, "focus.train.json", [{**rows[0], "text": "other"}]).splitlines() == [
        "I-1: the text is not the one that was annotated (its SHA-256 differs)",
        "I-2: no text",
    ]
    assert join(folder, "focus.train.json", rows).returncode == 0
    for entry in whole.values():
        for label in entry["labels"]:
            for span in label["gold_spans"]:
                del span["question"]
    assert (tmp_path / "joined.json").read_text() == json.dumps(whole, indent=4)


HARD = "🎉 Café.\r\nNext\u2028one.\r\n"


@pytest.fixture
def hard(tmp_path):
    made = focus_study(annotators=2, items=1, texts=(HARD,))
    judge(made, made.items[0], {"LE": [yes(made.items[0], "🎉 Café")] * 2})
    close(made)
    return released(made.project, tmp_path / "ids", texts=False)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_emoji_line_breaks_and_separators_come_back_as_they_were(mark, hard, tmp_path):
    line = json.dumps({"id": "I-1", "text": HARD}, ensure_ascii=False).encode()
    assert join(hard, "focus.json", mark + line + b"\r\n\r\n").stdout == "1 texts joined\n"
    entry = load(tmp_path / "joined.json")["I-1"]
    assert (entry["argument"], entry["spans"]) == (HARD, ["🎉 Café"])


@pytest.mark.parametrize(
    ("text", "because"),
    [
        (HARD.replace("\r\n", "\n"), "its line breaks are not CRLF"),
        (HARD.replace("é", "e\u0301"), "it is not in Unicode form NFC"),
        (HARD[:-2], None),
        (f"\ufeff{HARD}", "it begins with a byte order mark"),
    ],
)
def test_how_a_text_differs_is_said(text, because, hard):
    why = f", because {because}" if because else " (its SHA-256 differs)"
    told = refused(hard, "focus.json", [{"id": "I-1", "text": text}])
    assert told == f"I-1: the text is not the one that was annotated{why}"


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (b'{"id": "I-1"}', 'texts.jsonl, line 1: expected an object with "id" and "text"'),
        (b'\n["I-1"]', 'texts.jsonl, line 2: expected an object with "id" and "text"'),
        (b'{"id": ', "texts.jsonl, line 1: is no JSON: column 8: Expecting value"),
        (b"\xff", "texts.jsonl: is not UTF-8 (byte 1)"),
        (
            [{"id": 1, "text": "a"}, {"id": "1", "text": "b"}],
            "texts.jsonl, line 2: 1 has another text in an earlier line",
        ),
    ],
)
def test_a_file_of_texts_that_cannot_be_read_is_refused_with_its_place(texts, why, hard):
    assert refused(hard, "focus.json", texts) == why


def test_what_is_no_release_without_texts_is_refused(hard, tmp_path):
    assert refused(hard, "nowhere.json", []) == "ids/nowhere.json: cannot be read: No such file or directory"
    (hard / "whole.json").write_text('{"I-1": {"argument": "x"}}')
    told = refused(hard, "whole.json", [])
    assert told == "ids/whole.json: I-1 has no SHA-256 of a text: is this a release with texts?"


def test_interventions_are_joined_too(shared_data, tmp_path):
    project = project_create(slug="validation", codebook="cqs_gen")
    published = load(shared_data / "cqs_gen" / "validation.json")
    items_import(project=project, path=shared_data / "cqs_gen" / "validation.json")
    folder = released(project, tmp_path / "ids", texts=False, quoting_questions=True)
    rows = [{"id": name, "text": entry["intervention"]} for name, entry in published.items()]
    assert join(folder, "cqs_gen.json", rows).stdout == "186 texts joined\n"
    assert load(tmp_path / "joined.json") == published
