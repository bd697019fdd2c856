"""Importing by browser: choose a file, see what will happen, let it happen, take it back."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.importing.asked_judgements import asked_from_words
from annotation.importing.files.rows import counted
from annotation.importing.staging import JUDGEMENTS
from annotation.importing.undo import import_undo
from annotation.importing.uploads import (
    columns_known,
    focus_upload_create,
    say_file_is_gone,
    upload_cancel,
    upload_create,
    upload_map_columns,
    upload_request_import,
    upload_retry,
)
from annotation.limits import characters
from annotation.models import Import, Membership, Project, Protocol, Upload
from annotation.rounds.asked_types import JUDGEMENTS as JUDGED
from annotation.rounds.asked_types import field_choices
from annotation.rounds.matching import MATCHING
from annotation.tasks import run_or_send
from assist.candidates.proposals import FORMAT as MADE
from core.errors import NotFound, Refused
from core.jobs import WORKING
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, page_of, posted, project_page
from frontend.pages.jobs import job_progress, upload_shown
from frontend.templatetags.humanize_numbers import thousands

_KEPT = (JUDGEMENTS, MATCHING, MADE)
"""Formats of imports that nobody takes back: they are more than a file that was read."""


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several, cleaned to a list."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        given = data if isinstance(data, list | tuple) else [data]
        return [super(FilesField, self).clean(one, initial) for one in given or [None]]


class UploadForm(forms.Form):
    file = FilesField(
        label=gettext_lazy("File: drop it here, or choose it"),
        allow_empty_file=True,
        help_text=gettext_lazy(
            "CSV, JSON Lines or Excel with the columns id and text; or a published CQs-Gen, SoQG "
            "or LogicClimate file. Judgements: also Label Studio JSON or doccano JSON Lines. The "
            "format is recognised by its content."
        ),
    )
    holds = forms.ChoiceField(
        widget=forms.RadioSelect,
        initial="items",
        label=gettext_lazy("What is in it"),
        choices=[
            ("items", gettext_lazy("Texts to judge (and questions about them)")),
            ("judgements", gettext_lazy("Judgements that were made elsewhere")),
            ("focus", gettext_lazy("The FOCUS authors’ own files, all of one set at once")),
        ],
    )
    set_name = forms.CharField(
        required=False,
        max_length=40,
        label=gettext_lazy("Name of the set of FOCUS files"),
        help_text=gettext_lazy("The texts are named by it: dev makes dev001, dev002 and so on."),
    )
    origin = forms.CharField(
        required=False,
        max_length=characters("upload", "origin"),
        label=gettext_lazy("Who wrote the questions"),
        help_text=gettext_lazy(
            "Only where the file does not say, for example a system’s name. Annotators never see it."
        ),
    )
    round_name = forms.CharField(
        required=False,
        max_length=characters("upload", "round_name"),
        label=gettext_lazy("Name of the round they go into"),
        help_text=gettext_lazy("A new name makes a closed round."),
    )
    asked = forms.ChoiceField(
        widget=forms.RadioSelect,
        initial="all",
        required=False,
        label=gettext_lazy("What annotators were asked about each text"),
        help_text=gettext_lazy("What was not asked is missing by design: it is neither no nor undecided."),
        choices=[
            ("all", gettext_lazy("All types")),
            ("judged", gettext_lazy("The types that somebody judged")),
            ("field", gettext_lazy("By a field of the text")),
        ],
    )
    asked_field = forms.ChoiceField(required=False, label=gettext_lazy("Field"))
    asked_types = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        label=gettext_lazy("Types of each of its values"),
        help_text=gettext_lazy("One value a line, as in: assumptions = IE, BS"),
    )

    correct = forms.BooleanField(
        required=False,
        label=gettext_lazy("Correct items that are here already"),
        help_text=gettext_lazy(
            "Their topic, split, source and licence become those of the file, where it names one and no "
            "release has the item. Texts never change."
        ),
    )
    keep_votes = forms.BooleanField(
        required=False,
        label=gettext_lazy("Keep answers without what goes with them"),
        help_text=gettext_lazy(
            "A yes whose words are not in the text, Invalid with an unknown reason, Unhelpful without a "
            "comment: count the answer alone. If not, such rows are refused."
        ),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if project.protocol == Protocol.CQS_GEN:
            for name in ("asked", "asked_field", "asked_types", "set_name"):
                del self.fields[name]
            cast(Any, self.fields["holds"]).choices = cast(Any, self.fields["holds"]).choices[:2]
            return
        del self.fields["origin"]
        fields = [(one.name, one.name) for one in field_choices(project)]
        if not fields:
            del self.fields["asked_field"], self.fields["asked_types"]
            cast(Any, self.fields["asked"]).choices = cast(Any, self.fields["asked"]).choices[:2]
        else:
            cast(Any, self.fields["asked_field"]).choices = fields

    def asked_given(self) -> dict[str, Any]:
        """Return what is asked of each text, as an import takes it. Raises Refused for another form."""
        given = self.cleaned_data
        if given["holds"] != "judgements" or given.get("asked") in (None, "", "all"):
            return {}
        if given["asked"] == "judged":
            return {"by": JUDGED}
        lines = [line for line in given["asked_types"].splitlines() if line.strip()]
        return asked_from_words(given["asked_field"], lines)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("holds") == "judgements" and not given.get("round_name"):
            self.add_error("round_name", gettext("Name the round that the judgements go into."))
        if given.get("holds") == "focus" and not given.get("set_name"):
            self.add_error("set_name", gettext("Name the set, as in dev."))
        if given.get("holds") != "focus" and len(given.get("file") or ()) > 1:
            self.add_error(
                "file", gettext("Choose one file: only the FOCUS authors’ files come several at once.")
            )
        return given


def _kept(member: Membership, form: UploadForm) -> Upload:
    """Keep what was chosen. Raises Refused."""
    given = form.cleaned_data
    shared: dict[str, Any] = {"project": member.project, "member": member, "keep_votes": given["keep_votes"]}
    if given["holds"] == "focus":
        return focus_upload_create(files=given["file"], set_name=given["set_name"].strip(), **shared)
    (file,) = given["file"]
    return upload_create(
        file=file,
        name=file.name,
        origin=given.get("origin", ""),
        round_name=given["round_name"] if given["holds"] == "judgements" else "",
        asked=form.asked_given(),
        correct=given["correct"],
        **shared,
    )


@login_required
@require_http_methods(["GET", "POST"])
def items_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a file; earlier imports stand below."""
    member = lead_or_403(request, slug)
    form = UploadForm(posted(request), request.FILES or None, project=member.project)
    if request.method == "POST" and form.is_valid():
        try:
            upload = _kept(member, form)
        except Refused as refusal:
            named = {"asked": "asked", "set": "set_name"}
            field = next((named[name] for name in refusal.errors if name in named), "file")
            form.add_error(field, refusal.message)
        else:
            run_or_send(upload)
            return redirect("upload", slug, upload.pk)
    unseen = [Import.State.FAILED, Import.State.CHECKED]
    done = member.project.imports.select_related("member").exclude(state__in=unseen)
    return project_page(
        request,
        "items/import.html",
        member,
        tab="items",
        form=form,
        page=page_of(request, done.order_by("-id"), 20),
        kept_formats=_KEPT,
        waiting=member.project.uploads.filter(work=Upload.Work.CHECK, state=Upload.State.DONE).order_by(
            "-id"
        )[:5],
    )


