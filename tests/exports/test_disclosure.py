"""What is kept back of a release stays inside: in no public file, page or answer is there a trace of it."""

import io
import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import product

import pyarrow.parquet
import pytest
from django.db import transaction
from django.test import Client

from agreement.report.cross_tables import WHOSE
from annotation.models import Item, Question, Resolution
from core.errors import Refused
from exports.disclosure.texts_out import TextsOut
from exports.releases.publication import public_facts, public_files, release_publish
from exports.selection.parameters import ParameterError, Parameters
from tests import factories
from tests.factories import (
    NO,
    TYPES,
    UNHELPFUL,
    USEFUL,
    adjudicate,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import contents, release, released

pytestmark = pytest.mark.django_db

ITEMS, WITHHELD = 16, 7
EXCHANGE = ["label_studio", "doccano", "web_annotation"]
FILES = {
    "withheld": {"comments": True, "exchange": EXCHANGE},
    "without_judgements": {"judgements": False},
    "without_texts": {"texts": False},
    "votes": {"published_labels": "votes"},
}
FOCUS_FILES = [name for name in FILES if name != "votes"]  # no label was published


@pytest.fixture(autouse=True)
def few_replicates(monkeypatch):
    from exports.releases import agreement_files

    monkeypatch.setitem(agreement_files.PARAMETERS, "replicates", 100)


def prepared(made):
    """Give every item a key of its own and its split; the test split is withheld."""
    for number, item in enumerate(made.items):
        item.split = "test" if number >= ITEMS - WITHHELD else "train"
        item.metadata = {"key": f"k{number}", "half": "ab"[number % 2]}
        item.save()
    return made


def secret_focus(secret):
    """Return a closed round of which the judgements of withheld items are drawn with the seed `secret`."""
    made = prepared(focus_study(annotators=3, items=ITEMS, slug="s"))
    for item in made.items:
        drawn = random.Random(f"{item.external_id} {secret if item.split == 'test' else 0}")
        words = item.text.split(" ")

        def answer(item=item, drawn=drawn, words=words):
            more = {"active_seconds": drawn.randrange(99), "comment": drawn.choice(["", "Well, well."])}
            start = drawn.randrange(len(words) - 3)
            if drawn.random() < 0.1:
                return None
            span = " ".join(words[start : start + drawn.choice([1, 2])])
            return drawn.choice([{**NO, **more}, yes(item, span, **more)])

        judge(made, item, {code: [answer() for _ in range(3)] for code in TYPES})
        if drawn.random() < 0.5:
            adjudicate(made, item, drawn.choice(TYPES), False)
    close(made)
    return made


def secret_cqs(secret):
    """Return the same of questions, with published labels, some of them judged again."""
    made = prepared(cqs_study(annotators=2, items=ITEMS, questions=3, slug="s"))
    for item in made.items:
        drawn = random.Random(f"{item.external_id} {secret if item.split == 'test' else 0}")
        for question in item.questions.all():
            label = drawn.choice(["USE", "UN", "IN"])
            Resolution.objects.create(
                item=item,
                question=question,
                label=label,
                source="imported",
                brought_by=item.brought_by,
                reason="BR" if label == "IN" else "",
            )
            answers = [USEFUL, UNHELPFUL, invalid("NC", "And the shops?"), None]
            judge_question(made, question, [drawn.choice(answers) for _ in range(2)])
    close(made)
    return made


def seen(make, secret, monkeypatch, **choices):
    """Return everything that anybody can see of the public releases of a study, the later one compared."""
    now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    found = {}
    with transaction.atomic():
        made = make(secret)
        # Another time for what is judged in secret, and only for that.
        rows = "type_annotations" if make is secret_focus else "question_annotations"
        for item in Item.objects.all():
            decided_at = now + timedelta(minutes=secret if item.split == "test" else 0)
            for assignment in item.assignments.all():
                getattr(assignment, rows).update(decided_at=decided_at)
        for version in ("0.9", "1.0") if "exchange" in choices else ("1.0",):
            row = release(made.project, version, withheld=["test"], **choices)
            release_publish(release=row, by=made.lead)
            choices = {**choices, "authors": "Ann Other"}
            visitor = Client()
            for page in (f"/releases/s/{version}/", "/releases/sitemap.txt", "/robots.txt"):
                found[version, page] = visitor.get(page).content
            for file in public_files(row):
                answer = visitor.get(f"/releases/s/{version}/files/{file['name']}")
                found[version, file["name"]] = b"".join(answer.streaming_content)
            inside = {file["name"]: file["sha256"] for file in row.files if file["internal"]}
            found[version, "facts"] = json.dumps(public_facts(row)).encode()
        transaction.set_rollback(True)
    return found, inside


@pytest.mark.parametrize(
    ("make", "chosen"), [*product([secret_cqs], FILES), *product([secret_focus], FOCUS_FILES)]
)
def test_nothing_public_changes_when_withheld_judgements_do(make, chosen, monkeypatch):
    choices = FILES[chosen]
    once, inside = seen(make, 1, monkeypatch, **choices)
    again, other = seen(make, 2, monkeypatch, **choices)
    assert once.keys() == again.keys()
    assert [name for name in once if once[name] != again[name]] == []
    # The secrets do differ, and the leads have them.
    assert inside.keys() == other.keys()
    shape = "focus" if make is secret_focus else "cqs_gen"
    for name in (f"{shape}.test.json", "release.json", "agreement/round-1.json"):
        assert inside[f"internal/{name}"] != other[f"internal/{name}"]
    assert ("1.0", "agreement/round-1.json") in once
    assert (b"Changes since release" in once["1.0", "/releases/s/1.0/"]) == ("exchange" in choices)


def test_joining_a_table_with_the_source_by_a_field_recovers_no_more_than_guessing(tmp_path):
    made = secret_focus(1)
    choices = {"withheld": ["test"]}
    public = released(made.project, tmp_path / "out", **choices)
    told = json.loads((public / "agreement" / "round-1.json").read_bytes())
    whole = json.loads((released(made.project, tmp_path / "all", "2") / "focus.test.json").read_bytes())
    truth = {
        (item, label["code"]): label["applicable"]
        for item, entry in whole.items()
        for label in entry["labels"]
        if label["applicable"] is not None
    }
    train = json.loads((public / "focus.train.json").read_bytes()).values()
    votes = Counter((label["code"], label["applicable"]) for entry in train for label in entry["labels"])
    guess = {code: votes[code, True] > votes[code, False] for code in TYPES}
    table = next((table for table in told["cross"] if table["field"] == "key"), None)
    recovered = dict(guess)
    for item, code in truth:
        key = f"k{int(item.removeprefix('I-')) - 1}"
        if table and key in table["values"]:
            row = next(row for row in table["rows"] if row["code"] == code)
            recovered[item, code] = row["consensus"][table["values"].index(key)] > 0
    by_joining = sum(recovered.get((item, code), guess[code]) == true for (item, code), true in truth.items())
    by_guessing = sum(guess[code] == true for (item, code), true in truth.items())
    assert by_joining == by_guessing < len(truth)
    assert [table["field"] for table in told["cross"]] == []  # 9 items: halves of 4 and 5 are too few too


def test_no_cell_of_a_report_speaks_of_few_items_where_labels_are_kept_back(tmp_path):
    made = secret_focus(1)
    told = report(released(made.project, tmp_path / "out", withheld=["test"], min_cell=3))
    table, topic = told["cross"]
    assert topic["field"] == "topic"
    assert (table["field"], table["values"], table["n_items"]) == ("half", ["a", "b"], [5, 4])
    assert told["kept_back"] == {"items": WITHHELD, "min_cell": 3}
    assert told["n_items"] == ITEMS - WITHHELD
    behind = {half: Counter() for half in "ab"}
    for entry in json.loads((tmp_path / "out" / "focus.train.json").read_bytes()).values():
        half = "ab"[(int(entry["argument_id"].removeprefix("I-")) - 1) % 2]
        for label in entry["labels"]:
            behind[half][label["code"]] += label["votes"]["yes"] > 0
    hidden = 0
    for row in table["rows"]:
        for place, half in enumerate("ab"):
            hidden += row["any"][place] is None
            assert row["any"][place] in (None, behind[half][row["code"]])
            assert row["consensus"][place] not in (1, 2)
            if 0 < behind[half][row["code"]] < 3:
                assert row["each"][place] is row["any"][place] is None
    assert hidden


def report(folder, number=1):
    return json.loads((folder / "agreement" / f"round-{number}.json").read_bytes())


def test_nothing_is_left_unsaid_where_all_is_public(tmp_path):
    made = secret_focus(1)
    told = report(released(made.project, tmp_path / "out"))
    assert [table["field"] for table in told["cross"]] == ["half", "key", "topic"]
    shown = [row[whose] for table in told["cross"] for row in table["rows"] for whose in WHOSE]
    assert "kept_back" not in told and "null" not in json.dumps(shown)
    assert told["n_items"] == ITEMS


def test_a_round_of_which_few_items_are_left_has_no_figures_and_the_card_says_so(tmp_path):
    made = secret_focus(1)
    Item.objects.exclude(external_id__in=["I-1", "I-2"]).update(split="test")
    folder = released(made.project, tmp_path / "out", withheld=["test"])
    assert not (folder / "agreement").exists()
    assert "Too few items are left for any figure: Round 1." in (folder / "README.md").read_text()


def test_the_leads_have_the_whole_report_below_internal(tmp_path):
    made = secret_focus(1)
    whole = released(made.project, tmp_path / "whole", "0.9")
    row = release(made.project, "1.0", withheld=["test"])
    inside = {file["name"]: file["sha256"] for file in row.files if file["internal"]}
    assert {name for name in inside if "agreement" in name} == {
        f"internal/agreement/round-1.{ending}" for ending in ("csv", "json", "tex")
    }
    sums = dict(reversed(line.split("  ")) for line in (whole / "SHA256SUMS").read_text().splitlines())
    assert inside["internal/agreement/round-1.json"] == sums["agreement/round-1.json"]
    assert row.counts["judgements"] > row.public["counts"]["judgements"]
    assert row.counts["items"] == row.public["counts"]["items"] == ITEMS


def test_a_release_of_before_shows_only_what_gives_nothing_away(tmp_path):
    """Its counts, tables and digest were of withheld items too."""
    made = secret_focus(1)
    row = release(made.project, "1.0", withheld=["test"], published="2026-01-01")
    row.public = {}  # as in a release that was built before these were told apart
    assert {file["name"] for file in public_files(row)} == {
        "data/test.jsonl",
        "data/train.jsonl",
        "focus.test.json",
        "focus.train.json",
        "schemas/focus.schema.json",
        "schemas/submission.schema.json",
        "scripts/score.py",
    }
    assert public_facts(row) == ("", {})
    row.parameters = {**row.parameters, "withheld": []}
    assert public_facts(row) == (row.digest, row.counts)


@pytest.mark.parametrize("least", [2, 0, -1, True, 5.0, "5", 1001])
def test_the_least_number_of_items_is_never_below_three(least):
    with pytest.raises(ParameterError, match="min_cell: expected a whole number from 3 to 1000"):
        Parameters.from_json({"min_cell": least})


def runs(text):
    words = "".join(mark if mark.isalnum() else " " for mark in text.casefold()).split()
    return {" ".join(words[place : place + 5]) for place in range(len(words) - 4)}


def test_a_release_without_texts_has_no_five_words_of_a_text_in_any_file(tmp_path):
    made = factories.study(annotators=2, items=12)
    quoted = made.items[0].text
    first = made.project.codebooks.get()
    made.project.codebooks.create(
        version=2,
        definition=first.definition,
        source=f"# {quoted}\n{first.source}",
        guideline=f"An example: “{quoted}” says nothing.",
    )
    factories.open_round(made)
    for item in made.items:
        judge(made, item, {"LE": [yes(item, " ".join(item.text.split(" ")[:8]))] * 2})
        words = " ".join(item.text.split(" ")[2:9])
        item.metadata = {"question": f"Why “{words}”?", "copy": item.text, "kind": "ab"[item.pk % 2]}
        item.topic, item.source, item.licence = f"On {words}", words.upper(), f"As in: {words}"
        item.save()
    made.project.contact = quoted
    made.project.save()
    made.annotators[0].background = f"I wrote: {quoted}"
    made.annotators[0].save()
    close(made)
    folder = released(made.project, tmp_path / "out", texts=False, citation=f"See {quoted}")
    found = {name: data.decode(errors="replace") for name, data in contents(folder).items()}
    table = pyarrow.parquet.read_table(io.BytesIO(contents(folder)["judgements.parquet"]))
    found["judgements.parquet"] = json.dumps(table.to_pylist(), default=str)
    asked = set().union(*(runs(item.text) for item in made.items))
    assert {name for name, text in found.items() if asked & runs(text)} == set()
    assert "[…]" in found["guideline.md"] and "says nothing" in found["guideline.md"]
    assert [table["field"] for table in report(folder)["cross"]] == ["kind"]


def test_questions_that_quote_a_text_are_cut_without_texts_unless_it_is_chosen_otherwise(tmp_path):
    made = factories.study("cqs_gen", annotators=1, items=1, questions=3)
    first, second, _ = made.items[0].questions.order_by("position")
    words = " ".join(made.items[0].text.split(" ")[:6])
    quoting = f"Is it so that {words} for you?"
    Question.objects.filter(pk=first.pk).update(text=quoting)
    factories.open_round(made)
    judge_question(made, first, [USEFUL])
    judge_question(made, second, [invalid("NC", f"Why {words}?")])
    close(made)
    found = [
        {name: data.decode(errors="replace") for name, data in contents(folder).items()}
        for folder in (
            released(made.project, tmp_path / "cut", "1", texts=False, edited_questions=True),
            released(made.project, tmp_path / "all", "2", texts=False, quoting_questions=True),
        )
    ]
    asked = set().union(*(runs(item.text) for item in made.items))
    assert {name for name, text in found[0].items() if asked & runs(text)} == set()
    name = next(name for name in found[0] if name.startswith("data/") and name.endswith(".jsonl"))
    asks = [[one["cq"] for one in json.loads(texts[name].split("\n")[0])["cqs"]] for texts in found]
    assert asks[0] == ["Is it so that […] for you?", "Why […]?"]
    assert asks[1] == [quoting, second.text]
    assert "Critical questions stand as they were written" not in found[0]["README.md"]
    assert "Critical questions stand as they were written" in found[1]["README.md"]


def test_ids_that_quote_the_texts_are_refused_without_them():
    made = factories.study(annotators=1, items=2)
    Item.objects.filter(pk=made.items[0].pk).update(external_id=made.items[0].text[:60])
    factories.open_round(made)
    judge(made, made.items[0], {})
    close(made)
    with pytest.raises(Refused, match="1 ids or names of splits quote the texts"):
        release(made.project, texts=False)


def test_words_of_texts_are_taken_out_and_others_stay():
    out = TextsOut.of(
        ["See: The cat sat on a mat!", "図書館は町の真ん中辺にある"],
        ["the CAT  sat, on a mat.", "図書館は町の真ん中辺"],
    )
    assert out.without("See: The cat sat on a mat!") == "See: […]!"
    assert out.without("図書館は町の真ん中辺にある") == "[…]にある"
    assert out.without("The cat sat on it") == "The cat sat on it"
    assert out.cleaned({"a": ["The cat sat on a mat", 1, None]}) == {"a": ["[…]", 1, None]}
