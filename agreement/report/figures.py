"""What a report holds: the keys of its figures, for whoever makes, stores, shows or exports them.

The JSON of a stored report has these keys and no others; tests/agreement/test_figures.py walks real reports.
Where a report leaves a section unsaid (`unsaid.section_unsaid`) each number in it is None.
"""

from typing import Any, Literal, NotRequired, TypedDict

from agreement.spans.encoders import EncoderNamed
from agreement.statistics.figures import DifferenceFigures, EstimateFigures, TableCounts

SpanAlpha = Literal["u_alpha", "alpha_token", "alpha_token_within", "alpha_u"]
ItemMean = Literal["over_items", "joint"]
Whose = Literal["each", "any", "consensus"]


class PairEstimateFigures(EstimateFigures):
    """A mean over pairs of annotators: n_pairs that both said yes."""

    n_pairs: int


class SpanEstimateFigures(EstimateFigures):
    """A mean over the spans of annotators, each compared with its best target: n_spans."""

    n_spans: int


class TextEstimateFigures(EstimateFigures):
    """A mean over texts: n_texts."""

    n_texts: int


class AgainstFigures(TypedDict):
    """Spans of annotators against gold spans, and against gold and disagreement spans, by measure."""

    gold: dict[str, SpanEstimateFigures]
    gold_and_disagreement: dict[str, SpanEstimateFigures]


class SpanFigures(TypedDict):
    """The spans of a section: how many there are, how alike they are, alphas over texts.

    Reports before version 6 have alpha_u, the definition of 2004, and no u_alpha.
    """

    n_units: int
    n_gold: int
    n_disagreement: int
    counted_by_characters: int
    similarity: dict[str, PairEstimateFigures]
    against: AgainstFigures
    over_items: dict[str, TextEstimateFigures]
    joint: dict[str, TextEstimateFigures]
    u_alpha: EstimateFigures
    alpha_token: EstimateFigures
    alpha_token_within: EstimateFigures
    alpha_u: NotRequired[EstimateFigures]


class ConsensusFigures(TypedDict):
    """Units that the votes decide, by category: by two or more votes, by a single one, and not at all."""

    decided: dict[str, int]
    single: dict[str, int]
    undecided: int


class MeanFigures(TypedDict):
    """The plain mean of a coefficient over the n types in which it is defined."""

    value: float | None
    reason: str | None
    n: int


class QueueFigures(TypedDict, total=False):
    """What waits for adjudication: all of it, by reason, and all units that are not of one mind.

    Empty in a live report.
    """

    total: int
    undecided: int
    no_gold_span: int
    reason_open: int
    disputed: int


class StrataFigures(TypedDict, total=False):
    """What types together have: how many, plain means over them, coefficients of the one table of all."""

    n_strata: int
    mean_of_types: dict[str, MeanFigures]
    stacked: dict[str, EstimateFigures]


class SetAlphas(TypedDict):
    """Alpha over the sets of types of a text, by two distances."""

    alpha_masi: EstimateFigures
    alpha_jaccard_sets: EstimateFigures


class SetFigures(SetAlphas):
    """The same with how many texts there are, how many of them were answered twice, and how many sets."""

    n_items: int
    n_pairable: int
    n_sets: int


class SetsOfTypes(TypedDict, total=False):
    """What all types together have."""

    sets: SetFigures


class AnswerFigures(TableCounts, StrataFigures):
    """One table of answers: what label_agreement finds, consensus and prevalence."""

    labels: dict[str, int]
    min_common: int
    paradox: str | None
    readings: list[str]
    consensus: ConsensusFigures


class Keyed(TypedDict):
    """How a section is called."""

    key: str
    name: str


class YesRate(TypedDict, total=False):
    """The share of yes among the answers on types of FOCUS."""

    yes_rate: float | None


class LabelSectionFigures(AnswerFigures, YesRate, SetsOfTypes, Keyed):
    """A section before its spans are known."""

    kind: str
    code: str
    group: str | None
    n_cannot_judge: int
    median_seconds: float | None


class SectionFigures(LabelSectionFigures):
    """A type, a group, all types, or one of the tables of questions; spans is None where none are marked."""

    spans: SpanFigures | None
    queue: QueueFigures


class Named(TypedDict):
    """A category or a reason of the codebook."""

    code: str
    name: str


class GroupFigures(TypedDict):
    """A group of types, and its letter and hue in charts."""

    key: str
    name: str
    letter: str
    hue: str


class SharesFigures(TypedDict):
    """The answers of one annotator: how many, the share of each category, agreement with the others."""

    n: int
    shares: dict[str, EstimateFigures]
    with_rest: EstimateFigures


class WithSelfFigures(TypedDict):
    """One annotator's answers to what the round asked twice."""

    n: int
    observed_agreement: EstimateFigures
    token_jaccard: PairEstimateFigures


class RepeatFigures(TypedDict, total=False):
    """What is there of an annotator only where the round asked something twice."""

    with_self: WithSelfFigures


class AnnotatorFigures(SharesFigures, RepeatFigures):
    """One annotator, whole and by type."""

    pseudonym: str
    n_others: int
    n_cannot_judge: int
    median_seconds: float | None
    types: dict[str, SharesFigures]