def _upload(member: Membership, upload_id: int) -> Upload:
    found = (
        member.project.uploads.select_related("brought", "project", "screened_from")
        .filter(pk=upload_id)
        .first()
    )
    if found is None:
        raise NotFound(gettext("There is no such file in this project."))
    return found


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str, upload_id: int) -> HttpResponse:
    """Show what importing the file will do; import it when the lead says so."""
    member = lead_or_403(request, slug)
    found = _upload(member, upload_id)
    if request.method == "POST":
        with refusals_as_notices(request):
            _act(request, found)
        return redirect("upload", slug, upload_id)
    return project_page(request, "items/upload.html", member, tab="items", **_context(found))


def _act(request: HttpRequest, found: Upload) -> None:
    act = request.POST.get("act")
    if act == "import":
        upload_request_import(upload=found, skip_invalid="skip_invalid" in request.POST)
        run_or_send(found)
    elif act == "columns":
        upload_map_columns(
            upload=found,
            columns={ours: request.POST.get(f"column-{ours}", "") for ours in columns_known(found)[1]},
        )
        run_or_send(found)
    elif act == "retry":
        upload_retry(upload=found)
        run_or_send(found)
    elif act == "cancel":
        upload_cancel(upload=found)


@login_required
@require_GET
def upload_progress(request: HttpRequest, slug: str, upload_id: int) -> HttpResponse:
    """Return the state alone while a worker is busy; when it is done the whole page is asked for."""
    member = lead_or_403(request, slug)
    found = _upload(member, upload_id)
    if found.state not in WORKING:
        response = HttpResponse(status=204)
        response["HX-Redirect"] = reverse("upload", args=[slug, upload_id])
        return response
    return job_progress(request, upload_shown(found))


