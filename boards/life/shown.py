"""What people and programs read of a board: everything goes through `boards.figures.feedback` but what leads
read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, Q
from django.utils import timezone

from boards.figures.feedback import told, why_untold
from boards.figures.ranking import order, printed, ranks
from boards.life.placings import people_said
from boards.life.versions import learnable_of, methods_of
from boards.models import Board, BoardVersion, Entry, Placing, Team
from core.csv_safety import made_safe
from core.jobs import WORKING

State = Placing.State
COLUMNS = (
    *("place", "system", "team", "line", "link", "trained_on_validation", "score", "low", "high", "sd"),
    *("nae_share", "by_people", "runs", "handed_in", "not_told_apart", "trivial"),
)

_PUBLIC = Q(
    state=State.DONE,
    entry__withdrawn_at__isnull=True,
    entry__hidden_at__isnull=True,
    entry__may_be_shown=True,
)
_NAMED = ("kind", "types", "split", "seed", "reason")


@dataclass(slots=True)
class Row:
    """An entry as somebody may read it. `figures` are None where nothing may be told, `why` says why."""

    placing: Placing
    figures: dict[str, Any] | None
    place: int | None = None
    why: str | None = None

    @property
    def entry(self) -> Entry:
        return self.placing.entry

    @property
    def printed(self) -> str:
        return printed(self.figures["value"] if self.figures else None)

    @property
    def is_among_the_best(self) -> bool:
        """Whether it was compared with the best row and is not told apart from it."""
        return self.placing.is_apart is False


class Placed(NamedTuple):
    """Where an entry stands: what a page of a long board knows of the entries that are on other pages."""

    placing: int
    entry: int
    value: float | None
    place: int | None

    @property
    def printed(self) -> str:
        return printed(self.value)


def public_rows(board: Board, version: BoardVersion, now: datetime | None = None) -> list[Row]:
    """Return the rows that anybody may read, in their order; each has figures."""
    placings = list(_placings(version).filter(_PUBLIC))
    return _ranked([row for row in _told(board, placings, now) if row.figures is not None])


def public_places(board: Board, version: BoardVersion, now: datetime | None = None) -> list[Placed]:
    """Return where the rows of `public_rows` stand, in their order."""
    over, found = board.is_over(now), []
    columns = ("pk", "entry", "is_better", "figures__value", "figures__items")
    for key, entry, is_better, value, items in _placings(version).filter(_PUBLIC).values_list(*columns):
        figures = {"value": value, "items": items}
        shown = told(figures, board.feedback, is_over=over, is_better=is_better)
        if shown is not None:
            found.append((key, entry, shown["value"]))
    return _placed(found)


def public_rows_of(
    board: Board, version: BoardVersion, places: Sequence[Placed], now: datetime | None = None
) -> list[Row]:
    """Return the rows of some places of `public_places`."""
    found = _placings(version).filter(_PUBLIC, pk__in=[one.placing for one in places])
    return _at(places, [row for row in _told(board, list(found), now) if row.figures is not None])


def lead_places(version: BoardVersion) -> list[Placed]:
    """Return where all entries stand by their exact figures, in the order of `lead_rows`: for leads alone."""
    return _placed(list(_placings(version).values_list("pk", "entry", "figures__value")))


def lead_rows_of(version: BoardVersion, places: Sequence[Placed]) -> list[Row]:
    """Return the rows of some places of `lead_places`."""
    return _at(places, _exact(_placings(version).filter(pk__in=[one.placing for one in places])))


def team_rows(board: Board, version: BoardVersion, team: Team, now: datetime | None = None) -> list[Row]:
    """Return a team's own entries, the newest first, with what it may read of each."""
    placings = list(_placings(version).filter(entry__team=team).order_by("-entry"))
    return _told(board, placings, now)


def lead_rows(version: BoardVersion) -> list[Row]:
    """Return all entries with their exact figures: for leads alone."""
    return _ranked(_exact(_placings(version)))


def trivial_shown(board: Board, version: BoardVersion, now: datetime | None = None) -> list[dict[str, Any]]:
    """Return the trivial rows as anybody may read them."""
    found = []
    for row in version.trivial or ():
        if "value" not in row:
            found.append(dict(row))
            continue
        figures = told({**row, "runs": 1}, board.feedback, is_over=board.is_over(now), is_better=True)
        if figures is not None:
            kept = {name: row[name] for name in ("kind", "types", "split", "seed") if name in row}
            found.append({**kept, **figures})
    return found


def waiting(version: BoardVersion) -> int:
    """Return how many entries of a version are still to be scored."""
    return version.placings.filter(state__in=WORKING).count()


