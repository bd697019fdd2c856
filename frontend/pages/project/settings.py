"""What a project says about itself, and putting it aside."""

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from annotation.projects.deletion import DAYS, project_deletion_ask, project_deletion_take_back
from annotation.projects.projects import project_archive, project_edit, project_restore
from core.errors import Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, posted, project_page

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Project]
else:
    ModelForm = forms.ModelForm


class SettingsForm(ModelForm):
    class Meta:
        model = Project
        fields = ["name", "licence", "languages", "contact", "erases_judgements"]
        labels = {
            "name": gettext_lazy("Name"),
            "licence": gettext_lazy("Licence"),
            "languages": gettext_lazy("Languages"),
            "contact": gettext_lazy("Contact"),
            "erases_judgements": gettext_lazy("When somebody is erased, what they judged is deleted too"),
        }
        help_texts = {
            "licence": gettext_lazy("Of the dataset that will be released, for example CC BY 4.0."),
            "languages": gettext_lazy("Of the texts, as codes: en, or en, ar."),
            "contact": gettext_lazy("Whom readers of a release can write to."),
            "erases_judgements": gettext_lazy(
                "Choose this only if the people were promised so. Else judgements stay under the pseudonym."
            ),
        }


@login_required
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change what the project says about itself."""
    member = lead_or_403(request, slug)
    form = SettingsForm(posted(request), instance=Project.objects.get(pk=member.project.pk))
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            project_edit(project=member.project, member=member, **form.cleaned_data)
            messages.success(request, gettext("The project's settings are saved."))
            return redirect("project_settings", slug)
    return project_page(request, "project/settings.html", member, tab="project", form=form)


class TypedNameForm(forms.Form):
    typed = forms.CharField(label=gettext_lazy("Type the project's short name to confirm"), max_length=80)


@login_required
@require_http_methods(["GET", "POST"])
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Archive the project after its short name was typed."""
    member = lead_or_403(request, slug)
    form = TypedNameForm(posted(request))
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["typed"].strip() != slug:
            form.add_error("typed", gettext("That is not the short name: type %(slug)s.") % {"slug": slug})
        else:
            with refusals_as_notices(request):
                project_archive(project=member.project, member=member)
                messages.success(
                    request,
                    gettext("%(name)s is archived. A lead can restore it.") % {"name": member.project.name},
                )
            return redirect("project", slug)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="project",
        heading=gettext("Archive %(name)s") % {"name": member.project.name},
        effects=[
            gettext("It moves to the end of everybody's list of projects, marked as archived."),
            gettext("Nothing new can be imported, opened or judged in it. Reading and releasing still work."),
            gettext("Nothing is deleted. Any lead can restore it at any time."),
        ],
        act=gettext("Archive %(name)s") % {"name": member.project.name},
        danger=True,
        back=reverse("project_settings", args=[slug]),
        form=form,
    )


@login_required
@require_http_methods(["POST"])
def restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the project out of the archive."""
    member = lead_or_403(request, slug)
    with refusals_as_notices(request):
        project_restore(project=member.project, member=member)
        messages.success(request, gettext("%(name)s is restored.") % {"name": member.project.name})
    return redirect("project", slug)


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what deleting the project does; have it deleted in seven days once its short name is typed."""
    member = lead_or_403(request, slug)
    form = TypedNameForm(posted(request))
    project = member.project
    if request.method == "POST" and form.is_valid():
        try:
            project_deletion_ask(project=project, member=member, typed=form.cleaned_data["typed"])
        except Refused as refusal:
            form.add_error("typed", refusal.message)
        else:
            messages.success(
                request,
                gettext("%(name)s is archived and will be deleted in %(days)s days.")
                % {"name": project.name, "days": DAYS},
            )
            return redirect("project", slug)
    releases = ", ".join(
        project.releases.filter(state="done").order_by("id").values_list("version", flat=True)
    )
    return project_page(
        request,
        "confirm.html",
        member,
        tab="project",
        heading=gettext("Delete %(name)s") % {"name": project.name},
        effects=[
            gettext("It is archived now. In %(days)s days it is deleted: until then any lead can keep it.")
            % {"days": DAYS},
            gettext("Then all texts, judgements, figures, systems and the log are gone for good."),
            gettext("Its releases are deleted with their files and public pages: %(releases)s.")
            % {"releases": releases}
            if releases
            else gettext("It has no release."),
            gettext("Accounts stay. Copies of a release that were downloaded stay with whoever has them."),
            gettext("Backups made before still hold it until they are deleted."),
        ],
        act=gettext("Delete %(name)s in %(days)s days") % {"name": project.name, "days": DAYS},
        danger=True,
        back=reverse("project_settings", args=[slug]),
        form=form,
    )


@login_required
@require_http_methods(["POST"])
def keep(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep a project that waits to be deleted."""
    member = lead_or_403(request, slug)
    project_deletion_take_back(project=member.project, member=member)
    messages.success(
        request,
        gettext("%(name)s is kept. It stays archived until you restore it.") % {"name": member.project.name},
    )
    return redirect("project", slug)
