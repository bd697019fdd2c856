"""The key of a training round: see it, upload it, or take it from what was decided."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.importing.files.rows import FileError
from annotation.importing.files.tabular import columns_from_words
from annotation.importing.formats.judgement_table import KEY_COLUMNS
from annotation.importing.staging import ImportReport
from annotation.importing.subprocess_reader import AT_ONCE, read_apart
from annotation.models import Membership, Round
from annotation.training.key import NEW_ANSWERS, key_from_resolutions, key_import
from core.errors import Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import page_of, posted, project_page
from frontend.pages.rounds.lifecycle import lead_and_round
from frontend.training_view import key_answer_words, key_state

MAX_BYTES = 2 * 1024 * 1024
"""A larger key would keep its lead waiting longer than a page may; the command has no limit."""


class KeyForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File with the key"),
        allow_empty_file=True,
        help_text=gettext_lazy(
            "CSV, JSON Lines or Excel, one row an answer. It takes the place of the whole key."
        ),
    )
    columns = forms.CharField(
        required=False,
        label=gettext_lazy("Columns of other names"),
        help_text=gettext_lazy(
            "Only where the file calls them otherwise: one a line, our name first, as in item=Text number."
        ),
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )
    skip_invalid = forms.BooleanField(required=False, label=gettext_lazy("Leave out rows that break a rule"))

    def clean_columns(self) -> dict[str, str]:
        lines = self.cleaned_data["columns"].splitlines()
        try:
            return columns_from_words([line for line in lines if line.strip()], KEY_COLUMNS)
        except Refused as refusal:
            raise forms.ValidationError(refusal.message) from refusal

    def clean_file(self) -> "File[Any]":
        file: File[Any] = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                gettext("%(name)s is larger than %(n)s MB: use manage.py import_key for it.")
                % {"name": file.name, "n": MAX_BYTES // 2**20}
            )
        return file


def _lead_and_training(request: HttpRequest, slug: str, number: int) -> tuple[Membership, Round]:
    member, round = lead_and_round(request, slug, number)
    if round.purpose != Round.Purpose.TRAINING:
        raise Refused(
            "invalid", gettext("%(name)s is no training round: it has no key.") % {"name": round.name}
        )
    return member, round


def _is_judging(member: Membership, round: Round) -> bool:
    """Whether this lead takes part in the round while it is open, and so must not look up its key."""
    own = round.assignments.filter(member=member, released_at__isnull=True)
    return round.status == Round.Status.OPEN and own.exists()


@login_required
@require_http_methods(["GET", "POST"])
def key(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """List the key; while the round is a draft, take a file that replaces it."""
    member, round = _lead_and_training(request, slug, number)
    if request.method == "POST" and round.status != Round.Status.DRAFT:
        messages.error(
            request,
            gettext("%(name)s is %(status)s: its key is frozen.")
            % {"name": round.name, "status": round.status_word},
        )
        return redirect("round_key", slug, number)
    form = KeyForm(posted(request), request.FILES or None)
    report = None
    if request.method == "POST" and form.is_valid():
        report = _upload(form, round, member)
        if report is not None and report.stored:
            left_out = (
                " " + gettext("Rows left out: %(refused)s.") % {"refused": f"{report.refused:,}"}
                if report.refused
                else ""
            )
            messages.success(request, _stored(round, report.counts[NEW_ANSWERS]) + left_out)
            if not report.refused:
                return redirect("round", slug, number)
    answers = round.key_answers.select_related("item", "question")
    hidden = _is_judging(member, round)
    answers = answers.none() if hidden else access.readable(answers, member)
    page = page_of(request, answers.order_by("item_id", "type_code", "question_id"))
    return project_page(
        request,
        "rounds/key.html",
        member,
        tab="project",
        round=round,
        form=form,
        report=report,
        hidden=hidden,
        n_kept=0 if hidden else len(access.kept_from(member, round)),
        state=key_state(round),
        page=page,
        rows=[(answer, key_answer_words(answer)) for answer in page],
    )


def _upload(form: KeyForm, round: Round, member: Membership) -> ImportReport | None:
    """Read the file into the key; None where the form now says why the file cannot be read."""
    file = form.cleaned_data["file"]
    name = Path(file.name).name
    with TemporaryDirectory() as folder:
        path = Path(folder) / "key"
        with path.open("wb") as copy:
            for chunk in file.chunks():
                copy.write(chunk)
        try:
            return key_import(
                round,
                path,
                name=name,
                skip_invalid=form.cleaned_data["skip_invalid"],
                member=member,
                columns=form.cleaned_data["columns"],
                reader=partial(read_apart, leave=AT_ONCE),
            )
        except FileError as problem:
            form.add_error("file", str(problem))
        except Refused as refusal:
            form.add_error("file", refusal.message)
    return None


def _stored(round: Round, n_answers: int) -> str:
    return gettext("The key of %(name)s is stored. Answers in it: %(n_answers)s.") % {
        "name": round.name,
        "n_answers": f"{n_answers:,}",
    }


@login_required
@require_http_methods(["GET", "POST"])
def key_decided(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Take the key from decided units; the page says first what becomes of the key that is there."""
    member, round = _lead_and_training(request, slug, number)
    if request.method == "POST":
        with refusals_as_notices(request):
            n_answers = key_from_resolutions(round, member=member)
            messages.success(request, _stored(round, n_answers))
        return redirect("round", slug, number)
    state = key_state(round)
    effects = [
        gettext("Decided units of the round become its key, reasons too: %(decided)s of %(units)s.")
        % {"decided": f"{state.decided:,}", "units": f"{state.units:,}"},
        gettext("Of a decided yes with several spans the first is shown to the annotator."),
    ]
    replaced = gettext("All answers that the key has now are taken away: %(answered)s.") % {
        "answered": f"{state.answered:,}"
    }
    return project_page(
        request,
        "confirm.html",
        member,
        tab="project",
        heading=gettext("Take the key of %(name)s from decided units") % {"name": round.name},
        warnings=[replaced] if state.answered else [],
        effects=effects,
        act=gettext("Take the key from decided units"),
        back=reverse("round", args=[slug, number]),
    )
