"""The forms of a release: what goes in, and what comes along."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import Project, Protocol, Round
from exports.formats.exchange import FORMATS
from exports.models import Release
from exports.selection.parameters import (
    CREDITS,
    LEAST_CELL,
    MIN_CELL,
    MOST_CELL,
    NAMED_SPLITS,
    sizes_from_words,
    split_names_from_words,
)
from exports.selection.refined_questions import refinements_current
from exports.selection.rows import has_published_labels

SPLITS = [
    ("field", gettext_lazy("As imported (the items' split)")),
    ("none", gettext_lazy("No splits: one file")),
    ("round", gettext_lazy("By the first round an item was drawn into")),
    ("topic", gettext_lazy("By topic")),
    ("seed", gettext_lazy("By chance, with a seed")),
    ("balanced", gettext_lazy("CQs-Gen: the items with the most balanced labels to test")),
    ("published", gettext_lazy("CQs-Gen: by the rule of the published test set")),
]


SIZED = ("seed", "balanced")

PUBLISHED = [
    ("stand", gettext_lazy("They stand, whatever the votes say")),
    ("votes", gettext_lazy("The votes decide; they stand where nobody voted")),
]


UNLESS_GIVEN = ("min_cell", "published_labels")
"""Choices that a form may leave blank: then they have their default."""


class ReleaseForm(forms.Form):
    """What goes into a release, and how it is cut."""

    version = forms.CharField(
        max_length=40,
        widget=forms.TextInput(attrs={"required": True, "autocomplete": "off"}),
        label=gettext_lazy("Version"),
        help_text=gettext_lazy("As in 1.0. It never changes again."),
    )
    rounds = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=gettext_lazy("Rounds"),
        help_text=gettext_lazy(
            "Closed rounds, without training rounds. All ticked also takes in labels published "
            "with an imported file."
        ),
    )
    split_by = forms.ChoiceField(choices=SPLITS, label=gettext_lazy("Splits"))
    split_sizes = forms.CharField(
        required=False,
        label=gettext_lazy("Sizes of the splits"),
        help_text=gettext_lazy(
            "By chance: shares, as in train=0.8 test=0.2. Balanced: the number of test items, test=34."
        ),
    )
    split_names = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        label=gettext_lazy("Other names of the splits"),
        help_text=gettext_lazy(
            "By round, topic or as imported: one a line, as in Round 1 = train. Several may get one name."
        ),
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**63 - 1, initial=0, label=gettext_lazy("Seed of the split")
    )
    withheld = forms.CharField(
        required=False,
        label=gettext_lazy("Withhold the labels of"),
        help_text=gettext_lazy(
            "Names of splits, separated by commas, or by semicolons where a name has a comma in it. Their "
            "labels stay with you."
        ),
    )
    min_cell = forms.IntegerField(
        min_value=LEAST_CELL,
        max_value=MOST_CELL,
        initial=MIN_CELL,
        required=False,
        label=gettext_lazy("Least number of items in a public figure"),
        help_text=gettext_lazy(
            "Where labels or texts stay with you, no figure of the agreement reports speaks of fewer items."
        ),
    )
    published_labels = forms.ChoiceField(
        choices=PUBLISHED,
        required=False,
        initial="stand",
        label=gettext_lazy("Published labels of what was judged again"),
    )
    adjudicated_only = forms.BooleanField(
        required=False, label=gettext_lazy("Only what a lead decided, nothing by majority")
    )
    edited_questions = forms.BooleanField(
        required=False, label=gettext_lazy("Edited questions in place of invalid ones")
    )
    refined_questions = forms.BooleanField(
        required=False,
        label=gettext_lazy("Refined questions beside the template ones"),
        help_text=gettext_lazy("Those that a language model put into other words and no lead rejected."),
    )

    def __init__(self, *args: Any, project: Project, building: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["version"].required = building  # counts need no name yet
        closed = project.rounds.filter(status=Round.Status.CLOSED, matching=False).exclude(
            purpose=Round.Purpose.TRAINING
        )
        names = list(closed.order_by("number").values_list("name", flat=True))
        rounds: Any = self.fields["rounds"]
        rounds.choices = [(name, name) for name in names]
        rounds.initial = names
        if project.protocol == Protocol.FOCUS:
            del self.fields["edited_questions"]
            split_by: Any = self.fields["split_by"]
            split_by.choices = SPLITS[:-1]
        if not names:
            del self.fields["rounds"]
        if not has_published_labels(project):
            del self.fields["published_labels"]
        if not refinements_current(project).exists():
            del self.fields["refined_questions"]

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `Parameters.from_json` reads them. Raises ParameterError."""
        filled = self.cleaned_data.items()
        given = {name: value for name, value in filled if name not in UNLESS_GIVEN or value}
        given.pop("version")
        rounds = given.pop("rounds", [])
        field: Any = self.fields.get("rounds")
        every = field is None or len(rounds) == len(field.choices)
        # The page shows the sizes only beside a split that has them; what was typed before is not meant.
        sizes = given["split_sizes"].split() if given["split_by"] in SIZED else []
        lines = given["split_names"].splitlines() if given["split_by"] in NAMED_SPLITS else []
        others = [line for line in lines if line.strip()]
        return {
            **given,
            "rounds": None if every else rounds,
            "split_sizes": sizes_from_words(sizes),
            "split_names": split_names_from_words(others),
            "withheld": _names(given["withheld"]),
        }


