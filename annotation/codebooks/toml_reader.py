"""Read a codebook from TOML and report every problem at once, each with its line or key path."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import (
    BLANK,
    CQS_GEN,
    FOCUS,
    HUES,
    PROTOCOLS,
    PUBLISHED_LABELS,
    AnnotationType,
    Codebook,
    CommentStart,
    DerivedType,
    Group,
    Label,
    Reason,
)
from annotation.codebooks.toml_document import Problem, Table
from annotation.codebooks.translations import TAG, blank_problem, read_languages
from annotation.limits import characters
from core.texts import length_problem

SHIPPED = ("focus", "cqs_gen", "context_sufficiency")

_COMMON_KEYS = ("title", "protocol", "language", "guideline", "languages")
_PROTOCOL_KEYS = {
    FOCUS: ("groups", "types", "derived_none"),
    CQS_GEN: ("labels", "reasons", "comment_starts"),
}


_MOST_KEY_PARTS = 200
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_KEY_ENDS = re.compile(r"[=,\[\]{}#]")


class CodebookError(ValueError):
    """A codebook cannot be used. `problems` lists everything that is wrong with it."""

    def __init__(self, name: str, problems: list[Problem]) -> None:
        self.name = name
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{name}: {problem}" for problem in problems))


def load_shipped(name: str) -> Codebook:
    """Return one of the SHIPPED codebooks. Raises KeyError for another name."""
    if name not in SHIPPED:
        raise KeyError(
            gettext("no codebook named %(name)s is shipped; there are %(shipped)s")
            % {"name": repr(name), "shipped": ", ".join(SHIPPED)}
        )
    return read_codebook_file(Path(__file__).with_name(f"{name}.toml"))


def read_codebook_file(path: Path) -> Codebook:
    """Read a codebook from a UTF-8 TOML file and name it after the file's stem.

    Raises CodebookError for what is wrong inside the file, OSError where it cannot be read at all.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = Problem(
            gettext("line %(line)s") % {"line": line},
            gettext("byte 0x%(content)s is not UTF-8") % {"content": f"{content[error.start]:02X}"},
        )
        raise CodebookError(path.stem, [problem]) from None
    return read_codebook(text, path.stem)


def read_codebook(text: str, name: str) -> Codebook:
    """Read a codebook from the text of a TOML file.

    Raises CodebookError with every problem: the line for broken TOML, else the key path.
    """
    if problem := length_problem(text, characters("codebook", "source")):
        raise CodebookError(name, [Problem("", problem)])
    if line := _line_of_endless_key(text):
        place = gettext("line %(line)s") % {"line": line}
        raise CodebookError(name, [Problem(place, gettext("a key has too many parts"))])
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        raise CodebookError(name, [Problem(place.rstrip(")"), message)]) from None
    except RecursionError:
        raise CodebookError(name, [Problem("", gettext("is nested too deeply"))]) from None
    except ValueError:  # a whole number with more digits than Python converts
        raise CodebookError(
            name, [Problem("", gettext("a whole number has more than 4,300 digits"))]
        ) from None
    return codebook_from_document(document, name)


