"""How a submission is to be scored: the same from the page, the API and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.models import Project, Protocol
from core.canonical_json import sha256_of
from core.errors import Refused
from scoring.evaluation.evaluate import ENGINE_VERSION, FOCUS_METHOD
from scoring.evaluation.faults import CannotScore
from scoring.evaluation.focus import SCOPES
from scoring.evaluation.questions import BY_PEOPLE, DEFAULT_METHODS, MODEL_MISSING, Method, read_method
from scoring.figures.thresholds import GRIDS
from scoring.models import Evaluation, Submission
from scoring.systems.judging import judge_parameters
from scoring.systems.people import read_decided
from scoring.systems.text_models import model_wanted, span_parameters

MOST_REPLICATES = 100_000
MOST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Asked:
    """What one evaluation is asked for. `parameters` is what else shapes its figures, such as an encoder."""

    method: str
    threshold: float | None = None
    scope: str = ""
    replicates: int = 1000
    seed: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def to_row(self, submission: Submission) -> dict[str, Any]:
        """Return the columns of an evaluation that never change; together they name it."""
        shaping = {
            "threshold": self.threshold,
            "scope": self.scope,
            "replicates": self.replicates,
            "seed": self.seed,
            "parameters": {**self.parameters, **_people(self.method, submission)},
        }
        return {
            "method": self.method,
            **shaping,
            "parameters_digest": sha256_of(shaping),
            "engine": ENGINE_VERSION,
            "release_digest": submission.release.digest,
        }


def read_choices(
    project: Project,
    *,
    methods: Sequence[str] = (),
    scope: str = "",
    replicates: int = 1000,
    seed: int = 1,
    judge: Mapping[str, Any] | None = None,
    prompt: str = "",
    texts_may_leave: bool = False,
) -> list[Asked]:
    """Return what to ask for, an evaluation a method. Raises Refused, one message a field.

    `judge` is what is chosen for a method that asks a language model, `prompt` one's own for it.
    Types are right or wrong by their names, so that FOCUS has no methods to choose from.
    """
    errors: dict[str, str] = {}
    if not 0 <= replicates <= MOST_REPLICATES:
        errors["replicates"] = gettext("Give a number from 0, for no intervals, to %(n)s.") % {
            "n": MOST_REPLICATES
        }
    if not 0 <= seed <= MOST_SEED:
        errors["seed"] = gettext("Give a whole number, 0 or more.")
    focus = project.protocol == Protocol.FOCUS
    if focus and scope not in ("", *SCOPES):
        errors["scope"] = gettext("The scope is “decided” or “all”.")
    if not focus and scope:
        errors["scope"] = gettext("A scope is for types (FOCUS): leave it out.")
    if focus and methods:
        errors["methods"] = gettext(
            "Methods are for questions (CQs-Gen): types are right or wrong by their names. Leave them out."
        )
    chosen: list[Method] = []
    if not focus:
        try:
            chosen = list(dict.fromkeys(read_method(given) for given in methods or DEFAULT_METHODS))
        except CannotScore as problem:
            errors["methods"] = str(problem).removeprefix("--method ")
    judges: dict[str, dict[str, Any]] = {}
    try:
        names = [method.name for method in chosen]
        judges = judge_parameters(names, judge or {}, prompt=prompt, texts_may_leave=texts_may_leave)
    except Refused as refusal:
        errors |= refusal.errors
    if errors:
        told = " ".join(f"{name}: {words}" for name, words in errors.items())
        raise Refused("invalid", told, errors=errors)
    if focus:
        return [Asked(FOCUS_METHOD.name, None, scope or "decided", replicates, seed, span_parameters())]
    return [
        Asked(
            method.name,
            method.threshold,
            "",
            replicates,
            seed,
            judges.get(method.name) or model_parameters(method.name),
        )
        for method in chosen
    ]


def asked_before(evaluation: Evaluation) -> Asked:
    """Return what an evaluation was asked for, to ask for it again with the engine and encoder of now."""
    parameters = {name: value for name, value in evaluation.parameters.items() if name != "people"}
    if evaluation.scope:
        parameters = span_parameters()
    elif "encoder" in parameters:
        parameters.update(model_parameters(evaluation.method))
    return Asked(
        evaluation.method,
        evaluation.threshold,
        evaluation.scope,
        evaluation.replicates,
        evaluation.seed,
        parameters,
    )


def _people(method: str, submission: Submission) -> dict[str, Any]:
    """Return which decisions of people a method rests on as they are now; None without a closed round.

    The table of thresholds compares with them too, where there are any.
    """
    if method not in BY_PEOPLE and method not in GRIDS:
        return {}
    decided = read_decided(submission.release)
    if decided is None and method in GRIDS:
        return {}
    return {"people": decided.to_json() if decided else None}


def model_parameters(method: str) -> dict[str, Any]:
    """Return what names the model of a method in an evaluation's parameters; nothing where it has none."""
    return {"encoder": encoder_named(model_wanted(method))} if method in MODEL_MISSING else {}


def encoder_named(wanted: str) -> str:
    """Return what an encoder of the settings is called: the place of a folder stays with the installation."""
    folder = Path(wanted).expanduser()
    return folder.name if wanted and (folder.is_absolute() or folder.is_dir()) else wanted
