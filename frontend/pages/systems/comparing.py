"""Two to ten evaluations side by side: differences, how methods agree, how different the questions are."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from agreement.display.cells import Notes, number
from agreement.display.chart_files import Entry, Scale, chart_pdf, whiskers
from agreement.display.charts import whisker_of
from agreement.display.svg import INK
from agreement.statistics.estimates import NO_ITEMS, Estimate, undefined
from annotation.models import Membership
from core.csv_safety import made_safe
from core.errors import NotFound, Refused
from exports.formats.longform import csv_line
from exports.releases.reader_access import refuse_release_while_judging
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, number_in, project_page
from frontend.pages.systems.shown import AXIS, method_said, shown_cell
from frontend.pages.systems.trivial import Trivial, trivial_shown
from frontend.pages.systems.words import why
from scoring.evaluation.comparing import MOST
from scoring.models import Evaluation
from scoring.systems.comparing import comparison_stored, evaluations_chosen
from scoring.tasks import comparison_start

MEASURES = {
    "ngram_published": gettext_lazy("n-grams, as published"),
    "ngram_within": gettext_lazy("n-grams within questions"),
    "cr_diversity": gettext_lazy("compression (gzip)"),
}


def _chosen(request: HttpRequest, slug: str) -> tuple[Membership, list[Evaluation]]:
    member = lead_or_403(request, slug)
    keys = [number_in(key) for key in request.GET.getlist("e")[: MOST + 1]]
    chosen = evaluations_chosen(member.project, keys)
    refuse_release_while_judging(chosen[0].submission.release, member)
    return member, chosen


@login_required
@require_GET
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare the evaluations that the address names."""
    try:
        member, chosen = _chosen(request, slug)
        found = comparison_stored(chosen)
        if found is None:
            comparison_start(chosen)
    except NotFound:
        raise
    except Refused as refusal:
        return _not_comparable(request, slug, refusal)
    names = _names(chosen)
    if found is None:
        if request.headers.get("HX-Request"):
            return HttpResponse(status=204)
        return project_page(
            request,
            "systems/comparing.html",
            member,
            tab="systems",
            names=list(names.values()),
            query=request.GET.urlencode(),
        )
    if request.headers.get("HX-Request"):
        return HttpResponseClientRefresh()
    return project_page(
        request,
        "systems/compare.html",
        member,
        tab="systems",
        chosen=chosen,
        submission=chosen[0].submission,
        query=request.GET.urlencode(),
        replicates=found["replicates"],
        trivial=_trivial(chosen),
        axis=AXIS,
        items=found["systems"][0]["n"],
        **_systems(found, names, chosen),
        **_of_questions(found, names),
    )


def _not_comparable(request: HttpRequest, slug: str, refusal: Refused) -> HttpResponse:
    lead_or_403(request, slug)
    messages.error(request, refusal.message)
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(reverse("systems", args=[slug]))
    return redirect("systems", slug)


def _names(chosen: list[Evaluation]) -> dict[int, str]:
    """Return what each evaluation is called here: its system, and what tells it from others of that."""
    names = {one.pk: one.submission.system.name for one in chosen}
    if len(set(names.values())) == len(names):
        return names
    names = {one.pk: f"{one.submission.system.name}, {method_said(one)}" for one in chosen}
    if len(set(names.values())) == len(names):
        return names
    return {pk: f"{name} ({pk})" for pk, name in names.items()}


def _systems(found: dict[str, Any], names: dict[int, str], chosen: list[Evaluation]) -> dict[str, Any]:
    notes = Notes("scores")
    by_key = {one.pk: one for one in chosen}
    rows = []
    for row in found["systems"]:
        figure = {**row, "reason": "no_items", "caution": None}
        cell = notes.noted(shown_cell(figure))
        one = by_key[row["evaluation"]]
        nae = (one.headline or {}).get("nae")
        rows.append((one, names[one.pk], method_said(one), cell, whisker_of(figure, AXIS), nae))
    rows.sort(key=lambda row: -(row[4].x if row[4] else -1.0))
    differences = {(pair["first"], pair["second"]): pair for pair in found["pairs"]}
    matrix = []
    for first in names:
        cells: list[Any] = []
        for second in names:
            pair = differences.get((first, second))
            turned = differences.get((second, first))
            if pair is None and turned is not None:
                pair = {
                    **turned,
                    "value": _minus(turned["value"]),
                    "low": _minus(turned["high"]),
                    "high": _minus(turned["low"]),
                }
            shown = None if pair is None else shown_cell({**pair, "reason": "no_items"}, signed=True)
            cells.append((shown, bool(pair and pair["told_apart"])))
        matrix.append((names[first], cells))
    return {"rows": rows, "notes": notes, "matrix": matrix, "names": list(names.values())}