def _line_of_endless_key(text: str) -> int | None:
    """Return the line of a key with so many dotted parts that tomllib, quadratic in them, takes hours."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") <= _MOST_KEY_PARTS:
            continue
        bare = _QUOTED.sub("", line)
        if any(part.count(".") > _MOST_KEY_PARTS for part in _KEY_ENDS.split(bare)):
            return number
    return None


def codebook_from_document(document: dict[str, Any], name: str) -> Codebook:
    """Check a parsed document by every rule and return the codebook. Raises CodebookError."""
    problems: list[Problem] = []
    top = Table(document, "", problems)
    top.refuse_unknown((*_COMMON_KEYS, *_PROTOCOL_KEYS[FOCUS], *_PROTOCOL_KEYS[CQS_GEN]))
    title = top.text("title")
    protocol = top.choice("protocol", PROTOCOLS)
    language = top.text("language")
    if language and not TAG.fullmatch(language):
        top.problem(
            "language",
            gettext("is %(language)s, expected a language tag such as en, es or pt-BR")
            % {"language": repr(language)},
        )
    guideline = top.text("guideline")
    for other, keys in _PROTOCOL_KEYS.items():
        for key in keys:
            if protocol in PROTOCOLS and other != protocol and key in document:
                top.problem(
                    key,
                    gettext("belongs to protocol %(other)s, this codebook's is %(protocol)s")
                    % {"other": other, "protocol": protocol},
                )
    typology = protocol == FOCUS
    questions = protocol == CQS_GEN
    codebook = Codebook(
        name=name,
        title=title,
        protocol=protocol,
        language=language,
        guideline=guideline,
        groups=top.entries("groups", _group) if typology else (),
        types=top.entries("types", _type, required=True) if typology else (),
        derived_none=top.table("derived_none", _derived_none) if typology else None,
        labels=top.entries("labels", _label, required=True) if questions else (),
        reasons=top.entries("reasons", _reason, required=True) if questions else (),
        comment_starts=top.entries("comment_starts", _comment_start) if questions else (),
    )
    if typology:
        _check_typology(top, codebook)
    elif questions:
        _check_questions(top, codebook)
    languages = read_languages(top, codebook)
    if problems:
        raise CodebookError(name, problems)
    return replace(codebook, languages=languages)


def _group(table: Table) -> Group:
    table.refuse_unknown(("key", "name", "letter", "hue"))
    letter = table.text("letter")
    if len(letter) > 1:
        table.problem("letter", gettext("is %(letter)s, expected one character") % {"letter": repr(letter)})
    return Group(key=table.key(), name=table.text("name"), letter=letter, hue=table.choice("hue", HUES))


def _type(table: Table) -> AnnotationType:
    table.refuse_unknown(
        ("code", "name", "group", "aliases", "description", "example", "exemplar", "span", "guideline")
    )
    span = table.boolean("span")
    exemplar = table.text("exemplar", default=None)
    if span and exemplar is None:
        table.problem(
            "exemplar",
            gettext("is missing; a type with a span needs a question with one blank %(blank)s")
            % {"blank": BLANK},
        )
    elif exemplar and (problem := blank_problem(exemplar, span=span)):
        table.problem("exemplar", problem)
    return AnnotationType(
        code=table.code(),
        name=table.text("name"),
        group=table.text("group", default=None),
        aliases=table.texts("aliases"),
        description=table.text("description"),
        example=table.text("example", default=""),
        exemplar=exemplar,
        span=span,
        guideline=table.text("guideline", default=""),
    )


def _derived_none(table: Table) -> DerivedType:
    table.refuse_unknown(("code", "name"))
    return DerivedType(code=table.code(), name=table.text("name"))


def _label(table: Table) -> Label:
    table.refuse_unknown(("code", "name", "published", "description"))
    code = table.choice("code", PUBLISHED_LABELS)
    published = table.text("published")
    if code in PUBLISHED_LABELS and published and published != PUBLISHED_LABELS[code]:
        table.problem(
            "published",
            gettext("is %(published)s; the published files say %(published_labels)s for %(code)s")
            % {"published": repr(published), "published_labels": repr(PUBLISHED_LABELS[code]), "code": code},
        )
    return Label(
        code=code, name=table.text("name"), published=published, description=table.text("description")
    )


def _reason(table: Table) -> Reason:
    table.refuse_unknown(("code", "name", "description", "edited_question"))
    return Reason(
        code=table.code(),
        name=table.text("name"),
        description=table.text("description"),
        edited_question=table.boolean("edited_question", default=False),
    )


def _comment_start(table: Table) -> CommentStart:
    table.refuse_unknown(("key", "text"))
    return CommentStart(key=table.key(), text=table.text("text"))


def _check_typology(top: Table, codebook: Codebook) -> None:
    groups, types, derived = codebook.groups, codebook.types, codebook.derived_none
    top.refuse_repeats("groups", "key", [group.key for group in groups])
    top.refuse_repeats("groups", "letter", [group.letter for group in groups])
    top.refuse_repeats("types", "code", [entry.code for entry in types])
    top.refuse_repeats("types", "name", [entry.name for entry in types])
    known = [group.key for group in groups]
    for i, entry in enumerate(types):
        if groups and entry.group is None:
            top.problem(
                f"types[{i}].group",
                gettext("is missing, expected one of %(known)s") % {"known": ", ".join(known)},
            )
        elif entry.group and entry.group not in known:
            expected = (
                gettext("expected one of %(known)s") % {"known": ", ".join(known)}
                if known
                else gettext("the codebook has no [[groups]]")
            )
            top.problem(f"types[{i}].group", f"is {entry.group!r}, {expected}")
        if derived and entry.code and entry.code == derived.code:
            top.problem(
                "derived_none.code",
                gettext("is %(code)s, which types[%(i)s] has already") % {"code": repr(derived.code), "i": i},
            )


def _check_questions(top: Table, codebook: Codebook) -> None:
    top.refuse_repeats("labels", "code", [label.code for label in codebook.labels])
    top.refuse_repeats("reasons", "code", [reason.code for reason in codebook.reasons])
    top.refuse_repeats("comment_starts", "key", [start.key for start in codebook.comment_starts])
    codes = [label.code for label in codebook.labels]
    for code in PUBLISHED_LABELS:
        if codes and code not in codes:
            top.problem(
                "labels",
                gettext("has no label %(code)s; exactly %(published_labels)s are expected")
                % {"code": code, "published_labels": ", ".join(PUBLISHED_LABELS)},
            )
