"""Words that rows and files keep in English, and how a page says them in the reader's language.

See docs/decisions/running.md.
"""

from django.utils.translation import gettext_lazy

from agreement.computation.crosscheck_labels import SUBSET_WHY

WORDS = {
    # What the log says was done.
    "asked types chosen": gettext_lazy("asked types chosen"),
    "codebook published": gettext_lazy("codebook published"),
    "decision undone": gettext_lazy("decision undone"),
    "draft deleted": gettext_lazy("draft deleted"),
    "file imported": gettext_lazy("file imported"),
    "import undone": gettext_lazy("import undone"),
    "invitation accepted": gettext_lazy("invitation accepted"),
    "invitation made": gettext_lazy("invitation made"),
    "invitation revoked": gettext_lazy("invitation revoked"),
    "item restored": gettext_lazy("item restored"),
    "item withdrawn": gettext_lazy("item withdrawn"),
    "items corrected": gettext_lazy("items corrected"),
    "items drawn": gettext_lazy("items drawn"),
    "key answered": gettext_lazy("key answered"),
    "key imported": gettext_lazy("key imported"),
    "key taken from decisions": gettext_lazy("key taken from decisions"),
    "member added": gettext_lazy("member added"),
    "member deactivated": gettext_lazy("member deactivated"),
    "member edited": gettext_lazy("member edited"),
    "member reactivated": gettext_lazy("member reactivated"),
    "project archived": gettext_lazy("project archived"),
    "project created": gettext_lazy("project created"),
    "project edited": gettext_lazy("project edited"),
    "project restored": gettext_lazy("project restored"),
    "refined question rejected": gettext_lazy("refined question rejected"),
    "refined question restored": gettext_lazy("refined question restored"),
    "refinement cancelled": gettext_lazy("refinement cancelled"),
    "refinement done": gettext_lazy("refinement done"),
    "refinement failed": gettext_lazy("refinement failed"),
    "refinement requested": gettext_lazy("refinement requested"),
    "release built": gettext_lazy("release built"),
    "release cancelled": gettext_lazy("release cancelled"),
    "release closed to the public": gettext_lazy("release closed to the public"),
    "release made public": gettext_lazy("release made public"),
    "release requested": gettext_lazy("release requested"),
    "round changed": gettext_lazy("round changed"),
    "round closed": gettext_lazy("round closed"),
    "round created": gettext_lazy("round created"),
    "round opened": gettext_lazy("round opened"),
    "round paused": gettext_lazy("round paused"),
    "round reopened": gettext_lazy("round reopened"),
    "round resumed": gettext_lazy("round resumed"),
    "screened items sent": gettext_lazy("screened items sent"),
    "texts reassigned": gettext_lazy("texts reassigned"),
    "types reassigned": gettext_lazy("types reassigned"),
    "unit decided": gettext_lazy("unit decided"),
    # Answers.
    "?": gettext_lazy("cannot judge"),
    "no": gettext_lazy("no"),
    "yes": gettext_lazy("yes"),
    # The details of an event.
    "annotator": gettext_lazy("annotator"),
    "annotators": gettext_lazy("annotators"),
    "answers": gettext_lazy("answers"),
    "changes": gettext_lazy("changes"),
    "counts": gettext_lazy("counts"),
    "discussed before": gettext_lazy("discussed before"),
    "criteria": gettext_lazy("criteria"),
    "days": gettext_lazy("days"),
    "digest": gettext_lazy("digest"),
    "endpoint": gettext_lazy("endpoint"),
    "failed": gettext_lazy("failed"),
    "field": gettext_lazy("field"),
    "fields": gettext_lazy("fields"),
    "file": gettext_lazy("file"),
    "from": gettext_lazy("from"),
    "item": gettext_lazy("item"),
    "items": gettext_lazy("items"),
    "judgements": gettext_lazy("judgements"),
    "content warning": gettext_lazy("content warning"),
    "due date": gettext_lazy("due date"),
    "kept": gettext_lazy("kept"),
    "lead": gettext_lazy("lead"),
    "left out": gettext_lazy("left out"),
    "left over": gettext_lazy("left over"),
    "live agreement": gettext_lazy("live agreement"),
    "model": gettext_lazy("model"),
    "name": gettext_lazy("name"),
    "order": gettext_lazy("order"),
    "overlap": gettext_lazy("overlap"),
    "pass mark": gettext_lazy("pass mark"),
    "published labels": gettext_lazy("published labels"),
    "questions": gettext_lazy("questions"),
    "questions at most": gettext_lazy("questions at most"),
    "splits left out": gettext_lazy("splits left out"),
    "refined": gettext_lazy("refined"),
    "refused": gettext_lazy("refused"),
    "repeats": gettext_lazy("repeats"),
    "roles": gettext_lazy("roles"),
    "round": gettext_lazy("round"),
    "run": gettext_lazy("run"),
    "shuffled": gettext_lazy("shuffled"),
    "sources": gettext_lazy("sources"),
    "texts": gettext_lazy("texts"),
    "to": gettext_lazy("to"),
    "type": gettext_lazy("type"),
    "types": gettext_lazy("types"),
    "unit": gettext_lazy("unit"),
    "units": gettext_lazy("units"),
    "version": gettext_lazy("version"),
    "who": gettext_lazy("who"),
    "why": gettext_lazy("why"),
    # What an annotator reached against the key.
    "finished": gettext_lazy("finished"),
    "not finished": gettext_lazy("not finished"),
    "not passed": gettext_lazy("not passed"),
    "passed": gettext_lazy("passed"),
    # What differs between two releases: of an item, and of the choices.
    "label": gettext_lazy("label"),
    "gold spans": gettext_lazy("gold spans"),
    "split": gettext_lazy("split"),
    "wording of the question": gettext_lazy("wording of the question"),
    "adjudicated only": gettext_lazy("adjudicated only"),
    "agreement": gettext_lazy("agreement"),
    "authors": gettext_lazy("authors"),
    "citation": gettext_lazy("citation"),
    "comments": gettext_lazy("comments"),
    "contact": gettext_lazy("contact"),
    "edited questions": gettext_lazy("edited questions"),
    "exchange": gettext_lazy("other formats"),
    "guideline version": gettext_lazy("guideline version"),
    "jaccard": gettext_lazy("Jaccard index from which spans match"),
    "licence": gettext_lazy("licence"),
    "min cell": gettext_lazy("fewest items behind a figure"),
    "published": gettext_lazy("published"),
    "quoting questions": gettext_lazy("questions that quote texts"),
    "refined questions": gettext_lazy("refined questions"),
    "rounds": gettext_lazy("rounds"),
    "seed": gettext_lazy("seed"),
    "split by": gettext_lazy("split by"),
    "split names": gettext_lazy("names of splits"),
    "split sizes": gettext_lazy("split sizes"),
    "stand": gettext_lazy("they stand"),
    "votes": gettext_lazy("the votes decide"),
    "withheld": gettext_lazy("withheld"),
    # Why a figure was not compared with a second implementation.
    "krippendorff is not installed": gettext_lazy("krippendorff is not installed"),
    "no independent implementation at hand": gettext_lazy("no independent implementation at hand"),
    "no independent implementation at hand for items with different numbers of ratings": gettext_lazy(
        "no independent implementation at hand for items with different numbers of ratings"
    ),
    SUBSET_WHY: gettext_lazy(
        "statsmodels needs equally many ratings of every item: "
        "checked on the items with the most common number"
    ),
    "more than 20,000 pairs of spans are too many for rouge-score": gettext_lazy(
        "more than 20,000 pairs of spans are too many for rouge-score"
    ),
    "the program has changed since; compute the report again": gettext_lazy(
        "the program has changed since; compute the report again"
    ),
    "the judgements have changed since; compute the report again": gettext_lazy(
        "the judgements have changed since; compute the report again"
    ),
    "the table is too large for krippendorff": gettext_lazy("the table is too large for krippendorff"),
    # Why a question has no refined one.
    "it is empty": gettext_lazy("it is empty"),
    "it has line breaks or control characters": gettext_lazy("it has line breaks or control characters"),
    "its blank is not filled": gettext_lazy("its blank is not filled"),
    "it does not end with a question mark": gettext_lazy("it does not end with a question mark"),
    "it has no words": gettext_lazy("it has no words"),
    "it is more than one sentence": gettext_lazy("it is more than one sentence"),
    "it was cut off at the limit of tokens": gettext_lazy("it was cut off at the limit of tokens"),
    "the endpoint filtered it": gettext_lazy("the endpoint filtered it"),
    "the model declined": gettext_lazy("the model declined"),
    "it repeats the key of the endpoint": gettext_lazy("it repeats the key of the endpoint"),
    "the endpoint cannot be reached": gettext_lazy("the endpoint cannot be reached"),
    "the endpoint broke off its answer": gettext_lazy("the endpoint broke off its answer"),
    "the answer is longer than a megabyte": gettext_lazy("the answer is longer than a megabyte"),
    "the answer is not in the form of chat completions": gettext_lazy(
        "the answer is not in the form of chat completions"
    ),
    # Why work stopped.
    "The work stopped before it was done, and nothing was stored. Try again.": gettext_lazy(
        "The work stopped before it was done, and nothing was stored. Try again."
    ),
}


def said(text: str) -> str:
    """Return a stored word in the reader's language; what is no such word stays as it is."""
    return str(WORDS.get(text, text))