class ContentsForm(forms.Form):
    """Which files come along, and what the data card says."""

    judgements = forms.BooleanField(
        required=False, initial=True, label=gettext_lazy("The raw judgements, by pseudonym")
    )
    comments = forms.BooleanField(required=False, label=gettext_lazy("Annotators' comments among them"))
    agreement = forms.BooleanField(required=False, initial=True, label=gettext_lazy("The agreement reports"))
    without_texts = forms.BooleanField(
        required=False,
        label=gettext_lazy("No texts: ids, offsets, labels and hashes only"),
        help_text=gettext_lazy("For sources whose texts may not be passed on."),
    )
    quoting_questions = forms.BooleanField(
        required=False,
        label=gettext_lazy("Questions as they were written, also where they quote a text"),
        help_text=gettext_lazy("Without texts […] stands else for five or more words in a row of a text."),
    )
    exchange = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        choices=[(format.key, gettext_lazy(format.label)) for format in FORMATS],
        label=gettext_lazy("Also in the form of"),
    )
    licence = forms.CharField(required=False, max_length=CREDITS["licence"], label=gettext_lazy("Licence"))
    authors = forms.CharField(
        required=False,
        max_length=CREDITS["authors"],
        label=gettext_lazy("Authors"),
        help_text=gettext_lazy("Separated by semicolons, as in Ann Other; Ben Wu."),
    )
    citation = forms.CharField(
        required=False,
        max_length=CREDITS["citation"],
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Citation"),
        help_text=gettext_lazy(
            "In your own words or as BibTeX. Left empty it is made of authors, name, version and address."
        ),
    )
    contact = forms.CharField(required=False, max_length=CREDITS["contact"], label=gettext_lazy("Contact"))
    published = forms.CharField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        label=gettext_lazy("Published on"),
        help_text=gettext_lazy("The day that the data card and the citation name."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if project.protocol == Protocol.FOCUS:
            del self.fields["quoting_questions"]

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `Parameters.from_json` reads them."""
        given = dict(self.cleaned_data)
        return {"texts": not given.pop("without_texts"), **given}


def choices_as_before(release: Release) -> dict[str, Any]:
    """Return the choices of a release as the two forms show them, so that the next one begins with them.

    Of rounds only those that it named: a release of every round is followed by one of every round.
    """
    # As stored, not through Parameters: a release outlives the choices that today's code knows.
    kept = release.parameters
    names = {*ReleaseForm.base_fields, *ContentsForm.base_fields} & set(kept)
    shown = {
        name: kept[name]
        for name in names
        if name not in ("rounds", "split_sizes", "split_names", "withheld", "published")
    }
    if kept.get("rounds"):
        shown["rounds"] = kept["rounds"]
    return {
        **shown,
        "split_sizes": " ".join(f"{name}={size:g}" for name, size in kept.get("split_sizes", {}).items()),
        "split_names": "\n".join(f"{name} = {other}" for name, other in kept.get("split_names", {}).items()),
        "withheld": _listed(kept.get("withheld", [])),
        "without_texts": not kept.get("texts", True),
    }


def _names(words: str) -> list[str]:
    """Read names as people list them; a topic that splits may have a comma in its name."""
    return [name.strip() for name in words.split(";" if ";" in words else ",") if name.strip()]


def _listed(names: list[str]) -> str:
    """List names so that they are read as the same again."""
    return "; ".join([*names, ""]).strip() if any("," in name for name in names) else ", ".join(names)
