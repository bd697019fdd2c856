"""What the API of the workspace answers: the keys of its JSON, for whoever makes or reads it."""

from datetime import date
from typing import Any, NotRequired, TypedDict


class KeyShown(TypedDict, total=False):
    """What the key of a training round says: of a type, or of a question."""

    applicable: bool | None
    start: int | None
    end: int | None
    quote: str
    label: str | None
    reason: str


class Feedback(TypedDict):
    """What an annotator learns once a unit of a training round is answered."""

    agrees: bool
    key: KeyShown
    why: str


class Judgement(TypedDict):
    """What both protocols keep of an answer; incomplete is there where a file left something out.

    suggestion is there where one was visible before the first input, with whether the answer is it, taken.
    """

    cannot_judge: bool
    comment: str
    unsure: bool
    revision: int
    active_seconds: NotRequired[int | None]
    updated_at: str | None
    incomplete: NotRequired[bool]
    suggestion: NotRequired[int]
    suggestion_taken: NotRequired[bool]
    feedback: NotRequired[Feedback]


class TypeJudgement(Judgement):
    """An answer about a type of FOCUS."""

    applicable: bool | None
    start: int | None
    end: int | None
    quote: str


class QuestionJudgement(Judgement):
    """An answer about a question; reference is there where one was picked in a matching round."""

    label: str | None
    reason: str
    edited_question: str
    reference: NotRequired[int]


AnyJudgement = TypeJudgement | QuestionJudgement


class ItemShown(TypedDict):
    """A text as an annotator reads it, by its own id."""

    id: str
    text: str
    topic: str


class SuggestionShown(TypedDict):
    """What a language model answered about a type or a question, as an annotator is shown it."""

    id: int
    applicable: NotRequired[bool]
    start: NotRequired[int | None]
    end: NotRequired[int | None]
    quote: NotRequired[str]
    label: NotRequired[str]


class TextShown(TypedDict):
    """A text at its position in the annotator's order."""

    assignment: int
    position: int
    item: ItemShown


class TypesShown(TextShown):
    """A text with the types asked of it, of types_total where not all are, and the answers that are there."""

    asked: list[str] | tuple[str, ...]
    types_total: int | None
    types: dict[str, AnyJudgement]
    suggestions: NotRequired[dict[str, SuggestionShown]]


class ReferenceShown(TypedDict):
    """A reference of a matching round."""

    id: int
    text: str


class QuestionShown(TypedDict):
    """A question of a text; references are the keys of those offered for it, in a matching round only."""

    id: int
    position: int
    text: str
    row: AnyJudgement | None
    references: NotRequired[list[int]]
    suggestion: NotRequired[SuggestionShown]


class QuestionsShown(TextShown):
    """A text with its questions; references of the text are there in a matching round only."""

    questions: list[QuestionShown]
    references: NotRequired[list[ReferenceShown]]


class PageShown(TypedDict):
    """Some texts, and after which position the next begin; None where these are the last."""

    results: list[TypesShown] | list[QuestionsShown]
    next: int | None


class ProjectShown(TypedDict):
    """The project of a workspace."""

    slug: str
    name: str
    protocol: str


class RoundShown(TypedDict):
    """The round of a workspace; closed says why nothing is judged, "" where something is.

    suggestion_model names the model whose suggestions are shown, None where the round has none.
    """

    number: int
    name: str
    purpose: str
    matching: bool
    suggestion_model: str | None
    status: str
    paused: bool
    closed: str
    order: str
    due_on: date | None
    content_warning: str
    pass_mark: float | None


class MemberShown(TypedDict):
    """Who works."""

    id: int
    pseudonym: str
    login: str


class RulesShown(TypedDict):
    """What a round is and asks; spec is `protocols.spec.spec_for_browser`'s."""

    project: ProjectShown
    round: RoundShown
    member: MemberShown
    types_total: int
    spec: dict[str, Any]
    guideline_html: str
    guideline_version: int


class OtherRound(TypedDict):
    """Another open round with so many units left."""

    number: int
    name: str
    left: int


class KeyOverviewShown(RulesShown):
    """What the workspace needs before the first text of a key."""

    units_total: int
    units_decided: int
    assignments_total: int


class OverviewShown(KeyOverviewShown):
    """What the workspace needs before the first text of a round."""

    others: list[OtherRound]
