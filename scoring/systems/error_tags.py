"""A project's own words for kinds of errors, and which answers leads gave them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.limits import refuse_unfit
from annotation.models import Membership, Project, ProjectEvent
from core.errors import NotFound, Refused
from core.lookalikes import heard_as, seen_as
from scoring.models import Answer, ErrorTag, Submission, TaggedAnswer
from scoring.triggers import LIMITS

MOST_WORDS = 40

SUGGESTED = {
    "focus": (
        "words of its own instead of the text’s",
        "span too long",
        "span too short",
        "related type confused",
        "defensible, but nobody chose it",
        "misread the text",
    ),
    "cqs_gen": (
        "new, and no reference asks it",
        "same question in other words",
        "too general",
        "answered in the text",
        "misread the text",
    ),
}
"""Words to begin with; a project keeps those that it adds, and any others."""


def error_tag_add(*, project: Project, word: str, by: Membership | None = None) -> ErrorTag:
    """Add a word to the project's list, or return the one that looks like it."""
    refuse_archived(project)
    refuse_unfit(LIMITS["errortag"], word=word)
    word = seen_as(word)
    if not word:
        told = gettext("Give the kind of error a name.")
        raise Refused("invalid", told, errors={"word": told})
    there = project.error_tags.filter(word_key=heard_as(word)).first()
    if there is not None:
        return there
    if project.error_tags.count() >= MOST_WORDS:
        told = gettext("A project has at most %(n)s words for errors.") % {"n": MOST_WORDS}
        raise Refused("invalid", told, errors={"word": told})
    try:
        with transaction.atomic():
            tag = project.error_tags.create(word=word, word_key=heard_as(word), created_by=by)
            ProjectEvent.objects.create(
                project=project, member=by, action="error word added", details={"word": word}
            )
    except IntegrityError:
        return project.error_tags.get(word_key=heard_as(word))
    return tag


def answer_tag(*, answer: Answer, tags: Iterable[ErrorTag], by: Membership | None = None) -> None:
    """Have exactly these words stand on an answer, whatever stood there."""
    submission = answer.evaluation.submission
    refuse_archived(submission.system.project)
    place = {"submission": submission, "run": answer.run, "item": answer.item, "unit": answer.unit}
    wanted = {tag.pk: tag for tag in tags}
    with transaction.atomic():
        TaggedAnswer.objects.filter(**place).exclude(tag__in=wanted).delete()
        for tag in wanted.values():
            TaggedAnswer.objects.get_or_create(**place, tag=tag, defaults={"member": by})


def tag_or_404(project: Project, tag_id: int) -> ErrorTag:
    """Return a word of the project's list. Raises NotFound."""
    found = project.error_tags.filter(pk=tag_id).first()
    if found is None:
        raise NotFound(gettext("There is no such word in this project’s list."))
    return found


@dataclass(frozen=True, slots=True)
class TagShare:
    """How many of the tagged answers carry a word: `count` of `n`, an answer with two words once in each."""

    tag: ErrorTag
    count: int
    n: int

    @property
    def share(self) -> float:
        return self.count / self.n if self.n else 0.0


def tag_shares(submission: Submission, run: int) -> list[TagShare]:
    """Return the share of each word of the project's list among the tagged answers of a run."""
    tagged = TaggedAnswer.objects.filter(submission=submission, run=run)
    n = tagged.values("item", "unit").distinct().count()
    counts = dict(tagged.order_by().values_list("tag").annotate(n=Count("pk")))
    words = submission.system.project.error_tags.order_by("id")
    return [TagShare(tag, counts.get(tag.pk, 0), n) for tag in words]
