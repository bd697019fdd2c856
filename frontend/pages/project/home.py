"""The first page after logging in: my projects, and what is waiting for me in them."""

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from annotation import access
from annotation.adjudication.discussion import mentions_open
from annotation.codebooks.toml_reader import CodebookError
from annotation.limits import characters
from annotation.models import Membership, Project, Round
from annotation.projects.projects import guideline_html, project_create, slug_for
from boards.life.boards import public_boards
from boards.life.front_page import front_page_text, front_page_write, may_edit, require_may_edit
from core.errors import Refused
from exports.releases.publication import public_releases_newest
from frontend.decorators import login_required
from frontend.forms.boards import FrontPageForm
from frontend.own_work import OwnWork, own_work
from frontend.pages.common import page_of, posted

PROJECTS_PER_PAGE = 20

OWN = "file"
MAX_CODEBOOK_BYTES = 1024 * 1024

CODEBOOK_CHOICES = [
    ("focus", gettext_lazy("FOCUS: ten types of critical probing in arguments, each with a span")),
    ("cqs_gen", gettext_lazy("CQs-Gen: critical questions that are useful, unhelpful or invalid")),
    ("context_sufficiency", gettext_lazy("Context screening: two yes/no criteria, no spans")),
    (OWN, gettext_lazy("A codebook of your own, from a TOML file")),
]


@dataclass(slots=True)
class ProjectCard:
    """One project as its member meets it on the first page."""

    member: Membership
    work: list[OwnWork] = field(default_factory=list)
    open_rounds: list[Round] = field(default_factory=list)
    mentioning: int = 0
    """Unsettled discussions in which the person is mentioned."""

    @property
    def project(self) -> Project:
        return self.member.project


class ProjectForm(forms.Form):
    """What a new project needs; everything else can wait."""

    name = forms.CharField(
        max_length=characters("project", "name"),
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("As people will read it, for example Campus debates."),
    )
    slug = forms.CharField(
        max_length=characters("project", "slug"),
        required=False,
        label=gettext_lazy("Short name"),
        help_text=gettext_lazy(
            "Stands in addresses and commands: small letters, digits, hyphens. "
            "Left empty, it is made from the name."
        ),
    )
    codebook = forms.ChoiceField(
        choices=CODEBOOK_CHOICES,
        widget=forms.RadioSelect,
        label=gettext_lazy("Start from"),
        help_text=gettext_lazy("You can edit types, labels and the guideline afterwards."),
    )
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label=gettext_lazy("TOML file"),
        help_text=gettext_lazy(
            "Only for a codebook of your own: the TOML of another project's codebook, or one written as "
            "docs/codebooks.md says."
        ),
    )
    annotates = forms.BooleanField(
        required=False,
        label=gettext_lazy("I annotate in it too"),
        help_text=gettext_lazy("You lead it in any case, and can become an annotator later."),
    )

    def clean_file(self) -> str:
        """Return the text of the file, "" without one."""
        file = self.cleaned_data["file"]
        if file is None:
            return ""
        if file.size > MAX_CODEBOOK_BYTES:
            raise forms.ValidationError(gettext("This is no codebook: it is larger than 1 MB."))
        try:
            return str(file.read().decode("utf-8-sig")).replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise forms.ValidationError(gettext("The file is not UTF-8: save it as UTF-8.")) from None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("codebook") == OWN and "file" in given and not given["file"].strip():
            self.add_error("file", gettext("Choose the TOML file of your codebook."))
        return given

    @property
    def source(self) -> str:
        """The shipped codebook's name, or the text of one's own."""
        given = self.cleaned_data
        # A text of one line would be taken for a name.
        return f"{given['file']}\n" if given["codebook"] == OWN else given["codebook"]


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """List my projects; to strangers what is public here, and the log-in where nothing is."""
    if request.user.is_authenticated:
        return my_projects(request)
    releases = list(public_releases_newest())
    boards = sorted(public_boards().select_related("project"), key=lambda one: one.is_over())
    if not releases and not boards:
        return redirect_to_login(request.get_full_path())
    text = front_page_text()
    return render(
        request,
        "frontend/project/front_page.html",
        {"text": guideline_html(text) if text else "", "releases": releases, "boards": boards},
    )


