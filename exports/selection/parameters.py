"""What a lead chooses for a release. The same choices from the page, the API and the command line."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any, Literal, get_args

from django.utils.translation import gettext

from annotation.limits import LIMITS, Limit, unfit
from core.errors import Refused

SplitBy = Literal["field", "none", "round", "topic", "seed", "balanced", "published"]

PublishedLabels = Literal["stand", "votes"]

SPLIT_BY = get_args(SplitBy)
PUBLISHED_LABELS = get_args(PublishedLabels)
MIN_CELL, LEAST_CELL, MOST_CELL = 5, 3, 1000
"""The least number of items that public figures speak of where something is kept back: unless chosen, and
between what it can be chosen."""
NAMED_SPLITS = ("field", "round", "topic")
"""How to split so that the splits have names which can be given others."""

EXCHANGE = ("label_studio", "doccano", "web_annotation", "instructions")
CREDITS = {"licence": 200, "authors": 1_000, "citation": 4_000, "contact": 200, "published": 10}
"""What a release says about itself, with the most characters of each."""


class ParameterError(Refused):
    """The choices do not make a release. `problems` lists all that is wrong, the choice first."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        errors: dict[str, str] = {}
        for problem in problems:
            choice, separator, what = problem.partition(": ")
            if separator:
                errors[choice] = f"{errors[choice]}; {what}" if choice in errors else what
        message = gettext("These choices do not make a release: ") + "; ".join(problems)
        super().__init__("invalid", message, errors=errors)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The choices of one release.

    `rounds` are names; None pools every closed round that is not a training round, and then also takes in
    what was published with a file. `split_sizes` maps a split's name to its share (seed) or its number of
    items (balanced: of the split `test`). `split_names` gives the splits by rounds, topics or the items' own
    field another name; several may get the same one. `withheld` names the splits whose references stay
    inside. Without `texts` the release has ids, offsets and hashes only; `quoting_questions` leaves what
    critical questions quote of the texts in them even then. With `refined_questions` the stored
    questions of a language model stand beside those of the exemplars. `exchange` names the forms of other
    tools to write. `published_labels` says whether a label that came with a file stands over the votes here,
    or only where nobody voted. `min_cell` is the least number of items that a public figure speaks of where
    labels or texts are kept back. `published` is the day that card and citation name, as in 2026-03-31:
    files have no clock of their own.
    """

    rounds: tuple[str, ...] | None = None
    adjudicated_only: bool = False
    jaccard: float = 0.5
    split_by: SplitBy = "field"
    split_sizes: tuple[tuple[str, float], ...] = ()
    split_names: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    withheld: tuple[str, ...] = ()
    published_labels: PublishedLabels = "stand"
    min_cell: int = MIN_CELL
    edited_questions: bool = False
    refined_questions: bool = False
    judgements: bool = True
    agreement: bool = True
    comments: bool = False
    texts: bool = True
    quoting_questions: bool = False
    exchange: tuple[str, ...] = ()
    licence: str = ""
    authors: str = ""
    citation: str = ""
    contact: str = ""
    published: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the choices as plain JSON, every key present."""
        plain = asdict(self)
        plain["rounds"] = None if self.rounds is None else list(self.rounds)
        plain["withheld"] = list(self.withheld)
        plain["exchange"] = list(self.exchange)
        plain["split_sizes"] = dict(self.split_sizes)
        plain["split_names"] = dict(self.split_names)
        return plain

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Parameters:
        """Check choices that came as JSON; what is not given takes its default. Raises ParameterError."""
        known = {field.name: field for field in fields(cls)}
        problems = [
            gettext("%(key)s: there is no such choice") % {"key": key}
            for key in sorted(set(given) - set(known))
        ]
        values: dict[str, Any] = {}
        for key, value in given.items():
            if key not in known:
                continue
            try:
                values[key] = _checked(key, value)
            except ValueError as error:
                problems.append(f"{key}: {error}")
        if not problems:
            parameters = cls(**values)
            problems = parameters._problems_together()
        if problems:
            raise ParameterError(problems)
        return parameters

    def _problems_together(self) -> list[str]:
        sizes = dict(self.split_sizes)
        problems = []
        if self.split_by == "seed" and (len(sizes) < 2 or abs(sum(sizes.values()) - 1) > 1e-9):
            problems.append(gettext("split_sizes: a split by seed needs two or more shares that sum to 1"))
        if self.split_by == "balanced" and (set(sizes) != {"test"} or sizes["test"] % 1):
            problems.append(
                gettext('split_sizes: the balanced split needs the number of items in "test", and only that')
            )
        if self.split_by not in ("seed", "balanced") and sizes:
            problems.append(
                gettext("split_sizes: has no meaning for a split by %(split_by)s")
                % {"split_by": self.split_by}
            )
        if self.split_by not in NAMED_SPLITS and self.split_names:
            problems.append(
                gettext("split_names: has no meaning for a split by %(split_by)s")
                % {"split_by": self.split_by}
            )
        if not self.texts and (self.exchange or self.comments):
            problems.append(
                gettext("texts: the files of other tools have the texts in them, and comments may quote them")
            )
        if not self.texts and self.refined_questions:
            problems.append(gettext("refined_questions: quote the texts, which this release leaves out"))
        return problems


