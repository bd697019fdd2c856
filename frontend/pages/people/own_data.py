"""What is stored of me: have it as a file, and leave a project."""

import tempfile
from datetime import date

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import access
from annotation.models import Membership
from annotation.projects.members import member_deactivate
from annotation.projects.own_data import own_data_write
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import posted, project_page
from frontend.pages.people.person import LeavingForm

IN_MEMORY = 4 * 1024 * 1024


@login_required
@require_GET
def own_data(request: HttpRequest) -> HttpResponse:
    """Say what is stored of me and where I take part."""
    memberships = (
        Membership.objects.filter(user=request.user.pk)
        .select_related("project")
        .order_by("project__name", "pk")
    )
    return render(request, "frontend/people/own_data.html", {"memberships": memberships})


@login_required
@require_GET
def own_data_file(request: HttpRequest) -> HttpResponseBase:
    """Send all that is stored of me as a ZIP."""
    return own_data_response(request)


def own_data_response(request: HttpRequest) -> FileResponse:
    target = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # the response closes it
    own_data_write(request.user, target)
    target.seek(0)
    name = f"elenchus-{date.today():%Y-%m-%d}.zip"
    return FileResponse(target, as_attachment=True, filename=name, content_type="application/zip")


@login_required
@require_http_methods(["GET", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what leaving a project does, then leave it."""
    member = access.member_or_404(request.user, slug)
    form = LeavingForm(posted(request))
    form.fields["judgements"].label = gettext("What you judged")
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            leaves_out = form.cleaned_data["judgements"] == "leave_out"
            member_deactivate(target=member, member=member, leave_out=leaves_out)
            messages.success(request, gettext("You have left %(name)s.") % {"name": member.project.name})
        return redirect("own_data")
    return project_page(
        request,
        "confirm.html",
        member,
        heading=gettext("Leave %(name)s") % {"name": member.project.name},
        effects=[
            gettext("You can no longer open the project; a lead can let you in again."),
            gettext("Nothing you judged is deleted; it stands under the name %(name)s.")
            % {"name": member.pseudonym},
            gettext("Releases made so far stay as they are."),
            gettext("To have your name erased as well, ask a lead of the project: %(contact)s.")
            % {"contact": member.project.contact}
            if member.project.contact
            else gettext("To have your name erased as well, ask a lead of the project."),
        ],
        act=gettext("Leave %(name)s") % {"name": member.project.name},
        danger=True,
        back=reverse("own_data"),
        form=form,
    )
