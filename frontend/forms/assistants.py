"""The forms of assistants: what a model is asked about which texts, how, and what may follow a run."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy, ngettext

from annotation.models import Project
from assist.asking.choices import LIMITS, TEMPERATURES
from assist.filtering.checking import SHARE
from assist.models import AssistRun, TokensField
from assist.runs.kinds import KINDS
from assist.runs.parameters import MOST_BUDGET
from assist.runs.units import sources_of


def _budget(label: Any) -> forms.IntegerField:
    return forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_BUDGET,
        label=label,
        help_text=gettext_lazy("The run stops before it passes this. Left empty there is no limit."),
    )


class AssistForm(forms.Form):
    """Which task, whom to ask, about which texts, and what it may cost."""

    task = forms.ChoiceField(label=gettext_lazy("Task"))
    endpoint = forms.ChoiceField(
        label=gettext_lazy("Endpoint"),
        help_text=gettext_lazy(
            "Those that this installation allows. Their keys are not kept in the project."
        ),
    )
    model = forms.CharField(
        max_length=200,
        label=gettext_lazy("Model"),
        help_text=gettext_lazy("Its name as the endpoint knows it."),
    )
    sources = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Sources whose texts may be sent"),
        help_text=gettext_lazy(
            "Tick only those whose terms allow it. Items of other sources and withdrawn ones are never sent."
        ),
        error_messages={"required": gettext_lazy("Tick at least one source whose texts may be sent.")},
    )
    budget_requests = _budget(gettext_lazy("Requests at most"))
    budget_tokens = _budget(gettext_lazy("Tokens at most, as the endpoint counts them"))

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fitting = [kind for kind in KINDS.values() if kind.protocol in (None, project.protocol)]
        choices: dict[str, Any] = {
            "task": [(kind.name, kind.title) for kind in fitting],
            "endpoint": [(url, url) for url in settings.LLM_ENDPOINTS],
            "sources": [
                (json.dumps([source, licence]), _source_words(source, licence, items))
                for source, licence, items in sources_of(project)
            ],
        }
        for name, listed in choices.items():
            field: Any = self.fields[name]
            field.choices = listed

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `run_choices` reads them, those that are valid."""
        given = {name: value for name, value in self.cleaned_data.items() if value is not None}
        return {**given, "sources": [json.loads(pair) for pair in given.get("sources", ())]}


class AskingForm(forms.Form):
    """What the model is told: a prompt of one's own, examples, and which items are asked about."""

    prompt = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "class": "mono"}),
        label=gettext_lazy("Prompt"),
        help_text=gettext_lazy("Left empty it is that of the task, which you see before anything is sent."),
    )
    examples = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono"}),
        label=gettext_lazy("Examples to show"),
        help_text=gettext_lazy("Ids of items, a line each. What people decided about them is the answer."),
    )
    items = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono"}),
        label=gettext_lazy("Only these items"),
        help_text=gettext_lazy("Ids, a line each. Left empty all items of the ticked sources are asked."),
    )

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `run_choices` reads them, those that are valid."""
        given = self.cleaned_data
        found: dict[str, Any] = {}
        if given.get("prompt", "").strip():
            found["prompt"] = given["prompt"]
        for name in ("examples", "items"):
            if lines := [line.strip() for line in given.get(name, "").splitlines() if line.strip()]:
                found[name] = lines
        return found


def _whole(choice: str, initial: int | None, label: Any, help_text: Any = "") -> forms.IntegerField:
    least, most = LIMITS[choice]
    return forms.IntegerField(
        min_value=least, max_value=most, initial=initial, label=label, help_text=help_text, required=False
    )


class RareAskingForm(forms.Form):
    """How to ask: what most runs leave as it is."""

    per_minute = _whole("per_minute", 600, gettext_lazy("Questions a minute at most"))
    max_tokens = _whole(
        "max_tokens",
        None,
        gettext_lazy("Tokens an answer at most"),
        gettext_lazy("Left empty it is that of the task. A longer answer is cut off and not used."),
    )
    timeout = _whole("timeout", 60, gettext_lazy("Seconds to wait for an answer"))
    temperature = forms.FloatField(
        required=False,
        min_value=TEMPERATURES[0],
        max_value=TEMPERATURES[1],
        initial=0,
        label=gettext_lazy("Temperature"),
        help_text=gettext_lazy("0 gives the most repeatable answers. Left empty it is not sent."),
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Left empty it is not sent."),
    )
    tokens_field = forms.ChoiceField(
        choices=TokensField.choices,
        label=gettext_lazy("Name of the limit of tokens"),
        help_text=gettext_lazy("Most endpoints know max_tokens; some newer models want the other."),
    )
    again = forms.BooleanField(
        required=False, label=gettext_lazy("Ask again about what has an answer to the same prompt")
    )

    def chosen(self) -> dict[str, Any]:
        """Return the valid choices as `run_choices` reads them; temperature and seed also if empty."""
        sent = self.cleaned_data.items()
        return {name: value for name, value in sent if value is not None or name in ("temperature", "seed")}


class ResumeForm(forms.Form):
    """With which budget a run goes on."""

    budget_requests = _budget(gettext_lazy("Requests at most"))
    budget_tokens = _budget(gettext_lazy("Tokens at most, as the endpoint counts them"))

    def __init__(self, *args: Any, run: AssistRun, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            until_now = getattr(run, name)
            field.help_text = (
                gettext("Until now %(n)s. Left empty it stays so.") % {"n": f"{until_now:,}"}
                if until_now is not None
                else gettext("Until now without a limit. Left empty it stays so.")
            )


class DrawForm(forms.Form):
    """How many texts people look at, of either kind."""

    passed = forms.IntegerField(
        min_value=1, initial=100, label=gettext_lazy("Texts that passed, drawn at random")
    )
    share = forms.FloatField(
        min_value=0.001,
        max_value=1,
        initial=SHARE,
        label=gettext_lazy("Share of the refused texts"),
        help_text=gettext_lazy("0.1 is every tenth. The figures weigh each for those it stands for."),
    )
    seed = forms.IntegerField(min_value=0, max_value=2**63 - 1, initial=0, label=gettext_lazy("Seed"))


class HandInForm(forms.Form):
    """For which release a baseline is scored, and as which system."""

    version = forms.ChoiceField(label=gettext_lazy("Release"))
    system = forms.CharField(max_length=200, label=gettext_lazy("Name of the system"))

    def __init__(self, *args: Any, versions: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version: Any = self.fields["version"]
        version.choices = [(one, one) for one in versions]


def _source_words(source: str, licence: str, items: int) -> str:
    number = ngettext("%(n)s item", "%(n)s items", items) % {"n": items}
    terms = licence or gettext("terms not stated")
    return f"{source or gettext('source not stated')} · {terms} · {number}"
