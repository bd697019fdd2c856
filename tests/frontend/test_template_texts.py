"""Every text of a template stands in a translate tag, and every stored word has its translation."""

import ast
import re
from pathlib import Path

import pytest
from django.utils import translation

from annotation.importing.files.rows import COUNTED
from annotation.training.key import NEW_ANSWERS
from frontend.translated_values import WORDS, said

ROOT = Path(__file__).resolve().parent.parent.parent
TEMPLATES = sorted((ROOT / "frontend" / "templates").rglob("*.html"))

LONGEST_LINE = 120

# In this order: what is translated or no text, then tags and variables, which may stand inside an HTML tag.
NO_TEXT = re.compile(
    r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|\{% blocktranslate\b.*?\{% endblocktranslate %\}"
    r"|<(?:script|style)\b.*?</(?:script|style)>|<pre [^>]*translate=\"no\">.*?</pre>",
    re.DOTALL,
)
LITERAL = re.compile(
    r"\|(?:default|default_if_none|yesno|pluralize|join):\"[^\"]*[A-Za-z]{2}[^\"]*\""
    r"|\|pluralize\b|\|date:\"(?!H:i T\")[^\"]*\""
)
TEMPLATE_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
SPOKEN = re.compile(r'\b(?:aria-label|title|placeholder|alt|data-done|content)="([^"]*)"')
NAMES = re.compile(
    r"<(?:th|kbd|meta)\b[^>]*(?:class=\"mono\"|kbd|htmx-config|name=\"[\w-]+\")[^>]*>[^<]*|<kbd>[^<]*"
)
HTML_TAG = re.compile(r"<[^>]*>")
ENTITY = re.compile(r"&\w+;")
WORD = re.compile(r"[A-Za-z]{2,}")

SAME_EVERYWHERE = {"Elenchus", "CSV", "JSON", "LaTeX", "PABAK", "AC1", "alpha", "SHA-256", "Ctrl Enter"}
"""Names and abbreviations that are the same in every language."""


def english_only(source: str) -> set[str]:
    """Return the texts of a template that reach the reader past every translation."""
    found = {match[0] for match in LITERAL.finditer(source)}
    source = NO_TEXT.sub("", source)
    source = TEMPLATE_TAG.sub("", source)
    source = NAMES.sub("", source)
    pieces = [*HTML_TAG.split(source), *SPOKEN.findall(source)]
    texts = {" ".join(piece.split()).strip("· ") for piece in pieces if WORD.search(ENTITY.sub("", piece))}
    return found | {text for text in texts - SAME_EVERYWHERE if not text.startswith('class="')}


@pytest.mark.parametrize(
    "path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "frontend" / "templates").as_posix()
)
def test_a_template_says_nothing_in_english_alone(path):
    assert english_only(path.read_text("utf-8")) == set()


@pytest.mark.parametrize(
    "source",
    [
        "<p>Only English</p>",
        '<p title="{% if a > 1 %}Only English{% endif %}">{% translate "x" %}</p>',
        '<p>{{ n }} item{{ n|pluralize:"y,ies" }}</p>',
        '<p>{{ name|default:"nobody" }}</p>',
        '<b>{{ when|date:"j M Y" }}</b>',
    ],
)
def test_the_scanner_finds_what_is_not_translated(source):
    assert english_only(source) != set()


def test_the_scanner_passes_what_is_translated():
    source = (
        "{# a remark #}{% blocktranslate with n=n %}{{ n }} items{% endblocktranslate %}"
        '<p aria-label="{% translate \'Items\' %}"><kbd>Esc</kbd>{{ name|default:_("nobody") }} · CSV</p>'
    )
    assert english_only(source) == set()


def logged_actions() -> set[str]:
    """Return what the use cases write as the action of an event."""
    found = set()
    for path in (
        *ROOT.glob("annotation/**/*.py"),
        *ROOT.glob("exports/**/*.py"),
    ):
        if {"management", "shipped"} & set(path.relative_to(ROOT).parts):
            continue  # argparse has actions of its own
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            given = [keyword.value for keyword in node.keywords if keyword.arg == "action"]
            if isinstance(node.func, ast.Name) and node.func.id in ("_log", "round_log"):
                given += node.args
            for value in given:
                found |= {one.value for one in ast.walk(value) if isinstance(one, ast.Constant)}
    return {action for action in found if isinstance(action, str)}


def test_every_action_of_the_log_and_every_count_of_an_import_is_said_in_other_languages():
    counted = set()
    for path in ROOT.glob("annotation/importing/**/*.py"):
        counted |= set(re.findall(r"\.count(?:\(\s*|s\[)\"(\w[^\"]+)\"", path.read_text("utf-8")))
    actions = logged_actions()
    assert {"round opened", "unit decided", "release built"} <= actions and "new items" in counted
    assert actions - set(WORDS) == set()
    assert counted | {NEW_ANSWERS} == set(COUNTED)


def test_a_stored_word_is_said_in_the_readers_language_and_any_other_text_as_it_is():
    with translation.override("es"):
        assert said("round opened") == "ronda abierta"
        assert said("Round 7") == "Round 7"
    assert said("round opened") == "round opened"


def test_every_time_on_a_page_has_its_zone():
    for path in TEMPLATES:
        formats = re.findall(r"\"([^\"%{}]*\bH:i[^\"]*)\"", path.read_text("utf-8"))
        assert [one for one in formats if not one.endswith(" T")] == [], path.name


def test_no_line_of_a_template_is_longer_than_can_be_read_at_a_glance():
    too_long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in [*TEMPLATES, *(ROOT / "config" / "templates").rglob("*.html")]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert too_long == []
