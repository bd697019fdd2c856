"""What a draft round asks of each of its texts: all its types, or by a field of the texts, or by a file."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotation.codebooks.definition import Codebook as Definition
from annotation.importing.files.rows import FileError
from annotation.importing.formats import asked_types as asked_file
from annotation.models import Protocol, Round
from annotation.rounds.asked_types import (
    AskedBy,
    asked_counts,
    asked_of_round,
    asked_words,
    clean_asked,
    field_choices,
    round_ask,
)
from core.errors import Refused
from frontend.decorators import login_required
from frontend.pages.common import posted, project_page
from frontend.pages.rounds.lifecycle import lead_and_round

MAX_BYTES = 5 * 1024 * 1024


class AskedFileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File: drop it here, or choose it"),
        help_text=gettext_lazy(
            "CSV, JSON Lines or Excel with the columns item and types: one row an item, its types apart by "
            "commas, or one row a type. It names every item that is drawn."
        ),
    )

    def clean_file(self) -> "File[Any]":
        file: File[Any] = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                gettext("%(name)s is larger than %(n)s MB.") % {"name": file.name, "n": MAX_BYTES // 2**20}
            )
        return file


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of the chosen field: how many texts have it, and which types are ticked for it."""

    place: int
    value: str
    n: int
    ticked: frozenset[str]


@login_required
@require_http_methods(["GET", "POST"])
def asked(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what the round asks of its texts, and change it while it is a draft."""
    member, round = lead_and_round(request, slug, number)
    if round.project.protocol != Protocol.FOCUS:
        messages.error(request, gettext("This round asks questions, not types."))
        return redirect("round", slug, number)
    fields = {one.name: one for one in field_choices(round.project)}
    kept = asked_of_round(round)
    name = (request.POST if request.method == "POST" else request.GET).get("field", "")
    field = (
        name if name in fields else kept.field if kept and kept.field in fields else next(iter(fields), "")
    )
    rows = (
        _rows(request, fields[field].values, kept if kept and kept.field == field else None) if field else []
    )
    form = AskedFileForm(posted(request) if request.POST.get("by") == "file" else None, request.FILES or None)
    problem = ""
    if request.method == "POST" and (form.is_valid() or not form.is_bound):
        try:
            chosen, file = _chosen(request, round, field, rows, form)
            round_ask(round, chosen, file=file, member=member)
        except Refused as refusal:
            problem = refusal.message
        except FileError as error:
            problem = str(error)
        else:
            messages.success(
                request,
                gettext("%(name)s asks of each text: %(what)s.")
                % {"name": round.name, "what": asked_words(round.asked)},
            )
            return redirect("round", slug, number)
    names = {one.code: one.name for one in Definition.from_json(round.codebook.definition).types}
    counts = asked_counts(round)
    return project_page(
        request,
        "rounds/asked_types.html",
        member,
        tab="project",
        round=round,
        fields=list(fields),
        field=field,
        rows=rows,
        types=[(code, names[code]) for code in round.type_codes],
        counts=[(code, names[code], counts[code]) for code in round.type_codes],
        judgements=counts.total(),
        n_items=round.drawn.count(),
        words=asked_words(round.asked),
        form=form,
        problem=problem,
        can_change=round.status == Round.Status.DRAFT and not round.is_claimed and not round.imported,
    )


def _rows(request: HttpRequest, values: tuple[tuple[str, int], ...], kept: AskedBy | None) -> list[ValueRow]:
    """Return the values of a field with the types that are ticked, or were chosen before."""
    ticked = request.POST if request.POST.get("by") == "field" else None
    return [
        ValueRow(
            place,
            value,
            n,
            frozenset(
                ticked.getlist(f"types-{place}")
                if ticked is not None
                else kept.types.get(value, ())
                if kept
                else ()
            ),
        )
        for place, (value, n) in enumerate(values)
    ]


def _chosen(
    request: HttpRequest, round: Round, field: str, rows: list[ValueRow], form: AskedFileForm
) -> tuple[AskedBy | None, str]:
    """Return what was chosen, and the name of the file where it came with one."""
    by = request.POST.get("by")
    if by == "field":
        given: dict[str, Any] = {"field": field, "types": {row.value: sorted(row.ticked) for row in rows}}
        return clean_asked(given, round), ""
    if by != "file":
        return None, ""
    file = form.cleaned_data["file"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "asked"
        with path.open("wb") as stream:
            for chunk in file.chunks():
                stream.write(chunk)
        codebook = Definition.from_json(round.codebook.definition)
        items = asked_file.read(path, name=file.name, codebook=codebook)
    return clean_asked({"items": items}, round), file.name
