"""Context screening: its result by topic, and sending the items that passed into another project."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotation.errors import Refused
from annotation.models import Membership, Protocol
from annotation.screening import Screening, criteria_of, screening_result, screening_send
from frontend.pages.common import lead_or_refuse, posted, project_page


class SendForm(forms.Form):
    criteria = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, label=gettext_lazy("Criteria that an item has to pass")
    )
    target = forms.ModelChoiceField(
        queryset=Membership.objects.none(), label=gettext_lazy("Into the project"), empty_label=None
    )

    def __init__(self, *args: Any, result: Screening, targets: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        criteria = cast(forms.MultipleChoiceField, self.fields["criteria"])
        criteria.choices = [(one.code, one.name) for one in result.criteria]
        criteria.initial = [one.code for one in result.criteria]
        target = cast(Any, self.fields["target"])
        target.queryset = targets
        target.label_from_instance = lambda membership: membership.project.name


@login_required
@require_http_methods(["GET", "POST"])
def screening(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many items passed, by topic, and send those that passed the chosen criteria on."""
    member = lead_or_refuse(request, slug)
    if not criteria_of(member.project):
        raise Refused(
            "not_ready",
            gettext("Screening is for codebooks of yes/no criteria without spans; this project has none."),
        )
    result = screening_result(member.project)
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
    form = SendForm(posted(request), result=result, targets=targets)
    if request.method == "POST" and form.is_valid():
        target = form.cleaned_data["target"]
        try:
            report = screening_send(
                project=member.project,
                target=target.project,
                criteria=form.cleaned_data["criteria"],
                member=member,
                target_member=target,
            )
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            new, there = report.counts.get("new items", 0), report.counts.get("items already there", 0)
            told = gettext("%(new)s items are new in %(name)s, %(there)s were there already.") % {
                "new": f"{new:,}",
                "name": target.project.name,
                "there": f"{there:,}",
            }
            messages.success(request, told)
            if report.refused:
                messages.warning(
                    request,
                    gettext("%(refused)s items were refused there.") % {"refused": f"{report.refused:,}"},
                )
            return redirect("items", target.project.slug)
    return project_page(
        request, "screening.html", member, tab="project", result=result, form=form, targets=targets.exists()
    )
