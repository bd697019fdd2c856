"""Context screening: its result by topic, and sending the items that passed into another project."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.importing.screening import (
    Criterion,
    criteria_of,
    screened_texts,
    screening_current,
    screening_send,
)
from annotation.models import Membership, Protocol, Upload
from annotation.tasks import run_or_send, screening_count_or_send
from core.errors import Refused
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, posted, project_page


class SendForm(forms.Form):
    criteria = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, label=gettext_lazy("Criteria that an item has to pass")
    )
    target = forms.ModelChoiceField(
        queryset=Membership.objects.none(), label=gettext_lazy("Into the project"), empty_label=None
    )

    def __init__(self, *args: Any, known: Sequence[Criterion], targets: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        criteria = cast(forms.MultipleChoiceField, self.fields["criteria"])
        criteria.choices = [(one.code, one.name) for one in known]
        criteria.initial = [one.code for one in known]
        target = cast(Any, self.fields["target"])
        target.queryset = targets
        target.label_from_instance = lambda membership: membership.project.name


@login_required
@require_http_methods(["GET", "POST"])
def screening(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many items passed, by topic, and send those that passed the chosen criteria on."""
    member = lead_or_403(request, slug)
    known = criteria_of(member.project)
    if not known:
        raise Refused(
            "not_ready",
            gettext("Screening is for codebooks of yes/no criteria without spans; this project has none."),
        )
    # By topic, and a topic may have one text; what passed shows in the project that it is sent to.
    access.refuse_while_judging(member, screened_texts(member.project))
    result, up_to_date = screening_current(member.project)
    if not up_to_date:
        screening_count_or_send(member.project)
    if "counting" in request.GET:
        if up_to_date:
            return HttpResponse(headers={"HX-Refresh": "true"})
        context = {"project": member.project, "result": result}
        return render(request, "frontend/items/_screening_progress.html", context)
    targets = (
        Membership.objects.filter(
            user=request.user.pk,
            is_lead=True,
            is_active=True,
            project__archived_at__isnull=True,
            project__protocol=Protocol.FOCUS,
        )
        .exclude(project=member.project)
        .select_related("project")
        .order_by("project__name")
    )
    form = SendForm(posted(request), known=known, targets=targets)
    if request.method == "POST" and form.is_valid():
        target = form.cleaned_data["target"]
        try:
            upload = screening_send(
                project=member.project,
                target=target.project,
                criteria=form.cleaned_data["criteria"],
                member=member,
                target_member=target,
            )
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            run_or_send(upload)
            upload.refresh_from_db()
            if upload.state == Upload.State.QUEUED:
                return redirect("upload", target.project.slug, upload.pk)
            if upload.state == Upload.State.DONE:
                _tell(request, target.project.name, upload.report)
                return redirect("items", target.project.slug)
            form.add_error(None, upload.error)
    return project_page(
        request,
        "items/screening.html",
        member,
        tab="project",
        result=result,
        counting=not up_to_date,
        form=form,
        targets=targets.exists(),
    )


def _tell(request: HttpRequest, target: str, report: dict[str, Any]) -> None:
    new, there = report["counts"].get("new items", 0), report["counts"].get("items already there", 0)
    told = ngettext(
        "%(new)s item is new in %(name)s; already there: %(there)s.",
        "%(new)s items are new in %(name)s; already there: %(there)s.",
        new,
    ) % {"new": f"{new:,}", "name": target, "there": f"{there:,}"}
    messages.success(request, told)
    if report["refused"]:
        refused = ngettext(
            "%(refused)s item was refused there.", "%(refused)s items were refused there.", report["refused"]
        )
        messages.warning(request, refused % {"refused": f"{report['refused']:,}"})
