"""How many texts a round needs, asked before there is anything to compute from."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from agreement.display.cells import number
from agreement.display.sample_size import PlanRefused
from agreement.display.study_size import clean_study, plan_study
from annotation.models import Round
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, number_in, project_page

EXPECTED = {"alpha": "0.6", "prevalence": "0.2", "raters": "3", "width": "0.2"}
"""What the form begins with."""


@login_required
@require_GET
def study_size(request: HttpRequest, slug: str) -> HttpResponse:
    """Say how many texts reach a width; alone for the pages that ask without being left (htmx)."""
    member = lead_or_403(request, slug)
    given = {**EXPECTED, **request.GET.dict()}
    draft = member.project.rounds.filter(
        number=number_in(request.GET.get("round")), status=Round.Status.DRAFT
    ).first()
    answer = _answer(given, asked="alpha" in request.GET)
    context: dict[str, Any] = {"size": {"given": given, **answer}, "round": draft}
    fragment = getattr(request, "htmx", False)
    template = "rounds/_study_size.html" if fragment else "rounds/study_size.html"
    return project_page(request, template, member, tab="project", **context)


def study_size_form(draft: Round | None = None) -> dict[str, Any]:
    """Return what the form begins with on a page that plans a round."""
    return {"given": {**EXPECTED, **({"raters": str(draft.overlap)} if draft else {})}}


def _answer(given: dict[str, str], *, asked: bool) -> dict[str, Any]:
    if not asked:
        return {}
    try:
        plan = plan_study(clean_study(given))
    except PlanRefused as refused:
        names = {
            "alpha": gettext("The alpha"),
            "prevalence": gettext("The share of yes"),
            "raters": gettext("The number of annotators"),
            "width": gettext("The width"),
            "assurance": gettext("The assurance"),
        }
        return {
            "errors": {name: f"{names[name]} {message}." for name, message in refused.errors.items()},
        }
    shown = {name: number(plan[name]) for name in ("low", "high", "width", "width_wanted", "alpha")}
    percent = {name: round(100 * plan[name]) for name in ("reached", "cautioned", "assurance")}
    return {"plan": plan | shown | percent}
