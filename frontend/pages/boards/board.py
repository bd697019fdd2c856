"""A board in public: its ranking, as a page, CSV and JSON, and the template to fill in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from agreement.display.charts import Whisker, whisker_of
from annotation.projects.projects import guideline_html
from boards.figures.ranking import printed
from boards.life.boards import leads, public_board_or_404, team_member_of
from boards.life.checking import template_json
from boards.life.shown import (
    Placed,
    Row,
    board_csv,
    board_json,
    public_places,
    public_rows_of,
    trivial_shown,
    waiting,
)
from boards.life.teams import may_hand_in
from boards.life.versions import ahead_of, learnable_of, methods_of, version_or_404
from boards.models import Board, BoardVersion
from core.errors import NotFound
from frontend.pages.common import number_in, page_of
from frontend.pages.systems.shown import AXIS
from scoring.evaluation.trivial_rows import (
    BEST_CONSTANT,
    MOST_FREQUENT,
    NONE_OF_THE_ABOVE,
    OTHER_REFERENCES,
    RANDOM_TYPES,
)
from scoring.figures.matching import INVALID, NAE, UNHELPFUL, USEFUL

ROWS_PER_PAGE = 50


@require_safe
def board(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show a board to anybody: the ranking, the trivial rows, how to hand in, and what can be learned."""
    found = public_board_or_404(slug, name, request.user)
    version = _version(request, found)
    everyone = public_places(found, version)
    page = page_of(request, everyone, ROWS_PER_PAGE)
    rows = public_rows_of(found, version, list(page))
    trivial = [_trivial(row) for row in trivial_shown(found, version)]
    return render(
        request,
        "frontend/boards/board.html",
        {
            **board_context(request, found, version),
            "page": page,
            "systems": bool(everyone),
            "rows": _among(page, rows, everyone, trivial),
            "query": f"version={version.number}" if "version" in request.GET else "",
            "has_runs": any(row.figures and row.figures["runs"] > 1 for row in rows),
            "has_people": any(row.figures and row.figures.get("human") is not None for row in rows),
            "diversity_n": _one_n(rows),
            "waiting": waiting(version),
            "axis": AXIS,
        },
    )


