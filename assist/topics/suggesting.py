"""The life of suggested topics: asked for, found by a worker, named by a lead, applied or left.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from annotation.access import refuse_archived, visible_items
from annotation.items.correction import held_by
from annotation.limits import LIMITS, unfit
from annotation.models import Item, Membership, Project, ProjectEvent, RoundItem
from assist.models import TopicModel
from assist.topics.word_counts import LEAST, METHODS, MOST, NONE, TooFewWords, find_topics, is_installed
from core.errors import NotFound, Refused
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, CANCELLED, Lease, cancel, sweep
from core.texts import sentence

MOST_SEED = 2**32 - 1
"""The highest that scikit-learn takes."""

_BATCH = 500


def topics_request(
    *, project: Project, topics: int, seed: int = 1, method: str = "nmf", by: Membership | None = None
) -> TopicModel:
    """Ask for topics of all items that can be used. Raises Refused, one message a field."""
    refuse_archived(project)
    errors = {}
    if not LEAST <= topics <= MOST:
        errors["topics"] = gettext("Give a number from %(least)s to %(most)s.") % {
            "least": LEAST,
            "most": MOST,
        }
    if not 0 <= seed <= MOST_SEED:
        errors["seed"] = gettext("Give a whole number from 0 to %(most)s.") % {"most": MOST_SEED}
    if method not in METHODS:
        errors["method"] = gettext("The method is one of %(names)s.") % {"names": ", ".join(METHODS)}
    n_items = visible_items(project).count()
    if not errors and n_items < topics:
        errors["topics"] = ngettext(
            "There is %(n)s text: ask for fewer topics, or import texts first.",
            "There are %(n)s texts: ask for fewer topics, or import texts first.",
            n_items,
        ) % {"n": n_items}
    if errors:
        raise Refused("invalid", " ".join(errors.values()), errors=errors)
    if not is_installed():
        raise Refused(
            "unavailable",
            gettext(
                "scikit-learn is not installed, which finds topics. Whoever runs this installation types: "
                "pip install -r requirements-topics.txt"
            ),
        )
    try:
        with transaction.atomic():
            return TopicModel.objects.create(
                project=project, topics=topics, seed=seed, method=method, member=by
            )
    except IntegrityError:
        raise Refused(
            "taken", gettext("Topics are being looked for already: wait, or cancel that.")
        ) from None


@gc_relaxed()
def topics_compute(*, model_id: int) -> bool:
    """Find the topics that were asked for if they can be claimed. Return whether this call did."""
    rows = TopicModel.objects.filter(pk=model_id)
    lease = Lease.claim(rows)
    if lease is None:
        return False
    with lease.working(f"topics {model_id}"):
        model = rows.select_related("project").get()
        keys = list(visible_items(model.project).order_by("pk").values_list("pk", flat=True))
        language = model.project.languages.split(",")[0].strip().lower().partition("-")[0]
        try:
            found, placed = find_topics(
                _texts(keys), topics=model.topics, seed=model.seed, method=model.method, language=language
            )
        except TooFewWords:
            lease.fail(gettext("The texts have too few words in common for so many topics: ask for fewer."))
            return False
        lease.finish(
            result=[
                {"words": list(topic.words), "items": [keys[at] for at in topic.texts], "n": topic.n}
                for topic in found
            ],
            placed={"items": keys, "topics": placed},
        )
    return rows.filter(state="done").exists()


def topics_apply(*, model: TopicModel, names: Sequence[str], by: Membership | None = None) -> tuple[int, int]:
    """Make the named topics those of the items; return how many items changed, and how many could not.

    names : one a topic, "" for a topic that is left as it was; the same name for two makes them one

    What a round or a release has stays as it is: shares of a draw, types asked by topic and figures are of
    the topics that were there, and annotators see them. Raises Refused for names that do not fit.
    """
    refuse_archived(model.project)
    if model.state != TopicModel.State.DONE or model.placed is None or model.result is None:
        raise Refused("not_ready", gettext("The topics are not there yet."))
    names = [" ".join(name.split()) for name in names]
    errors = {
        f"name-{at}": sentence(problem)
        for at, name in enumerate(names)
        if name and (problem := unfit(name, LIMITS["item"]["topic"]))
    }
    if len(names) != model.topics:
        errors["names"] = gettext(
            "Give %(n)s names, one a topic; an empty one leaves its texts as they are."
        ) % {"n": model.topics}
    if not errors and not any(names):
        errors["names"] = gettext("Name at least one topic.")
    if errors:
        raise Refused("invalid", " ".join(errors.values()), errors=errors)
    named: dict[str, list[int]] = {}
    for key, topic in zip(model.placed["items"], model.placed["topics"], strict=True):
        if topic != NONE and names[topic]:
            named.setdefault(names[topic], []).append(key)
    changed = kept = 0
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=model.project_id)
        for name, keys in named.items():
            for batch in _batches(keys):
                held = {*held_by(model.project, batch), *_drawn(batch)}
                free = visible_items(model.project).filter(pk__in=[key for key in batch if key not in held])
                changed += free.exclude(topic=name).update(topic=name)
                kept += len(held)
        TopicModel.objects.filter(pk=model.pk).update(names=names, applied_at=timezone.now(), applied_by=by)
        ProjectEvent.objects.create(
            project=model.project,
            member=by,
            action="topics applied",
            details={"items": changed, "kept": kept, "topics": [name for name in names if name]},
        )
    model.refresh_from_db()
    return changed, kept


def topics_cancel(*, model: TopicModel) -> None:
    """Stop looking for topics. Raises Refused where that has ended."""
    if not cancel(TopicModel.objects.filter(pk=model.pk), lease_until=None):
        raise Refused("not_ready", gettext("The topics were found, or given up, already."))


def topics_newest(project: Project) -> TopicModel | None:
    """Return what was asked for last in a project, without where each item belongs."""
    rows = project.topic_models.exclude(state=CANCELLED).defer("placed")
    return rows.order_by("-pk").first()


def topics_or_404(project: Project, number: int) -> TopicModel:
    """Return one of a project's suggestions by its key. Raises NotFound."""
    found = project.topic_models.filter(pk=number).first()
    if found is None:
        raise NotFound(gettext("There are no such topics in this project."))
    return found