def sizes_from_words(words: list[str]) -> dict[str, float]:
    """Read sizes of splits as people write them: train=0.8 test=0.2. Raises ParameterError."""
    sizes = {}
    for word in words:
        name, _, size = word.partition("=")
        try:
            sizes[name] = float(size)
        except ValueError:
            raise ParameterError(
                [gettext("split_sizes: %(word)s is not NAME=SIZE, as in test=0.2") % {"word": repr(word)}]
            ) from None
    return sizes


def split_names_from_words(words: list[str]) -> dict[str, str]:
    """Read other names of splits as people write them: "Round 1=train". Raises ParameterError."""
    names = {}
    for word in words:
        name, separator, other = (part.strip() for part in word.rpartition("="))
        if not separator or not name or not other:
            raise ParameterError(
                [
                    gettext("split_names: %(word)s is not NAME=SPLIT, as in Round 1=train")
                    % {"word": repr(word)}
                ]
            )
        names[name] = other
    return names


def _checked(key: str, value: Any) -> Any:
    if key == "rounds":
        return None if value is None else _names(value)
    if key == "withheld":
        return _names(value)
    if key == "exchange":
        names = _names(value)
        if unknown := [name for name in names if name not in EXCHANGE]:
            raise ValueError(
                gettext("expected some of %(exchange)s, got %(unknown)s")
                % {"exchange": ", ".join(EXCHANGE), "unknown": repr(unknown[0])}
            )
        return names
    if key in ("split_by", "published_labels"):
        known = SPLIT_BY if key == "split_by" else PUBLISHED_LABELS
        if value not in known:
            raise ValueError(
                gettext("expected one of %(split_by)s, got %(value)s")
                % {"split_by": ", ".join(known), "value": repr(value)}
            )
        return value
    if key == "min_cell":
        if not _is_number(value) or isinstance(value, float) or not LEAST_CELL <= value <= MOST_CELL:
            raise ValueError(
                gettext("expected a whole number from %(least)s to %(most)s, got %(value)s")
                % {"least": LEAST_CELL, "most": MOST_CELL, "value": repr(value)}
            )
        return value
    if key == "split_sizes":
        return _sizes(value)
    if key == "split_names":
        return _other_names(value)
    if key == "jaccard":
        if not _is_number(value) or not 0 < value <= 1:
            raise ValueError(
                gettext("expected a number above 0 and up to 1, got %(value)s") % {"value": repr(value)}
            )
        return float(value)
    if key == "seed":
        if not _is_number(value) or isinstance(value, float) or not 0 <= value < 2**63:
            raise ValueError(
                gettext("expected a whole number from 0, got %(value)s") % {"value": repr(value)}
            )
        return value
    if key in CREDITS:
        if not isinstance(value, str):
            raise ValueError(gettext("expected a text, got %(value)s") % {"value": repr(value)})
        if problem := unfit(value, Limit(CREDITS[key])):
            raise ValueError(problem)
        if key == "published" and value and not _is_day(value):
            raise ValueError(
                gettext("expected a day, as in 2026-03-31, got %(value)s") % {"value": repr(value)}
            )
        return value
    if not isinstance(value, bool):
        raise ValueError(gettext("expected true or false, got %(value)s") % {"value": repr(value)})
    return value


def _is_day(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) and name for name in value):
        raise ValueError(gettext("expected a list of names, got %(value)s") % {"value": repr(value)})
    if len(set(value)) < len(value):
        raise ValueError(gettext("names one twice"))
    return tuple(value)


def _other_names(value: Any) -> tuple[tuple[str, str], ...]:
    names = value if isinstance(value, dict) else None
    if names is None or not all(name and isinstance(other, str) and other for name, other in names.items()):
        raise ValueError(
            gettext("expected an object of names and other names, got %(value)s") % {"value": repr(value)}
        )
    if problem := next(
        filter(None, (unfit(other, LIMITS["item"]["split"]) for other in names.values())), None
    ):
        raise ValueError(problem)
    return tuple(names.items())


def _sizes(value: Any) -> tuple[tuple[str, float], ...]:
    sizes = value if isinstance(value, dict) else None
    if sizes is None or not all(name and _is_number(size) and size > 0 for name, size in sizes.items()):
        raise ValueError(
            gettext("expected an object of names and numbers above 0, got %(value)s") % {"value": repr(value)}
        )
    return tuple(sizes.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
