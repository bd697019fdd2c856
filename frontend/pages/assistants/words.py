"""What the pages of assistants call the problems of answers, and how a run ended."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from assist.models import AssistRun

PROBLEMS: Mapping[str, str | Promise] = {
    "cut_off": gettext_lazy("cut off by the limit of tokens"),
    "declined": gettext_lazy("the model declined to answer"),
    "repeats_key": gettext_lazy("it repeats the key of the endpoint"),
    "no_answer": gettext_lazy("no answer came"),
    "refused_by_endpoint": gettext_lazy("the endpoint refused the request"),
    "not_in_the_form": gettext_lazy("not in the form that was asked for"),
    "no_question": gettext_lazy("no question in it"),
    "no_such_slot": gettext_lazy("it names a slot that the scheme has not"),
    "slot_missing": gettext_lazy("a slot of the scheme is missing"),
    "slot_empty": gettext_lazy("a slot of the scheme is empty"),
    "no_such_type": gettext_lazy("it names a type that the codebook has not"),
    "type_twice": gettext_lazy("it names a type twice"),
    "none_with_a_type": gettext_lazy("it names a type beside “none”"),
    "lists_of_different_length": gettext_lazy("as many types as spans were asked for"),
    "more_than_two_types": gettext_lazy("it names more than two types"),
    "no_list_of_texts": gettext_lazy("a list was asked for"),
}
"""Why nothing can be read out of an answer, by its code."""


def problem_said(problem: str) -> str:
    """Return the words of a problem, its code where it has none."""
    return str(PROBLEMS.get(problem, problem))


def state_said(run: AssistRun) -> str:
    """Say how a run stands; a budget that is used up is no error."""
    if run.state == AssistRun.State.FAILED and run.stopped_by == AssistRun.Stop.BUDGET:
        return gettext("stopped by the budget")
    return str(run.get_state_display())