@login_required
@require_http_methods(["GET", "POST"])
def front_page(request: HttpRequest) -> HttpResponse:
    """Write what strangers read first."""
    require_may_edit(request.user)
    form = FrontPageForm(posted(request), initial={"text": front_page_text()})
    if request.method == "POST" and form.is_valid():
        try:
            front_page_write(text=form.cleaned_data["text"], user=request.user)
        except Refused as refusal:
            form.add_error("text", refusal.message)
        else:
            messages.success(request, gettext("Strangers read this from now on."))
            return redirect("home")
    return render(request, "frontend/project/front_page_edit.html", {"form": form})


def my_projects(request: HttpRequest) -> HttpResponse:
    """List my projects, those with open work first on top of their card."""
    memberships = (
        Membership.objects.filter(user=request.user.pk, is_active=True)
        .select_related("project")
        .order_by("project__archived_at", "project__name", "id")
    )
    page = page_of(request, memberships, PROJECTS_PER_PAGE)
    cards = [ProjectCard(member) for member in page]
    _add_open_rounds(cards)
    _add_mentions(cards)
    open_to_me = [work for card in cards for work in card.work if work.own.left and not work.round.paused_at]
    # A training round comes before all else, then what was begun, then the order of the page.
    following = sorted(
        (work for work in open_to_me if not work.before),
        key=lambda work: (work.round.purpose != Round.Purpose.TRAINING, not work.own.decided),
    )
    first = following[0] if following else None
    return render(
        request,
        "frontend/project/home.html",
        {
            "page": page,
            "cards": cards,
            "may_make": access.may_make_projects(request.user),
            "may_edit": may_edit(request.user),
            "waiting": len(open_to_me),
            "annotates": any(card.member.is_annotator for card in cards),
            "next": first,
            "next_minutes": _minutes(first.own.seconds_left) if first else 0,
        },
    )


def _minutes(seconds: int | None) -> int:
    return -(-seconds // 60) if seconds else 0


def _add_mentions(cards: list[ProjectCard]) -> None:
    by_member = {card.member.pk: card for card in cards}
    for (member, _), n in mentions_open(card.member for card in cards).items():
        by_member[member].mentioning += n


def _add_open_rounds(cards: list[ProjectCard]) -> None:
    by_project = {card.project.pk: card for card in cards}
    rounds = Round.objects.filter(project__in=by_project, status=Round.Status.OPEN, imported=False)
    for round in rounds.select_related("codebook", "project").order_by("number"):
        by_project[round.project_id].open_rounds.append(round)
    for card in cards:
        if card.member.is_annotator:
            card.work = own_work(card.member, card.open_rounds)


@login_required
@require_http_methods(["GET", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """Create a project from a codebook that ships; whoever creates it becomes its lead."""
    access.require_may_make_projects(request.user)
    form = ProjectForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        slug = given["slug"] or slug_for(given["name"])
        try:
            project = project_create(
                slug=slug,
                name=given["name"],
                codebook=form.source,
                user=request.user,
                annotates=given["annotates"],
            )
        except CodebookError as error:
            for problem in error.problems:
                form.add_error("file", str(problem))
        except Refused as refusal:
            for field, message in (refusal.errors or {"slug": refusal.message}).items():
                form.add_error(field, message)
        else:
            messages.success(
                request,
                (
                    gettext("%(name)s is ready. You are its lead and one of its annotators.")
                    if given["annotates"]
                    else gettext("%(name)s is ready. You are its lead.")
                )
                % {"name": project.name},
            )
            return redirect("project", project.slug)
    return render(request, "frontend/project/new.html", {"form": form})