def _brings(counts: dict[str, int]) -> str:
    """Say what an import brings, each kind by itself: items and their questions make no sum.

    Labels come with their questions, annotators with their judgements: those are what is imported.
    """
    new = {what: n for what, n in counts.items() if what.startswith("new ") and n}
    named = ["new items", "new questions", "new judgements"]
    main = [what for what in named if what in new] or list(new)
    said = [f"{thousands(new[what])} {counted(what, new[what])}" for what in main]
    if len(said) < 2:
        return "".join(said)
    return gettext("%(first)s and %(second)s") % {"first": said[0], "second": said[1]}


def _context(found: Upload) -> dict[str, Any]:
    working = found.state in WORKING
    gone = say_file_is_gone(found)
    needed, known = columns_known(found)
    theirs = {ours: name for name, ours in found.columns.items()}
    counts = found.report.get("counts", {})
    return {
        "upload": found,
        "working": working,
        "shown": upload_shown(found) if working else None,
        "people": list(found.report.get("people", {}).items()),
        "counts": [(what, n) for what, n in counts.items() if n],
        "changed": any(n for what, n in counts.items() if what.startswith("new ")),
        "brings": _brings(counts),
        "rows": [] if working or found.is_imported else found.found.get("rows", []),
        "columns": [] if working or gone else found.found.get("columns", []),
        "mapping": [(ours, ours in needed, theirs.get(ours, "")) for ours in known],
        "gone": gone,
        "undoable": found.brought is not None
        and found.brought.state == Import.State.DONE
        and found.brought.format not in _KEPT,
    }


@login_required
@require_GET
def upload_refused(request: HttpRequest, slug: str, upload_id: int) -> FileResponse:
    """Send the refused rows with their reasons, as a file that can be mended and imported again."""
    member = lead_or_403(request, slug)
    found = _upload(member, upload_id)
    if not found.refused_file:
        raise NotFound(gettext("No row of this file was refused."))
    return FileResponse(
        found.refused_file.open("rb"),
        as_attachment=True,
        filename=f"{found.name.rsplit('.', 1)[0]}.refused.csv",
        content_type="text/csv; charset=utf-8",
    )


@login_required
@require_POST
def undo(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Take back a whole import, until something in it is used."""
    member = lead_or_403(request, slug)
    found = member.project.imports.filter(pk=import_id).first()
    if found is None:
        raise NotFound(gettext("There is no such import in this project."))
    with refusals_as_notices(request):
        gone = import_undo(found, member=member)
        told = ", ".join(f"{n:,} {what}" for what, n in gone.items() if n)
        messages.success(
            request,
            gettext("The import of %(file_name)s is undone: %(told)s taken away.")
            % {"file_name": found.file_name, "told": told or "nothing"},
        )
    return redirect("items_import", slug)