class CrossRow(TypedDict):
    """The counts of one answer, each list parallel to the values of the field.

    `by` has one an annotator; in a release it is empty, and n_answered None.
    """

    code: str
    n_answered: list[int] | None
    each: list[int | None]
    any: list[int | None]
    consensus: list[int | None]
    by: list[list[int | None]]


class CrossTable(TypedDict):
    """Answers against a field of the items; a release leaves out the values that few items have."""

    field: str
    values: list[str]
    values_left_out: NotRequired[int]
    n_items: list[int]
    annotators: list[str]
    rows: list[CrossRow]


class ShownCrossTable(TypedDict):
    """One cross table as files show it: of whose answers, rows of code, name and counts."""

    field: str
    values: list[str]
    values_left_out: NotRequired[int]
    n_items: list[int]
    annotators: list[str]
    whose: str
    rows: list[tuple[str, str, list[int | None]]]


class EncoderFigures(EncoderNamed):
    """The encoder of BERTScore, or why there is none; n_cut spans were not read to their end."""

    n_cut: int


class KeptBack(TypedDict):
    """What a release keeps back of a round: so many items, and figures of fewer items than min_cell."""

    items: int
    min_cell: int


class ChangeFigures(TypedDict, total=False):
    """A report's differences against the round before, by section; empty where none came before.

    types are those that both rounds asked, there only where one asked others too; cluster is there only where
    intervals draw clusters of items, None where the round before does not have the field.
    """

    types: list[str]
    cluster: str | None
    round: int
    name: str
    guideline: int
    judgements_sha256: str
    sections: dict[str, DifferenceFigures]


class FirstRoundFigures(TypedDict):
    """A round that none came before, in a table of conditions."""

    round: int
    name: str
    guideline: int
    n_items: int
    n_annotators: int


class ConditionsFigures(FirstRoundFigures):
    """What sets a round apart from the one it is compared with, as `conditions.Conditions` explains it.

    items and annotators are same, some or new; discussed is yes, no or not recorded; says tells it all.
    """

    against: int
    against_name: str
    against_guideline: int
    against_n_items: int
    against_n_annotators: int
    items: str
    n_items_both: int
    annotators: str
    n_annotators_both: int
    n_items_again: int
    discussed: str
    n_items_discussed: int
    n_items_again_discussed: int
    says: str


RoundConditions = FirstRoundFigures | ConditionsFigures


class ShownChange(ChangeFigures, total=False):
    """A change with its conditions, without which no difference leaves the server."""

    conditions: ConditionsFigures


class CheckFigures(TypedDict):
    """One figure compared with another library's; pair: the places of two annotators."""

    name: str
    status: str
    library: str | None
    ours: float | None
    theirs: float | None
    why: str | None
    pair: list[int] | None


class DifferingCheck(CheckFigures):
    """A figure that differs, and the section it is of."""

    section: str


class CheckedFigure(TypedDict):
    """How often a figure was checked, and why it was not; pairs: figures of two annotators each."""

    name: str
    pairs: bool
    library: str | None
    checked: int
    checked_subset: int
    not_checked: int
    differs: int
    why: dict[str, int]


class CrosscheckFigures(TypedDict, total=False):
    """A report compared with other libraries: all but why, or nothing but why it could not be compared."""

    why: str
    checked: int
    checked_subset: int
    due: int
    libraries: list[str]
    why_not: dict[str, int]
    figures: list[CheckedFigure]
    differs: list[DifferingCheck]


class AnchoringFigures(Keyed):
    """The share of answers that are the suggestion's, of so many, shown and hidden, and shown - hidden."""

    n_shown: int
    n_hidden: int
    shown: EstimateFigures
    hidden: EstimateFigures
    difference: EstimateFigures


class SplitFigures(TypedDict):
    """The sections of a report over a part of its judgements."""

    n_judgements: int
    sections: list[SectionFigures]


class SuggestionsFigures(TypedDict):
    """A round with suggestions: at which units they are shown (`half`, `all`), by which model, at how many
    units there is one and is shown one, how many answers were taken, and whether judgements with and without
    are mixed.

    anchoring is over all units, then by type; the two splits have every section of the judgements with a
    suggestion in sight, and of the others.
    """

    shown: str
    model: str
    n_suggested: int
    n_shown: int
    n_taken: int
    mixed: bool
    anchoring: list[AnchoringFigures]
    with_suggestion: SplitFigures
    without_suggestion: SplitFigures


class ReportFigures(TypedDict):
    """A whole report; parameters are those it was asked with, kept_back is there in a release only,
    n_clusters where intervals draw clusters of items, suggestions in a round that has them."""

    version: int
    protocol: str
    parameters: dict[str, Any]
    n_items: int
    n_items_drawn: int
    n_units: int
    n_annotators: int
    n_judgements: int
    n_cannot_judge: int
    categories: list[Named]
    reasons: list[Named]
    groups: list[GroupFigures]
    annotators: list[AnnotatorFigures]
    cross: list[CrossTable]
    sections: list[SectionFigures]
    n_clusters: NotRequired[int]
    encoder: NotRequired[EncoderFigures]
    suggestions: NotRequired[SuggestionsFigures]
    kept_back: NotRequired[KeptBack]