@require_safe
def board_file(request: HttpRequest, slug: str, name: str, file: str) -> HttpResponseBase:
    """Send the ranking as CSV or JSON, or the template, as anybody may have them."""
    found = public_board_or_404(slug, name, request.user)
    version = _version(request, found)
    if file == "board.csv":
        response: HttpResponseBase = HttpResponse(
            board_csv(found, version), content_type="text/csv; charset=utf-8"
        )
        response.headers["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
        return response
    if file == "board.json":
        return JsonResponse(board_json(found, version), json_dumps_params={"ensure_ascii": False})
    if file != "template.json":
        raise NotFound(gettext("This board has no file “%(name)s”.") % {"name": file})
    response = HttpResponse(template_json(version), content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-{name}-template.json"'
    return response


def board_context(request: HttpRequest, found: Board, version: BoardVersion) -> dict[str, Any]:
    """Return what every page of a board needs: what it is, how it is set, who looks."""
    member = team_member_of(found, request.user)
    bits = learnable_of(found, version)
    return {
        "board": found,
        "project": found.project,
        "version": version,
        "versions": list(found.versions.order_by("-number").values_list("number", flat=True)),
        "is_newest": not found.versions.filter(number__gt=version.number).exists(),
        "method": _method(version),
        "is_focus": bool(version.scope),
        "is_over": found.is_over(),
        "description": guideline_html(found.description) if found.description else "",
        "team": member.team if member else None,
        "may_hand_in": may_hand_in(found, request.user),
        "leads": leads(found.project, request.user),
        "bits": bits,
        "ahead": ahead_of(found, version),
        "withheld": version.split in version.release.parameters.get("withheld", ()),
    }


def row_shown(row: Row) -> dict[str, Any]:
    """Return a row as the table shows it."""
    entry, figures = row.entry, row.figures
    assert figures is not None
    value, low, high = figures["value"], figures.get("low"), figures.get("high")
    return {
        "place": row.place,
        "entry": entry,
        "score": row.printed,
        "interval": _interval(low, high),
        "sd": printed(figures.get("sd")),
        "said": f"{row.printed} {_interval(low, high)}".strip(),
        "whisker": _whisker(value, low, high),
        "nae": _percent(figures.get("nae_share")),
        "labels": _labels(figures.get("labels") or {}),
        "diversity": _diversity(figures),
        "diversity_n": (figures.get("diversity") or {}).get("n"),
        "runs": figures["runs"],
        "people": printed(figures.get("human")),
        "tie": row.is_among_the_best,
    }


def _version(request: HttpRequest, found: Board) -> BoardVersion:
    return version_or_404(found, number_in(request.GET.get("version")) or None)


def _method(version: BoardVersion) -> str:
    if version.scope == "all":
        return gettext("micro F1 of types, scope all: what is not decided is a no")
    if version.scope:
        return gettext("micro F1 of types, of what people decided")
    method = methods_of(version)[0]
    if method.threshold is None:
        return gettext(
            "the share of useful questions: each has the label of the reference with the same words"
        )
    told = gettext(
        "the share of useful questions: each has the label of the nearest reference, "
        "%(name)s above %(threshold)s"
    )
    return told % {
        "name": method.name,
        "threshold": f"{method.threshold:g}",
    }


def _trivial(row: dict[str, Any]) -> dict[str, Any]:
    value = row.get("value")
    low, high = row.get("low"), row.get("high")
    return {
        "words": _trivial_words(row),
        "score": printed(value),
        "interval": _interval(low, high),
        "said": f"{printed(value)} {_interval(low, high)}".strip(),
        "whisker": _whisker(value, low, high),
        "nae": _percent(row.get("nae_share")),
        "reason": gettext("the release has no other split to learn it from") if "reason" in row else "",
    }


def _trivial_words(row: dict[str, Any]) -> str:
    words = {
        NONE_OF_THE_ABOVE: gettext("None of the Above for all"),
        BEST_CONSTANT: gettext("the best constant pair of types"),
        RANDOM_TYPES: gettext("random types"),
        OTHER_REFERENCES: gettext("three references of other items"),
        MOST_FREQUENT: gettext("the most frequent question of the validation split"),
    }[row["kind"]]
    if row.get("types"):
        words += f": {', '.join(row['types'])}"
    return words


def _among(
    page: Page[Any], here: Sequence[Row], everyone: Sequence[Placed], trivial: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the rows of a page with the trivial ones where their figures belong, behind equal systems.

    Each stands on one page: that of the system behind which it comes, the first where it is ahead of all.
    """
    scores = [float(row.printed) for row in everyone]
    rows = [row_shown(row) for row in here]
    for row in trivial:
        behind = max(1, sum(score >= float(row["score"] or 0) for score in scores))
        if not scores or page.start_index() <= behind <= page.end_index():
            rows.append(row)
    return sorted(rows, key=lambda row: (-float(row["score"] or 0), "words" in row))


def _whisker(value: float | None, low: float | None, high: float | None) -> Whisker | None:
    if value is None:
        return None
    return whisker_of({"value": value, "low": low, "high": high, "caution": ""}, AXIS)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None else f"[{printed(low)}, {printed(high)}]"


def _labels(labels: dict[str, Any]) -> str:
    """Return the counts of questions by label, in a short row; types stand in the files alone."""
    if USEFUL not in labels:
        return ""
    return " · ".join(str(labels.get(label, 0)) for label in (USEFUL, UNHELPFUL, INVALID, NAE))


def _diversity(figures: dict[str, Any]) -> str:
    found = figures.get("diversity")
    return printed(found["ngram_within"]) if found else ""


def _one_n(rows: Sequence[Row]) -> int | None:
    """Return how many questions the diversity of all rows is of; None where that differs or there is none."""
    found = {row.figures["diversity"]["n"] for row in rows if row.figures and row.figures.get("diversity")}
    return found.pop() if len(found) == 1 else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f}%"
