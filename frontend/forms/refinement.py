"""The forms of a run of refinements: whom to ask about what, how, and the confirmation."""

import json
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy, ngettext

from assist.asking.choices import TEMPERATURES
from exports.models import RefinementRun
from exports.refinement.candidates import sources_known, splits_known
from exports.refinement.parameters import LIMITS, RefinementChoices
from exports.refinement.prompt import DEFAULT_PROMPT
from exports.selection.selection import Selection


def _default(choice: str) -> Any:
    return RefinementChoices.__dataclass_fields__[choice].default


def _whole(choice: str, label: Any, help_text: Any = "") -> forms.IntegerField:
    least, most = LIMITS[choice]
    return forms.IntegerField(
        min_value=least, max_value=most, initial=_default(choice), label=label, help_text=help_text
    )


class RefinementForm(forms.Form):
    """Whom to ask, about which texts, and how many questions."""

    endpoint = forms.ChoiceField(
        label=gettext_lazy("Endpoint"),
        help_text=gettext_lazy(
            "Those that this installation allows. Their keys are not kept in the project."
        ),
    )
    model = forms.CharField(
        max_length=200,
        label=gettext_lazy("Model"),
        help_text=gettext_lazy("Its name as the endpoint knows it. It stands in every release that uses it."),
    )
    sources = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Sources whose texts may be sent"),
        help_text=gettext_lazy(
            "Tick only those whose terms allow it. Items of other sources and withdrawn ones are never sent."
        ),
        error_messages={"required": gettext_lazy("Tick at least one source whose texts may be sent.")},
    )
    splits_left_out = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=gettext_lazy("Splits to leave out"),
        help_text=gettext_lazy(
            "Nothing of a ticked split is sent: a test split that no model should have seen."
        ),
    )
    max_questions = _whole("max_questions", gettext_lazy("Questions at most"))
    again = forms.BooleanField(
        required=False,
        label=gettext_lazy("Ask again about what is refined already"),
        help_text=gettext_lazy(
            "For another model or prompt. The newer answer then takes the older one’s place."
        ),
    )

    def __init__(self, *args: Any, selection: Selection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        endpoints: Any = self.fields["endpoint"]
        endpoints.choices = [(url, url) for url in settings.LLM_ENDPOINTS]
        sources: Any = self.fields["sources"]
        sources.choices = [
            (json.dumps([source, licence]), _source_words(source, licence, items))
            for source, licence, items in sources_known(selection)
        ]
        splits = splits_known(selection)
        if not splits:
            del self.fields["splits_left_out"]
        else:
            left_out: Any = self.fields["splits_left_out"]
            left_out.choices = [(split, split) for split in splits]

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `refinement_choices` reads them, those that are valid."""
        given = dict(self.cleaned_data)
        return {**given, "sources": [json.loads(pair) for pair in given.get("sources", ())]}


class PromptForm(forms.Form):
    """What the model is told."""

    prompt = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 12, "class": "mono"}),
        initial=DEFAULT_PROMPT,
        strip=False,
        label=gettext_lazy("Prompt"),
        help_text=gettext_lazy(
            "{argument}, {span}, {type} and {question} are filled in; nothing else of the project is sent."
        ),
    )


class RareRefinementForm(forms.Form):
    """How to ask: what most runs leave as it is."""

    per_minute = _whole("per_minute", gettext_lazy("Questions a minute at most"))
    max_tokens = _whole(
        "max_tokens",
        gettext_lazy("Tokens an answer at most"),
        gettext_lazy("Models that think before they answer need some thousands."),
    )
    timeout = _whole("timeout", gettext_lazy("Seconds to wait for an answer"))
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
        choices=RefinementRun.TokensField.choices,
        label=gettext_lazy("Name of the limit of tokens"),
        help_text=gettext_lazy("Most endpoints know max_tokens; some newer models want the other."),
    )


class ConfirmForm(forms.Form):
    """What a lead says before anything is sent, each time anew."""

    texts_may_leave = forms.BooleanField(
        label=gettext_lazy("The terms of these sources allow it: the texts may leave this installation"),
        error_messages={"required": gettext_lazy("Confirm this before anything is sent.")},
    )


def _source_words(source: str, licence: str, items: int) -> str:
    number = ngettext("%(n)s item", "%(n)s items", items) % {"n": items}
    terms = licence or gettext("terms not stated")
    return f"{source or gettext('source not stated')} · {terms} · {number}"