def topics_shown(model: TopicModel) -> list[dict[str, Any]]:
    """Return what a lead names topics by: words, texts of each, how many texts, and the name it was given."""
    result = model.result or []
    texts = _shown_texts(model.project.items.all(), [key for one in result for key in one["items"]])
    names = model.names or [""] * len(result)
    return [
        {
            "number": number,
            "words": one["words"],
            "n": one["n"],
            "texts": [texts[key] for key in one["items"] if key in texts],
            "name": name,
        }
        for number, (one, name) in enumerate(zip(result, names, strict=True), start=1)
    ]


def topics_sweep() -> list[int]:
    """Return the suggestions to send to a worker again; give up those that stopped several workers."""
    stopped = gettext("The worker stopped %(attempts)s times before it was done.") % {"attempts": ATTEMPTS}
    return sweep(TopicModel.objects.all(), stopped=stopped).again


def _drawn(keys: Sequence[int]) -> QuerySet[RoundItem, int]:
    return RoundItem.objects.filter(item__in=keys).order_by().values_list("item", flat=True)


def _texts(keys: Sequence[int]) -> Iterator[str]:
    for batch in _batches(keys):
        texts = dict(Item.objects.filter(pk__in=batch).values_list("pk", "text"))
        for key in batch:
            yield texts.get(key, "")


def _shown_texts(items: QuerySet[Item], keys: Iterable[int]) -> dict[int, dict[str, Any]]:
    rows = items.filter(pk__in=set(keys), withdrawn_at=None).values("pk", "external_id", "text")
    return {row["pk"]: dict(row) for row in rows}


def _batches(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), _BATCH):
        yield keys[start : start + _BATCH]
