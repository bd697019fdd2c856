"""What the pages of systems call reasons, labels, sets of references and means."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from scoring.figures.matching import JUDGE_UNUSABLE

REASONS: Mapping[str, str | Promise] = {
    "never_answered": gettext_lazy("the system never gave this answer"),
    "never_there": gettext_lazy("the answer is right nowhere"),
    "neither": gettext_lazy("the answer is right nowhere, and the system never gave it"),
    "no_items": gettext_lazy("there is nothing to score"),
    "no_references": gettext_lazy("no unit has a reference"),
    "nothing_named": gettext_lazy("the system named none of the types that have a reference"),
    "nothing_handed_in": gettext_lazy("the system handed nothing in"),
    "no_encoder": gettext_lazy("it needs a sentence encoder, and there was none"),
    "no_bleurt": gettext_lazy("the model of BLEURT is not installed here"),
    "no_comet": gettext_lazy("the model of COMET is not installed here"),
    "no_matching_round": gettext_lazy("people have not matched its questions, or have changed their minds"),
    "not_judged": gettext_lazy("nobody was asked about these answers"),
    "one_run": gettext_lazy("there is one run"),
    "no_runs": gettext_lazy("it is defined in no run"),
    "one_label": gettext_lazy("both gave one and the same label only"),
    "no_questions": gettext_lazy("there is no question that both could evaluate"),
    "fewer_than_three_systems": gettext_lazy("there are fewer than three systems"),
    "no_variation": gettext_lazy("all systems have the same score"),
}
"""Why there is no figure, by its code."""

LABELS: Mapping[str, str | Promise] = {
    "Useful": gettext_lazy("Useful"),
    "Unhelpful": gettext_lazy("Unhelpful"),
    "Invalid": gettext_lazy("Invalid"),
    "not_able_to_evaluate": gettext_lazy("not able to evaluate"),
    "undecided": gettext_lazy("not decided"),
    JUDGE_UNUSABLE: gettext_lazy("the judge’s answer is not usable"),
}
LABEL_CODES = {"Useful": "USE", "Unhelpful": "UN", "Invalid": "IN"}

PARAMETERS: Mapping[str, str | Promise] = {
    "encoder": gettext_lazy("Encoder"),
    "endpoint": gettext_lazy("Endpoint"),
    "model": gettext_lazy("Model"),
    "temperature": gettext_lazy("Temperature"),
    "seed": gettext_lazy("Seed"),
    "tokens_field": gettext_lazy("Name of the limit of tokens"),
    "max_tokens": gettext_lazy("Tokens an answer at most"),
    "timeout": gettext_lazy("Seconds to wait for an answer"),
    "per_minute": gettext_lazy("Questions a minute at most"),
    "prompt": gettext_lazy("Prompt"),
}
"""What else shapes the figures of an evaluation, in this order."""

REFERENCE_SETS: Mapping[str, str | Promise] = {
    "gold": gettext_lazy("gold"),
    "all": gettext_lazy("gold and disagreement"),
    "all_on_types_with_gold": gettext_lazy("both, over the types with gold"),
}
MEANS: Mapping[str, str | Promise] = {
    "mean": gettext_lazy("all types decided yes"),
    "when_the_type_is_named": gettext_lazy("those the system named"),
    "whatever_the_type": gettext_lazy("whatever the type"),
}


def why(reason: str | None) -> str:
    """Return the words of a reason, its code where it has none."""
    return str(REASONS.get(reason or "", reason or ""))