def _trivial(chosen: list[Evaluation]) -> list[tuple[str, Trivial]]:
    """Return the trivial rows of each method that one of the evaluations was scored by."""
    by_method: dict[str, Evaluation] = {}
    for one in chosen:
        by_method.setdefault(method_said(one), one)
    figures = Evaluation.objects.in_bulk([one.pk for one in by_method.values()])
    return [
        (method, row)
        for method, one in by_method.items()
        for row in trivial_shown(figures[one.pk].figures or {}, one.scope)
    ]


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _of_questions(found: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
    if found["focus"]:
        return {"focus": True}
    kappas = Notes("kappas")
    methods = [
        (
            pair["first"],
            pair["second"],
            *(
                (kappas.noted(shown_cell({**pair[key], "low": None})), pair[key]["n"])
                for key in ("with_nae", "without_nae")
            ),
        )
        for pair in found["methods"]
    ]
    diversity = found["diversity"]
    tables = [
        (
            words,
            [
                (names[row["evaluation"]], *(number(row[kind][key]) for kind in ("systems", "all", "useful")))
                for row in diversity["rows"]
            ],
        )
        for key, words in MEASURES.items()
    ]
    return {
        "focus": False,
        "methods": methods,
        "kappa_notes": kappas,
        "coefficients": ("Pearson", "Spearman", "Kendall τ-b"),
        "correlations": [
            (
                row["method"],
                row["n"],
                [number(row[key]) for key in ("pearson", "spearman", "kendall_tau_b")],
                why(row["reason"]) if row["reason"] else "",
            )
            for row in found["correlations"]
        ],
        "diversity": tables,
        "diversity_n": diversity["n"],
        "useful_n": [(names[row["evaluation"]], row["useful_questions"]) for row in diversity["rows"]],
    }


@login_required
@require_GET
def compare_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Send the comparison as a chart (SVG, PDF) or as a table of differences (CSV)."""
    _, chosen = _chosen(request, slug)
    found, names = comparison_stored(chosen), _names(chosen)
    if found is None:
        comparison_start(chosen)
        raise Refused("not_ready", gettext("They are being compared: try again in a moment."))
    made: str | bytes
    if name == "comparison.csv":
        kind, made = "text/csv; charset=utf-8", _csv(found, names)
    elif name in ("comparison.svg", "comparison.pdf"):
        svg = _chart(found, names, chosen)
        kind = "image/svg+xml" if name.endswith("svg") else "application/pdf"
        made = svg if name.endswith("svg") else chart_pdf(svg)
    else:
        raise NotFound(gettext("There is no such file of a comparison."))
    response = HttpResponse(made, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-{name}"'
    return response


def _csv(found: dict[str, Any], names: dict[int, str]) -> str:
    head = ["first", "second", "difference", "low", "high", "told_apart", "n"]
    rows = [
        [
            names[pair["first"]],
            names[pair["second"]],
            *("" if pair[key] is None else pair[key] for key in ("value", "low", "high")),
            "yes" if pair["told_apart"] else "no",
            found["systems"][0]["n"],
        ]
        for pair in found["pairs"]
    ]
    return "".join(csv_line([made_safe(str(cell)) for cell in row]) for row in (head, *rows))


def _chart(found: dict[str, Any], names: dict[int, str], chosen: list[Evaluation]) -> str:
    """Draw every score with its interval, the highest first, in English like every file."""
    submission = chosen[0].submission
    split = f", split {submission.split}" if submission.split else ""
    what = "micro F1" if found["focus"] else "useful questions of three"
    rows = sorted(found["systems"], key=lambda row: -(row["value"] if row["value"] is not None else -1.0))
    entries = [
        Entry(
            names[row["evaluation"]],
            INK,
            "",
            (
                undefined(NO_ITEMS)
                if row["value"] is None
                else Estimate(row["value"], row["low"], row["high"])
            ).to_json(),
        )
        for row in rows
    ]
    with translation.override("en"):
        return whiskers(
            entries,
            heading=f"Systems against release {submission.release.version}{split}",
            subtitle=f"{what}; 95% bootstrap intervals over {found['systems'][0]['n']} items",
            scale=lambda left, right: Scale(0.0, 1.0, left, right),
        ).svg()
