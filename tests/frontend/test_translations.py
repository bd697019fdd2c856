"""Spanish and Japanese are complete where annotators work, and the compiled files are what is written."""

import gettext
import re
from pathlib import Path

import pytest

LOCALE = Path(__file__).resolve().parent.parent.parent / "frontend" / "locale"
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def entries(path: Path) -> list[tuple[str, list[str]]]:
    """Return the message ids of a .po file with their translations."""
    found = []
    for block in path.read_text("utf-8").split("\n\n")[1:]:
        texts = {}
        for name, text in re.findall(r'^(msg\w+(?:\[\d\])?) "(.*)"$', block, re.MULTILINE):
            texts[name] = text.replace('\\"', '"').replace("\\n", "\n")
        found.append((texts["msgid"], [text for name, text in texts.items() if name.startswith("msgstr")]))
    return found


@pytest.mark.parametrize("language", ["es", "ja"])
def test_every_text_of_the_scripts_is_translated(language):
    messages = entries(LOCALE / language / "LC_MESSAGES" / "djangojs.po")
    assert len(messages) > 100
    assert [msgid for msgid, texts in messages if not all(texts)] == []


@pytest.mark.parametrize("language", ["es", "ja"])
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_translations_keep_the_places_to_fill(language, domain):
    wrong = [
        (msgid, text)
        for msgid, texts in entries(LOCALE / language / "LC_MESSAGES" / f"{domain}.po")
        for text in texts
        if text and set(PLACEHOLDER.findall(text)) != set(PLACEHOLDER.findall(msgid))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["es", "ja"])
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_the_compiled_catalogue_is_the_written_one(language, domain):
    folder = LOCALE / language / "LC_MESSAGES"
    with (folder / f"{domain}.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    written = {msgid: texts[0] for msgid, texts in entries(folder / f"{domain}.po") if texts[0]}
    assert {msgid: compiled.gettext(msgid) for msgid in written} == written
