"""The form of a system: its name and files, what they answer, and how they are to be scored."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from annotation.models import Project, Protocol
from assist.asking.prompts import PROMPT_LENGTH
from exports.models import Release
from scoring.evaluation.json_file import MOST_BYTES
from scoring.evaluation.judge_prompts import MODEL_LABEL, MODEL_REFERENCE
from scoring.evaluation.questions import PAIR_MODELS
from scoring.figures.matching import THRESHOLDS
from scoring.models import System
from scoring.systems.choices import MOST_REPLICATES, MOST_SEED
from scoring.systems.submissions import MOST_RUNS
from scoring.systems.text_models import model_wanted
from scoring.triggers import LIMITS

MOST = LIMITS["system"]
JUDGE_FIELDS = ("endpoint", "model", "prompt", "texts_may_leave")


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several, as a list."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files:
            raise forms.ValidationError(gettext("Choose the system’s file, or several that are runs of it."))
        if len(files) > MOST_RUNS:
            raise forms.ValidationError(gettext("Choose at most %(n)s files.") % {"n": MOST_RUNS})
        large = next((file for file in files if file.size > MOST_BYTES), None)
        if large is not None:
            words = gettext("%(name)s is larger than %(n)s MB: submit fewer items.")
            raise forms.ValidationError(words % {"name": large.name, "n": MOST_BYTES // 10**6})
        return list(files)


class DescriptionForm(forms.Form):
    description = forms.CharField(
        required=False,
        max_length=MOST["description"].characters,
        label=gettext_lazy("Description"),
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Model, prompt, settings: what somebody needs to run it again."),
    )
    link = forms.CharField(
        required=False,
        max_length=MOST["link"].characters,
        label=gettext_lazy("Link"),
        help_text=gettext_lazy("To its paper or code: https://…"),
    )


class SystemForm(DescriptionForm):
    asked_as = {"system": "name", "files": "runs", "release": "place", "split": "place"}

    name = forms.CharField(
        max_length=MOST["name"].characters,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("A new one, or that of a system that is here: then it has answered again."),
    )
    place = forms.ChoiceField(label=gettext_lazy("Release and split"))
    runs = FilesField(
        label=gettext_lazy("Files: drop them here, or choose them"),
        help_text=gettext_lazy(
            "Each is a run of the system, shaped like the release’s submission template. They are checked "
            "whole before anything is stored."
        ),
    )
    scope = forms.ChoiceField(
        widget=forms.RadioSelect,
        required=False,
        initial="decided",
        label=gettext_lazy("Figures of the list"),
        choices=[
            ("decided", gettext_lazy("of what people decided")),
            ("all", gettext_lazy("of everything, as in the FOCUS paper: what is not decided is a no")),
        ],
        help_text=gettext_lazy("Both are computed."),
    )
    methods = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        initial=["chrf"],
        label=gettext_lazy("How a question gets its label"),
    )
    chrf_threshold = forms.FloatField(
        required=False,
        min_value=0,
        max_value=100,
        initial=THRESHOLDS["chrf"],
        label=gettext_lazy("chrF: near enough above"),
    )
    sts_threshold = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        initial=THRESHOLDS["sts"],
        label=gettext_lazy("Sentence vectors: near enough above"),
    )
    bleurt_threshold = forms.FloatField(
        required=False,
        label=gettext_lazy("BLEURT: near enough above"),
        help_text=gettext_lazy("Often below 0."),
    )
    comet_threshold = forms.FloatField(required=False, label=gettext_lazy("COMET: near enough above"))
    replicates = forms.IntegerField(
        min_value=0,
        max_value=MOST_REPLICATES,
        initial=1000,
        label=gettext_lazy("Resamples"),
        help_text=gettext_lazy("Of the 95% intervals; 0 for none."),
    )
    seed = forms.IntegerField(min_value=0, max_value=MOST_SEED, initial=1, label=gettext_lazy("Seed"))
    endpoint = forms.ChoiceField(required=False, label=gettext_lazy("Language model: endpoint"))
    model = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Language model: name"),
        help_text=gettext_lazy("As the endpoint knows it."),
    )
    prompt = forms.CharField(
        required=False,
        max_length=PROMPT_LENGTH,
        label=gettext_lazy("Language model: prompt of your own"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "Empty: that of the CQs-Gen paper. One of your own goes with one of the two methods, with "
            "{question} and {references}, or {question} and {text}."
        ),
    )
    texts_may_leave = forms.BooleanField(
        required=False,
        label=gettext_lazy("Texts, references and questions may be sent to this endpoint"),
    )

    field_order = ("name", "description", "link", "place", "runs")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["place"].choices = places_of(project)  # type: ignore[attr-defined]
        if project.protocol == Protocol.FOCUS:
            thresholds = [f"{name}_threshold" for name in (*THRESHOLDS, *PAIR_MODELS)]
            for name in ("methods", *thresholds, *JUDGE_FIELDS):
                del self.fields[name]
            return
        del self.fields["scope"]
        vectors = gettext_lazy("sts: cosine of sentence vectors")
        if not settings.SENTENCE_ENCODER:
            vectors = gettext_lazy(
                "sts: cosine of sentence vectors (none here: whoever runs this installation sets "
                "ELENCHUS_SENTENCE_ENCODER)"
            )
        self.fields["methods"].choices = [  # type: ignore[attr-defined]
            ("chrf", gettext_lazy("chrf: likeness of characters")),
            ("exact", gettext_lazy("exact: the same words")),
            ("sts", vectors),
            ("human_reference", gettext_lazy("human_reference: the reference that people picked, else none")),
            ("human", gettext_lazy("human: the same, and the label that people gave to the others")),
        ]
        for name, words in _PAIR_MODELS.items():
            if model_wanted(name):
                self.fields["methods"].choices.append((name, words))  # type: ignore[attr-defined]
            else:
                del self.fields[f"{name}_threshold"]
        if not settings.LLM_ENDPOINTS:
            for name in JUDGE_FIELDS:
                del self.fields[name]
            return
        self.fields["methods"].choices += [  # type: ignore[attr-defined]
            (
                MODEL_REFERENCE,
                gettext_lazy(
                    "model_reference: a language model picks the reference that asks the same, or none"
                ),
            ),
            (MODEL_LABEL, gettext_lazy("model_label: a language model says the label")),
        ]
        self.fields["endpoint"].choices = [(url, url) for url in settings.LLM_ENDPOINTS]  # type: ignore[attr-defined]

    def asked(self) -> dict[str, Any]:
        """Return the choices as `read_choices` takes them."""
        given = self.cleaned_data
        methods = []
        for name in given.get("methods", ()):
            threshold = given.get(f"{name}_threshold")
            methods.append(name if threshold is None else f"{name}:{threshold:g}")
        return {
            "methods": methods,
            "scope": given.get("scope", ""),
            "replicates": given["replicates"],
            "seed": given["seed"],
            "judge": {name: given[name] for name in ("endpoint", "model") if given.get(name)},
            "prompt": given.get("prompt", ""),
            "texts_may_leave": bool(given.get("texts_may_leave")),
        }

    def release_and_split(self) -> tuple[str, str]:
        """Return the version and the split, empty for the one that has all the items."""
        version, _, split = self.cleaned_data["place"].partition("/")
        return version, split


_PAIR_MODELS = {
    "bleurt": gettext_lazy("bleurt: a trained measure of two sentences"),
    "comet": gettext_lazy("comet: a trained measure of translations"),
}


class TagForm(forms.Form):
    word = forms.CharField(
        max_length=LIMITS["errortag"]["word"].characters, label=gettext_lazy("Kind of error")
    )


def places_of(project: Project) -> list[tuple[str, Any]]:
    """Return the splits of every release that is built, newest release first."""
    found: list[tuple[str, Any]] = []
    for release in project.releases.filter(state=Release.State.DONE).order_by("-id"):
        splits = splits_of(release)
        if len(splits) < 2:
            found.append((f"{release.version}/", ", ".join([release.version, *splits])))
            continue
        choices = [(f"{release.version}/", gettext("%(version)s, the split that has all the items"))]
        choices += [(f"{release.version}/{split}", f"%(version)s, {split}") for split in splits]
        told = {"version": release.version}
        found.append((release.version, [(value, words % told) for value, words in choices]))
    return found


def splits_of(release: Release) -> list[str]:
    """Return the splits whose references a release has, as its files name them."""
    pattern = re.compile(r"(?:focus|cqs_gen)\.([^./]+)\.json")
    names = (pattern.fullmatch(file["name"]) for file in release.files)
    return sorted(name[1] for name in names if name)


def as_before(system: System | None, project: Project) -> dict[str, Any]:
    """Return what the form begins with for another submission of a system."""
    if system is None:
        return {}
    last = system.submissions.select_related("release").order_by("-id").first()
    place = f"{last.release.version}/{last.split}" if last else ""
    return {"name": system.name, "description": system.description, "link": system.link, "place": place}
