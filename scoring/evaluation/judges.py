"""CQs-Gen: a language model says which reference a question asks the same as, or which label it has. Pure.

What the model says is read strictly. An answer in another form is neither a label nor NAE: the question is
not useful, it is counted apart, and nothing is asked a second time for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assist.asking.prompts import prompt_digest
from scoring.evaluation.judge_prompts import MODEL_REFERENCE, fill_prompt
from scoring.evaluation.references import Benchmark, Intervention
from scoring.evaluation.submissions import Question, Submission
from scoring.figures.matching import NAE, Match
from scoring.reading.model_answers import Read, read_label, read_reference

NO_ENDPOINT = "no_endpoint"
CUT_OFF, REPEATS_KEY = "cut_off", "repeats_key"


class Said(NamedTuple):
    """What a model answered: whole, as the endpoint names the model, when, and its reason to stop.

    `problem` is why there is nothing to read, `reason` that in words.
    """

    raw: str
    model: str
    ending: str
    at: str
    problem: str = ""
    reason: str = ""
    tries: int = 1


class About(NamedTuple):
    """Which question of which item and run is asked about."""

    run: int
    item: str
    number: int


Ask = Callable[[About, str], Said]


@dataclass(frozen=True, slots=True)
class Judge:
    """A model that judges by a method: its prompt, what asks it, and all that was chosen for it."""

    method: str
    prompt: str
    ask: Ask
    chosen: Mapping[str, Any] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, Any]:
        chosen = {name: self.chosen.get(name) for name in ("model", "endpoint", "temperature")}
        return {**chosen, "prompt": self.prompt}


class Verdict(NamedTuple):
    """A question's match with what the model said; no answer where nothing was asked."""

    match: Match
    said: Said | None = None
    problem: str | None = None
    prompt_sha256: str = ""

    def to_json(self) -> dict[str, Any] | None:
        """Return what the model said, for the line of the question; None where it was not asked."""
        if self.said is None:
            return None
        return {
            "prompt_sha256": self.prompt_sha256,
            **self.said._asdict(),
            "problem": self.problem,
        }


def verdicts(
    benchmark: Benchmark, submission: Submission, judge: Judge, *, run: int = 1, system: str = ""
) -> dict[str, list[Verdict]]:
    """Return the verdict on each question by item; a match without a label is that of an unusable answer."""
    own = benchmark.own.get(system, frozenset())
    return {
        item: [
            _verdict(benchmark.interventions[item], About(run, item, question.number), question, judge, own)
            for question in given
        ]
        for item, given in submission.questions.items()
    }


def _verdict(
    intervention: Intervention, about: About, question: Question, judge: Judge, own: frozenset[str]
) -> Verdict:
    places = [at for at, found in enumerate(intervention.questions) if found.id not in own]
    by_reference = judge.method == MODEL_REFERENCE
    if not intervention.questions or (by_reference and not places):
        # As by every method: without a reference nothing can be evaluated.
        return Verdict(Match(None, None, NAE))
    references = [intervention.questions[at].words for at in places]
    prompt = fill_prompt(judge.prompt, question=question.words, text=intervention.text, references=references)
    said = judge.ask(about, prompt)
    digest = prompt_digest(prompt)
    read = _read(said, by_reference, len(places))
    if read.reference is not None:
        best = places[read.reference]
        return Verdict(Match(best, None, intervention.questions[best].label), said, None, digest)
    return Verdict(Match(None, None, read.label), said, read.problem, digest)


def _read(said: Said, by_reference: bool, references: int) -> Read:
    if said.problem:
        return Read(problem=said.problem)
    if said.ending == "length":
        return Read(problem=CUT_OFF)
    return read_reference(said.raw, references) if by_reference else read_label(said.raw)