def board_json(board: Board, version: BoardVersion, now: datetime | None = None) -> dict[str, Any]:
    """Return a board as programs may read it, whoever asks."""
    bits = learnable_of(board, version)
    return {
        "board": board.name,
        "project": board.project.slug,
        "title": board.title,
        "description": board.description,
        "state": "closed" if board.is_over(now) else board.state,
        "closes_at": board.closes_at.isoformat() if board.closes_at else None,
        "feedback": board.feedback,
        "per_day": board.per_day,
        "in_all": board.in_all,
        "runs": board.most_runs,
        "version": version.number,
        "versions": list(board.versions.order_by("number").values_list("number", flat=True)),
        "release": version.release.version,
        "split": version.split or None,
        "methods": [str(method) for method in methods_of(version)],
        "scope": version.scope or None,
        "replicates": version.replicates,
        "seed": version.seed,
        "engine": version.engine,
        "items": version.facts["items"],
        "bits": {
            "each": bits.each,
            "scores": bits.scores,
            "with_columns": bits.with_columns,
            "hidden": bits.hidden,
            "labels": version.facts["labels"],
            "bits_a_label": version.facts["bits_a_label"],
        },
        "waiting": waiting(version),
        "rows": [row_json(row) for row in public_rows(board, version, now)],
        "trivial": [trivial_json(row) for row in trivial_shown(board, version, now)],
    }


def row_json(row: Row) -> dict[str, Any]:
    """Return a row as programs read it."""
    entry, figures = row.entry, row.figures
    assert figures is not None
    return {
        "place": row.place,
        "system": entry.name,
        "team": entry.team.name,
        "line": entry.line,
        "link": entry.link,
        "trained_on_validation": entry.trained_on_validation,
        "score": figures["value"],
        "printed": row.printed,
        **{name: figures.get(name) for name in ("low", "high", "sd", "nae_share", "labels", "diversity")},
        "by_people": figures.get("human"),
        "methods": figures.get("methods", []),
        "runs": figures["runs"],
        "handed_in": entry.day.isoformat(),
        "not_told_apart": row.is_among_the_best,
    }


def trivial_json(row: dict[str, Any]) -> dict[str, Any]:
    """Return a trivial row as programs read it."""
    named: dict[str, Any] = {name: row[name] for name in _NAMED if name in row}
    if "value" not in row:
        return {**named, "score": None}
    figures = {name: row.get(name) for name in ("low", "high", "nae_share", "labels")}
    return {**named, "score": row["value"], "printed": printed(row["value"]), **figures}


def board_csv(board: Board, version: BoardVersion, now: datetime | None = None) -> str:
    """Return the rows of a board as CSV, marked so that no spreadsheet runs a cell."""
    rows = [row_json(row) for row in public_rows(board, version, now)]
    trivial = [trivial_json(row) for row in trivial_shown(board, version, now)]
    labels = sorted({label for row in (*rows, *trivial) for label in row.get("labels") or {}})
    diversity = ("ngram_within", "ngram_published", "n")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*COLUMNS, *labels, *(f"diversity_{name}" for name in diversity)])
    for row in (*rows, *trivial):
        cells = [row.get(name) for name in COLUMNS[:-1]]
        cells += [row.get("kind")]
        cells += [(row.get("labels") or {}).get(label) for label in labels]
        cells += [(row.get("diversity") or {}).get(name) for name in diversity]
        writer.writerow(["" if cell is None else made_safe(str(cell)) for cell in cells])
    return "\ufeff" + out.getvalue()


def _placings(version: BoardVersion) -> Any:
    """Return the placings of a version; `scored` is the submission that its figures are of."""
    rows = Placing.objects.filter(version=version).select_related("entry__team").order_by("entry")
    return rows.annotate(scored=F("evaluation__submission"))


def _exact(found: Any) -> list[Row]:
    placings = list(found)
    people = people_said(placing.scored for placing in placings)
    return [Row(placing, _with_people(placing, people)) for placing in placings]


def _told(board: Board, placings: Sequence[Any], now: datetime | None) -> list[Row]:
    over = board.is_over(now or timezone.now())
    people = people_said(placing.scored for placing in placings)
    rows = []
    for placing in placings:
        figures = _with_people(placing, people)
        if figures is None:
            rows.append(Row(placing, None))
            continue
        shown = told(figures, board.feedback, is_over=over, is_better=placing.is_better)
        why = None if shown is not None else why_untold(board.feedback, placing.is_better)
        rows.append(Row(placing, shown, why=why))
    return rows


def _with_people(placing: Any, people: dict[int, float]) -> dict[str, Any] | None:
    if placing.figures is None:
        return None
    return {**placing.figures, "human": people.get(placing.scored)}


def _placed(found: Sequence[tuple[int, int, float | None]]) -> list[Placed]:
    """Return places of (placing, entry, figure) in the order in which `_ranked` has rows."""
    values = [value for _, _, value in found]
    placed = [Placed(*one, place) for one, place in zip(found, ranks(values), strict=True)]
    return [placed[at] for at in order(values, [float(entry) for _, entry, _ in found])]


def _at(places: Sequence[Placed], rows: list[Row]) -> list[Row]:
    """Return rows with their places, in the order of these."""
    by_key = {row.placing.pk: row for row in rows}
    found = []
    for one in places:
        # What was withdrawn a moment ago has no row any more.
        if (row := by_key.get(one.placing)) is not None:
            row.place = one.place
            found.append(row)
    return found


def _ranked(rows: list[Row]) -> list[Row]:
    """Return rows by place, the earlier first among equals; the place is that of the printed figure."""
    figures = [row.figures["value"] if row.figures else None for row in rows]
    for row, place in zip(rows, ranks(figures), strict=True):
        row.place = place
    return [rows[at] for at in order(figures, [float(row.placing.entry_id) for row in rows])]
