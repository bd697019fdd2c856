"""How the lists of systems show an evaluation: its method, and the figure that stands for it."""

from dataclasses import replace

from django import template
from django.utils.translation import gettext

from agreement.display.cells import Cell, number
from frontend.pages.systems.fault_words import fault_said
from frontend.pages.systems.shown import judge_said, method_said, shown_cell
from scoring.models import Evaluation

register = template.Library()


register.filter(fault_said)


@register.filter
def method_words(evaluation: Evaluation) -> str:
    """Say how an evaluation was done, in a word or two."""
    return method_said(evaluation)


@register.filter
def method_alone(evaluation: Evaluation) -> str:
    """Say how an evaluation was done, without who judged."""
    return method_said(evaluation, with_judge=False)


@register.filter
def judge_words(evaluation: Evaluation) -> str:
    """Say which language model judged, empty where none did."""
    return judge_said(evaluation)


@register.filter
def headline_cell(evaluation: Evaluation) -> Cell:
    """Return the score with its interval, or with its deviation over runs."""
    headline = evaluation.headline
    if headline is None:
        return Cell("")
    cell = shown_cell(headline)
    if headline["sd"] is None:
        return cell
    return replace(cell, below=gettext("± %(sd)s over runs") % {"sd": number(headline["sd"])})
