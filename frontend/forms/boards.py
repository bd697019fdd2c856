"""The forms of boards: what a lead sets, what a team hands in."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import Project, Protocol
from boards.life.boards import MOST_IN_ALL, MOST_RUNS
from boards.life.versions import methods_of, version_now
from boards.models import Board
from boards.triggers import LIMITS
from frontend.forms.systems import FilesField, places_of


def _most(model: str, field: str) -> int:
    return LIMITS[model][field].characters


class SettingsForm(forms.Form):
    """What shapes a board and may be changed."""

    title = forms.CharField(
        max_length=_most("board", "title"),
        label=gettext_lazy("Title"),
        help_text=gettext_lazy("A question is good: which system asks the useful ones?"),
    )
    description = forms.CharField(
        required=False,
        max_length=_most("board", "description"),
        widget=forms.Textarea(attrs={"rows": 4}),
        label=gettext_lazy("What it is about"),
        help_text=gettext_lazy("Stands above the ranking: the task, how it is scored, whom to ask."),
    )
    feedback = forms.ChoiceField(
        choices=Board.Feedback.choices,
        widget=forms.RadioSelect,
        label=gettext_lazy("What a team reads of its submissions"),
        help_text=gettext_lazy("Every score tells something about the references; the board says how much."),
    )
    entrance = forms.ChoiceField(
        choices=Board.Entrance.choices, widget=forms.RadioSelect, label=gettext_lazy("Who hands in")
    )
    per_day = forms.IntegerField(
        min_value=1,
        max_value=MOST_IN_ALL,
        label=gettext_lazy("Submissions of a team a day"),
        help_text=gettext_lazy("Days end at 00:00 UTC."),
    )
    in_all = forms.IntegerField(
        min_value=1,
        max_value=MOST_IN_ALL,
        label=gettext_lazy("Submissions of a team in all"),
        help_text=gettext_lazy("Withdrawn ones count; those whose scoring failed here do not."),
    )
    most_runs = forms.IntegerField(
        min_value=1, max_value=MOST_RUNS, label=gettext_lazy("Files a submission, each a run of the system")
    )
    closes_at = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"],
        label=gettext_lazy("Closes at (UTC)"),
        help_text=gettext_lazy("Empty: when a lead closes it."),
    )

    def clean_closes_at(self) -> Any:
        """Read the time as UTC, whatever the zone of the server."""
        given = self.cleaned_data["closes_at"]
        return given.replace(tzinfo=UTC) if given else None


class VersionForm(forms.Form):
    """What a board ranks by; another choice is another version of it."""

    asked_as = {"release": "place", "split": "place"}

    place = forms.ChoiceField(label=gettext_lazy("Release and split"))
    methods = forms.CharField(
        initial="chrf:40",
        label=gettext_lazy("How a question gets its label"),
        help_text=gettext_lazy(
            "chrf:40, sts:0.65 or exact; several with commas between them, the first of which ranks."
        ),
    )
    scope = forms.ChoiceField(
        widget=forms.RadioSelect,
        initial="decided",
        label=gettext_lazy("Figures"),
        choices=[
            ("decided", gettext_lazy("of what people decided")),
            ("all", gettext_lazy("of everything, as in the FOCUS paper: what is not decided is a no")),
        ],
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The split is named: there is no file yet that would tell it.
        self.fields["place"].choices = [  # type: ignore[attr-defined]
            (name, found[1:] if isinstance(found, list) else found) for name, found in places_of(project)
        ]
        del self.fields["methods" if project.protocol == Protocol.FOCUS else "scope"]

    def asked(self) -> dict[str, Any]:
        """Return the choices as `version_create` takes them, but for the release."""
        given = self.cleaned_data
        return {
            "methods": [name for name in given.get("methods", "").split(",") if name.strip()],
            "scope": given.get("scope", ""),
        }

    def release_and_split(self) -> tuple[str, str]:
        """Return the version of the release, and the split, empty where it has none."""
        version, _, split = self.cleaned_data["place"].rpartition("/")
        return version, split


class BoardForm(VersionForm, SettingsForm):
    """A new board: its address, what shapes it, what it ranks by."""

    name = forms.SlugField(
        max_length=_most("board", "name"),
        label=gettext_lazy("Address"),
        help_text=gettext_lazy("The last word of its address, for good: letters, digits and hyphens."),
    )

    field_order = ("title", "name", "description", "place", "methods", "scope")


class TeamForm(forms.Form):
    team = forms.CharField(
        max_length=_most("team", "name"),
        label=gettext_lazy("Name of your team"),
        help_text=gettext_lazy("Stands on the board. One person can be a team."),
    )


class DescribedForm(forms.Form):
    """What a team says about a submission, and may change."""

    name = forms.CharField(max_length=_most("entry", "name"), label=gettext_lazy("Name of the system"))
    line = forms.CharField(
        required=False, max_length=_most("entry", "line"), label=gettext_lazy("What it is, in one line")
    )
    link = forms.CharField(
        required=False,
        max_length=_most("entry", "link"),
        label=gettext_lazy("Link"),
        help_text=gettext_lazy("To its paper or code: https://…"),
    )
    may_be_shown = forms.BooleanField(
        required=False, label=gettext_lazy("It may stand on the public board, with the name of our team")
    )


class HandInForm(DescribedForm):
    asked_as = {"files": "runs"}

    runs = FilesField(
        label=gettext_lazy("File: drop it here, or choose it"),
        help_text=gettext_lazy("The template, filled in. It is checked whole; faults cost nothing."),
    )
    trained_on_validation = forms.BooleanField(
        required=False, label=gettext_lazy("It was trained on the validation split")
    )

    field_order = ("runs", "name", "line", "link", "trained_on_validation", "may_be_shown")


class HideForm(forms.Form):
    reason = forms.CharField(
        max_length=_most("entry", "hidden_reason"),
        label=gettext_lazy("Why"),
        help_text=gettext_lazy("Its team reads it."),
    )


class InviteForm(forms.Form):
    note = forms.CharField(
        required=False,
        max_length=_most("boardinvitation", "note"),
        label=gettext_lazy("For whom (a note for leads)"),
    )


class FrontPageForm(forms.Form):
    text = forms.CharField(
        required=False,
        max_length=_most("frontpage", "text"),
        widget=forms.Textarea(attrs={"rows": 8}),
        label=gettext_lazy("What strangers read first"),
        help_text=gettext_lazy("Markdown. Empty: only the public releases and boards are listed."),
    )


def settings_of(board: Board) -> dict[str, Any]:
    """Return what a board is set to, for its form."""
    names = ("title", "description", "feedback", "entrance", "per_day", "in_all", "most_runs")
    closes = board.closes_at.astimezone(UTC).replace(tzinfo=None) if board.closes_at else None
    return {**{name: getattr(board, name) for name in names}, "closes_at": closes}


def chosen_now(board: Board) -> dict[str, Any]:
    """Return what a board ranks by, for its form."""
    now = version_now(board)
    if now is None:
        return {}
    methods = ", ".join(map(str, methods_of(now)))
    return {"place": f"{now.release.version}/{now.split}", "methods": methods, "scope": now.scope}
