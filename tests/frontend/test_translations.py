"""Every marked text is in both catalogues and translated, and the compiled files are what is written.

After a change of a .po file: `python manage.py compilemessages` (it needs gettext's msgfmt).
"""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from agreement.display import wording
from agreement.models import AgreementReport, DisputedUnit
from agreement.statistics import kappa_paradox as paradox
from annotation.models import Comment, Protocol, Round
from annotation.protocols import cqs_gen, focus, matching
from exports.formats.exchange import BY_KEY
from exports.models import Release
from frontend.pages.agreement.report import OF_ONE_MIND
from tools.apps import APPS

ROOT = Path(__file__).resolve().parent.parent.parent
LOCALE = ROOT / "frontend" / "locale"
SECTION_NAMES = ("All types", "Three labels", "Useful against not", "Reasons where both said Invalid")
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
CALL = re.compile(r"(?:\bn?gettext| _)\(\s*[uU]?(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')")
ESCAPE = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


def entries(path: Path) -> list[tuple[list[str], list[str]]]:
    """Return the message ids of a .po file (singular, plural if there is one) with their translations."""
    found = []
    for block in path.read_text("utf-8").strip().split("\n\n")[1:]:
        ids, texts = [], []
        for name, quoted in re.findall(r'^(msg\w+(?:\[\d\])?) "(.*)"$', block, re.MULTILINE):
            text = re.sub(r"\\.", lambda match: ESCAPE[match[0]], quoted)
            (texts if name.startswith("msgstr") else ids).append(text)
        found.append((ids, texts))
    return found


def places(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def marked_in_templates() -> Iterator[str]:
    for path in (ROOT / "frontend" / "templates").rglob("*.html"):
        for text in CALL.findall(templatize(path.read_text("utf-8"))):
            yield ast.literal_eval(text)


def marked_in_python() -> Iterator[str]:
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in ("gettext", "gettext_lazy", "ngettext", "ngettext_lazy")
                    and isinstance(node.args[0], ast.Constant)
                ):
                    yield node.args[0].value


def translated_where_shown() -> Iterator[str]:
    """What stands in models and protocols in plain English, and is translated by the page that shows it."""
    for rule in (*focus.RULES, *cqs_gen.RULES, *matching.RULES):
        yield rule.message
    yield from Round.Status.labels
    yield from Round.Purpose.labels
    yield from Round.Order.labels
    yield from AgreementReport.State.labels
    yield from DisputedUnit.Why.labels
    yield from Release.State.labels
    yield from wording.SPAN_REASONS.values()
    yield from wording.REASONS.values()
    yield from wording.AGAINST.values()
    yield from wording.ITEM_MEANS.values()
    yield from wording.SET_ALPHAS.values()
    yield from SECTION_NAMES
    yield from paradox.SENTENCES
    yield OF_ONE_MIND
    yield from Protocol.labels
    yield BY_KEY["instructions"].label  # the others are names of programs
    yield from (label for value, label in Comment.Act.choices if value != Comment.Act.SAY)


def marked_in_scripts() -> Iterator[str]:
    for path in (ROOT / "frontend" / "static").rglob("*.js"):
        for text in CALL.findall(path.read_text("utf-8")):
            yield ast.literal_eval(text)


@pytest.mark.parametrize("language", ["es", "ja"])
def test_every_marked_text_of_pages_and_refusals_is_in_the_catalogue_and_nothing_else(language):
    marked = {*marked_in_templates(), *marked_in_python(), *translated_where_shown()}
    assert len(marked) > 200
    listed = [ids[0] for ids, _ in entries(LOCALE / language / "LC_MESSAGES" / "django.po")]
    assert (sorted(marked - set(listed)), sorted(set(listed) - marked)) == ([], [])
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("language", ["es", "ja"])
def test_every_marked_text_of_the_scripts_is_in_the_catalogue(language):
    marked = set(marked_in_scripts())
    assert len(marked) > 100
    listed = {ids[0] for ids, _ in entries(LOCALE / language / "LC_MESSAGES" / "djangojs.po")}
    assert sorted(marked - listed) == []


