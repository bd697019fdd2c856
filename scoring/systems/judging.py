"""Asking a language model about a system's questions: what is chosen for it, and who asks.

Endpoints and keys are those of refining. See docs/decisions/scoring.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from assist.asking.choices import check_choice
from assist.asking.llm_client import Endpoint, Pause, Timing, Unanswered, ask_endpoint, chat_body
from assist.models import TokensField
from core.errors import Refused
from core.texts import storable
from scoring.evaluation.judge_prompts import DEFAULT_PROMPTS, prompt_problem
from scoring.evaluation.judges import REPEATS_KEY, About, Judge, Said
from scoring.models import Evaluation, JudgeAnswer

REFUSED_BY_ENDPOINT = "refused_by_endpoint"
STOP_AFTER = 5
"""Questions in a row without an answer that stop an evaluation: the endpoint is down, or refuses all."""

DEFAULTS: Mapping[str, Any] = {
    "endpoint": "",
    "model": "",
    "temperature": 0.0,
    "seed": None,
    "tokens_field": TokensField.MAX_TOKENS.value,
    "max_tokens": 300,
    "timeout": 60,
    "per_minute": 60,
}
"""What is chosen for a judge; endpoint and model have no default where there are several endpoints."""

_SENT = ("model", "tokens_field", "max_tokens", "temperature", "seed")

Keep = Callable[[About, str, Said], None]


class NoAnswer(Refused):
    """A question had no answer, and no further one is asked about."""

    def __init__(self, message: str) -> None:
        super().__init__("not_ready", message)


def judge_parameters(
    methods: Iterable[str], given: Mapping[str, Any], *, prompt: str = "", texts_may_leave: bool
) -> dict[str, dict[str, Any]]:
    """Return the parameters of the judge of each method that asks a model. Raises Refused, a message a field.

    `given` are choices of DEFAULTS, `prompt` one of one's own, which goes with one method alone.
    """
    judged = [method for method in methods if method in DEFAULT_PROMPTS]
    if not judged:
        return {}
    if not settings.LLM_ENDPOINTS:
        raise _refused(
            {
                "methods": gettext("%(method)s needs a language model: set ELENCHUS_LLM_ENDPOINTS.")
                % {"method": judged[0]}
            }
        )
    errors: dict[str, str] = {}
    if not texts_may_leave:
        errors["texts_may_leave"] = gettext(
            "Confirm that texts, references and questions may be sent to this endpoint: they leave the "
            "installation."
        )
    chosen = {**DEFAULTS, **given}
    if not chosen["endpoint"] and len(settings.LLM_ENDPOINTS) == 1:
        chosen["endpoint"] = settings.LLM_ENDPOINTS[0]
    values: dict[str, Any] = {}
    for name in DEFAULTS:
        try:
            values[name] = check_choice(name, chosen[name])
        except ValueError as problem:
            errors[name] = str(problem)
    own = prompt.replace("\r\n", "\n").strip()
    if own and len(judged) > 1:
        errors["prompt"] = gettext("A prompt of your own goes with one method: score by each in turn.")
    elif own and (told := prompt_problem(judged[0], own)):
        errors["prompt"] = told
    if errors:
        raise _refused(errors)
    return {method: {**values, "prompt": own or DEFAULT_PROMPTS[method]} for method in judged}


def _refused(errors: dict[str, str]) -> Refused:
    told = " ".join(f"{name}: {words}" for name, words in errors.items())
    return Refused("invalid", told, errors=errors)


def answers_stored(evaluation: Evaluation) -> dict[About, Said]:
    """Return what a model answered in an evaluation so far."""
    return {
        About(row.run, row.item, row.question): Said(
            row.raw,
            row.model,
            row.ending,
            row.at.isoformat(timespec="milliseconds"),
            row.problem,
            row.reason,
            row.tries,
        )
        for row in evaluation.judge_answers.all()
    }


def answer_row(evaluation: Evaluation, about: About, prompt_sha256: str, said: Said) -> JudgeAnswer:
    """Return the row that keeps an answer for good."""
    return JudgeAnswer(
        evaluation=evaluation,
        run=about.run,
        item=about.item,
        question=about.number,
        prompt_sha256=prompt_sha256,
        **{**said._asdict(), "at": datetime.fromisoformat(said.at)},
    )


def judge_of(
    method: str,
    parameters: Mapping[str, Any],
    *,
    stored: Mapping[About, Said] | None = None,
    keep: Keep | None = None,
    heartbeat: Callable[[], None] = lambda: None,
    purpose: str = "",
    timing: Timing | None = None,
) -> Judge:
    """Return the judge of an evaluation. Raises Refused where its endpoint is not allowed (any more).

    What is `stored` is not asked again; `keep` is told each new answer as it comes. `purpose` names what
    the answers are for (`purpose_of`).
    """
    url = parameters["endpoint"]
    if url not in settings.LLM_ENDPOINTS:
        raise Refused(
            "not_allowed",
            gettext("ELENCHUS_LLM_ENDPOINTS does not name %(url)s (any more).") % {"url": url},
        )
    asker = _Asker(
        Endpoint(url, settings.LLM_API_KEYS.get(url, "")),
        parameters,
        stored or {},
        keep,
        heartbeat,
        purpose,
        timing or Timing(),
    )
    return Judge(method, parameters["prompt"], asker.ask, dict(parameters))


class _Asker:
    """Asks question by question, at the rate that was chosen, and gives up after STOP_AFTER failures."""

    def __init__(
        self,
        endpoint: Endpoint,
        parameters: Mapping[str, Any],
        stored: Mapping[About, Said],
        keep: Keep | None,
        heartbeat: Callable[[], None],
        purpose: str,
        timing: Timing,
    ) -> None:
        self.endpoint = endpoint
        self.parameters = parameters
        self.stored = stored
        self.keep = keep
        self.heartbeat = heartbeat
        self.purpose = purpose
        self.timing = timing
        self.pause = Pause(60 / parameters["per_minute"], timing)
        self.failures = 0

    def ask(self, about: About, prompt: str) -> Said:
        if about in self.stored:
            return self.stored[about]
        self.pause.wait()
        said = self._asked(about, prompt)
        if self.keep is not None:
            self.keep(about, prompt, said)
        return said

    def _asked(self, about: About, prompt: str) -> Said:
        try:
            answer = ask_endpoint(
                self.endpoint,
                chat_body(prompt, **{name: self.parameters[name] for name in _SENT}),
                timeout=self.parameters["timeout"],
                timing=self.timing,
                heartbeat=self._before_each_try,
                purpose=self.purpose and f"{self.purpose} {about.run} {about.number} {about.item}",
            )
        except Unanswered as refusal:
            self.failures += 1
            if refusal.fatal or refusal.passing or self.failures == STOP_AFTER:
                raise NoAnswer(
                    gettext(
                        "%(item)s, question %(number)s, had no answer: %(reason)s. What was answered is "
                        "kept; scoring again goes on there."
                    )
                    % {"item": about.item, "number": about.number, "reason": refusal.reason},
                ) from None
            tries = max(1, refusal.tries)
            return Said("", "", "", self._now(), REFUSED_BY_ENDPOINT, refusal.reason[:300], tries)
        self.failures = 0
        key = self.endpoint.key
        if key and key in f"{answer.text}\n{answer.model}":
            return Said("", "", answer.ending[:100], self._now(), REPEATS_KEY, tries=answer.tries)
        return Said(storable(answer.text), answer.model, answer.ending[:100], self._now(), tries=answer.tries)

    def _before_each_try(self) -> None:
        self.pause.begin()
        self.heartbeat()

    def _now(self) -> str:
        return self.timing.now().isoformat(timespec="milliseconds")