@pytest.mark.parametrize("language", ["es", "ja"])
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_every_text_of_the_catalogue_is_translated(language, domain):
    path = LOCALE / language / "LC_MESSAGES" / f"{domain}.po"
    assert [ids for ids, texts in entries(path) if not texts or not all(texts)] == []
    assert "fuzzy" not in path.read_text("utf-8")


@pytest.mark.parametrize("language", ["es", "ja"])
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_translations_keep_the_places_to_fill(language, domain):
    wrong = [
        (ids, texts)
        for ids, texts in entries(LOCALE / language / "LC_MESSAGES" / f"{domain}.po")
        if places(texts[-1]) != places(ids[-1])
        or any(places(text) not in (places(ids[0]), places(ids[-1])) for text in texts)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["es", "ja"])
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_the_compiled_catalogue_is_the_written_one(language, domain):
    folder = LOCALE / language / "LC_MESSAGES"
    with (folder / f"{domain}.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for ids, texts in entries(folder / f"{domain}.po"):
        if len(ids) == 1:
            assert [compiled.gettext(ids[0])] == texts
        else:
            assert [compiled.ngettext(*ids, n) for n in (1, 2)] == [texts[0], texts[-1]]


COUNTED = re.compile(
    r"(?<!of )(?<!all )%\((\w+)\)s (?:more |new )?(?:annotators|answers|bits|days|files|items|judgements|"
    r"minutes|"
    r"questions|requests|resamples|rounds|rows|runs|seconds|spans|submissions|systems|texts|tokens|types|units|"
    r"values)\b"
)
EVER_MANY = (
    "%(n)s annotators take part.",  # said from two on
    "A score tells at most %(each)s bits.",  # a figure with a decimal, as the next three
    "With the interval and the columns beside it the bound is %(bound)s bits.",
    "While it is open a team learns 0 of the %(hidden)s bits that the labels hold.",
    "%(n)s labels at %(each)s bits each.",
    "An invitation lives between 1 and ",  # constants of the program, as the next six
    "split_sizes: ",
    "%(name)s is archived and will be deleted in %(days)s days.",
    "Delete %(name)s in %(days)s days",
    "It is archived now. In %(days)s days",
    "%(stop_after)s questions in a row",
    "Your team has had %(n)s files checked",
    "has more than %(most)s rows",  # limits far above one, as the next five
    "takes longer than %(n)s seconds",
    "At most %(n)s files are runs",
    "Choose at most %(n)s files.",
    "This board takes at most %(n)s files",  # for one file there are other words
    "Even %(most)s texts are too few",
    "Counts and agreement are worked out without withheld items",
    "Too many wrong passwords. Try again in %(n)s minutes",  # below that seconds are said
    "Other people: none of the %(n)s annotators",  # a report of at least two people, as the next two
    "%(words)s, ± %(sd)s over %(n)s runs",
    "What is resampled are not single texts but clusters",
    "%(n)s resamples, seed %(seed)s",
    "“%(item)s” has %(n)s questions",  # said where it is none, or two and more
    "has %(n)s rows for %(m)s texts",  # the FOCUS authors' own files, as the next two
    "has %(n)s rows, and %(name)s has %(m)s",
    "%(n)s FOCUS files",
    "%(n)s questions where %(most)s are asked for",  # for one there are other words
    "%(n)s types where at most %(most)s",  # more than that
    "%(n)s types have no words",  # for one there are other words
    "has %(n)s items; at most %(most)s are read",
    "%(task)s answers nothing that",  # no number, as the next
    "Run %(run)s answers nothing that",
)


def test_what_is_counted_has_words_for_one():
    """“1 items are drawn” is never said: a message that counts has a singular, or its number is never one."""
    without = [
        ids[0]
        for ids, _ in entries(LOCALE / "es" / "LC_MESSAGES" / "django.po")
        if len(ids) == 1 and COUNTED.search(ids[0]) and not ids[0].startswith(EVER_MANY)
    ]
    assert without == []
