"""Versions of a board: what it ranks by, and the trivial rows that a worker computes for it.

A new release, method, threshold, scope or version of the arithmetic makes a new version, in which all stored
files are scored again; the older ones stay readable.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.models import Membership, Project, ProjectEvent, Protocol
from boards.figures.bits import Learnable, entropy, learnable, most_ahead, values_of_a_score
from boards.life.boards import board_create
from boards.models import Board, BoardVersion, Entry, Placing
from core.errors import NotFound, Refused
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, ClaimLost, Lease, requeue, sweep
from exports.models import Release
from scoring.evaluation.evaluate import ENGINE_VERSION, TextModel
from scoring.evaluation.faults import CannotScore
from scoring.evaluation.questions import MODEL_MISSING, Method
from scoring.evaluation.references import Benchmark
from scoring.evaluation.sources import benchmark_of_release
from scoring.evaluation.trivial_rows import (
    BEST_CONSTANT,
    MOST_FREQUENT,
    OTHER_REFERENCES,
    RANDOM_TYPES,
    trivial_rows,
)
from scoring.figures.trivial import random_answers
from scoring.reading.focus_answers import NO_SPAN
from scoring.systems.choices import Asked, model_parameters, read_choices
from scoring.systems.storage import release_files
from scoring.systems.text_models import model_wanted, span_parameters, text_model

logger = logging.getLogger(__name__)

RANKING = ("exact", "chrf", "sts")
"""Methods that give the same figures again wherever the files are scored."""
NO_OTHER_SPLIT = "no_other_split"


def version_create(*, board: Board, by: Membership | None = None, **ranking: Any) -> BoardVersion:
    """Rank by this from now on, as `ranking_checked` takes it; all stored files are queued to be scored so.

    Raises Refused where there is nothing to rank against, and where it would be the version there is.
    """
    row = ranking_checked(board.project, **ranking)
    now = version_now(board)
    if now is not None and all(getattr(now, name) == value for name, value in row.items() if name != "facts"):
        raise Refused("not_ready", gettext("The board ranks by just this already: nothing was changed."))
    try:
        with transaction.atomic():
            board_lock(board)
            made = _numbered(board, (now.number if now else 0) + 1, row, by)
    except IntegrityError:
        raise Refused(
            "taken", gettext("Somebody made a version of this board just now: look at it first.")
        ) from None
    return made


def board_set_up(
    *,
    project: Project,
    name: str,
    ranking: Mapping[str, Any],
    by: Membership | None = None,
    **settings: Any,
) -> BoardVersion:
    """Make a board with its first version, or neither. Raises Refused as the making of each does."""
    row = ranking_checked(project, **ranking)
    with transaction.atomic():
        return _numbered(board_create(project=project, name=name, by=by, **settings), 1, row, by)


def ranking_checked(
    project: Project,
    *,
    release: Release,
    split: str = "",
    methods: Sequence[str] = (),
    scope: str = "",
    replicates: int = 1000,
    seed: int = 1,
) -> dict[str, Any]:
    """Return what a version ranks by as it is stored. Raises Refused, one message a field."""
    refuse_archived(project)
    if release.project_id != project.pk or release.state != Release.State.DONE:
        raise _no_release()
    chosen, scope = _how(project, methods, scope, replicates, seed)
    try:
        benchmark = benchmark_of_release(release_files(release), [], split=split or None)
    except CannotScore as problem:
        raise _refused("split", str(problem)) from None
    return {
        "release": release,
        "split": benchmark.provenance.get("split") or "",
        "methods": [
            {"name": asked.method, "threshold": asked.threshold, "parameters": dict(asked.parameters)}
            for asked in chosen
        ],
        "scope": scope,
        "replicates": replicates,
        "seed": seed,
        "engine": ENGINE_VERSION,
        "facts": _facts(benchmark),
    }


def release_to_rank_by(project: Project, version: str) -> Release:
    """Return a built release by its version. Raises Refused."""
    found = project.releases.select_related("project").filter(version=version, state=Release.State.DONE)
    if (release := found.first()) is None:
        raise _no_release()
    return release


def ranking_of(version: BoardVersion | None) -> dict[str, Any]:
    """Return what a version ranks by as `ranking_checked` takes it; empty where there is none."""
    if version is None:
        return {}
    return {
        "release": version.release,
        "split": version.split,
        "methods": [] if version.scope else [str(method) for method in methods_of(version)],
        **{name: getattr(version, name) for name in ("scope", "replicates", "seed")},
    }


def board_lock(board: Board) -> None:
    """Keep entries and versions of a board apart until the transaction ends: each version has every entry."""
    Board.objects.select_for_update().get(pk=board.pk)


def version_now(board: Board) -> BoardVersion | None:
    """Return the version that a board ranks by."""
    return board.versions.select_related("release__project").order_by("-number").first()


def version_or_404(board: Board, number: int | None = None) -> BoardVersion:
    """Return a version of a board, the newest where no number is given. Raises NotFound."""
    rows = board.versions.select_related("release__project").order_by("-number")
    found = (rows.filter(number=number) if number is not None else rows).first()
    if found is None:
        raise NotFound(gettext("There is no such version of this board."))
    return found


def versions_of_older_engine() -> list[BoardVersion]:
    """Make a version of each open board that still ranks by an older version of the arithmetic, or model."""
    made = []
    boards = Board.objects.filter(state=Board.State.OPEN, project__archived_at__isnull=True)
    for board in boards.select_related("project"):
        now = version_now(board)
        if now is None or is_of_today(now):
            continue
        try:
            made.append(version_create(board=board, **ranking_of(now)))
        except Refused as refused:
            logger.warning("board %s keeps its version: %s", board, refused.code)
    return made


def methods_of(version: BoardVersion) -> list[Method]:
    """Return how a version scores; the first method ranks."""
    return [Method(one["name"], one["threshold"]) for one in version.methods]


def asked_of(version: BoardVersion) -> list[Asked]:
    """Return what each file is scored by in a version; a model is named as it was then."""
    how = (version.scope, version.replicates, version.seed)
    return [Asked(one["name"], one["threshold"], *how, one.get("parameters", {})) for one in version.methods]


def is_of_today(version: BoardVersion) -> bool:
    """Return whether a file scored now gets the figures of this version: by its arithmetic and models."""
    return version.engine == ENGINE_VERSION and all(
        asked.parameters == (span_parameters() if version.scope else model_parameters(asked.method))
        for asked in asked_of(version)
    )


def learnable_of(board: Board, version: BoardVersion) -> Learnable:
    """Return what one team could learn by this board as it is set."""
    facts = version.facts
    return learnable(
        board.feedback,
        items=facts["items"],
        entries=board.in_all,
        labels=facts["labels"],
        bits_a_label=facts["bits_a_label"],
        scope=version.scope,
        runs=board.most_runs,
        methods=len(version.methods),
    )


def ahead_of(board: Board, version: BoardVersion) -> float | None:
    """Return by how much a team's best may run ahead of fresh references, on average, by its scores.

    None for F1, which is no mean of answers.
    """
    if version.scope:
        return None
    answers = values_of_a_score(version.facts["items"]) - 1
    return most_ahead(learnable_of(board, version).scores, answers)


def version_run(*, version_id: int) -> bool:
    """Compute the trivial rows of a version if it can be claimed. Return whether this call did."""
    rows = BoardVersion.objects.filter(pk=version_id)
    lease = Lease.claim(rows)
    if lease is None:
        return False
    try:
        with lease.kept(), gc_relaxed():
            version = rows.select_related("release__project", "board__project").get()
            lease.finish(trivial=find_trivial_rows(version))
    except ClaimLost:
        return False
    except Exception as error:
        # Its words may hold what is withheld; leads find the kind of it on their page.
        logger.warning("version %s of a board failed: %s", version_id, type(error).__name__)
        lease.fail(type(error).__name__)
        return False
    return True


def version_again(*, version: BoardVersion) -> bool:
    """Have the trivial rows of a version computed that failed."""
    return requeue(BoardVersion.objects.filter(pk=version.pk).exclude(state="done"), lease_until=None)


def version_sweep() -> list[int]:
    """Return the versions to send to a worker again."""
    stopped = gettext("The worker stopped %(attempts)s times before it was done.") % {"attempts": ATTEMPTS}
    return sweep(BoardVersion.objects.all(), stopped=stopped).again


def find_trivial_rows(version: BoardVersion) -> list[dict[str, Any]]:
    """Return the figures of answers that know nothing of the text, by the method that ranks."""
    return [_trivial_row(version, row) for row in _scored_trivial(version, version.replicates)[1]]


def _trivial_row(version: BoardVersion, row: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": row["name"]}
    if row["name"] in (BEST_CONSTANT, MOST_FREQUENT):
        # Chosen by the split itself it would say something about what is withheld.
        if row["chosen_by"] in (None, version.split):
            return {**told, "reason": NO_OTHER_SPLIT}
        told["split"] = row["chosen_by"]
    if row["name"] == BEST_CONSTANT:
        told["types"] = row["answer"]
    if row["name"] in (RANDOM_TYPES, OTHER_REFERENCES):
        told["seed"] = version.seed
    figures = row["figures"]
    if figures is None:
        return {**told, "reason": row["reason"]}
    if version.scope:
        score, nae, labels = figures[version.scope]["micro"]["f1"], None, None
    else:
        score, nae, labels = figures["score"], figures["nae_share"]["value"], figures["labels"]
    return {
        **told,
        **{name: score[name] for name in ("value", "low", "high")},
        "items": version.facts["items"],
        "nae_share": nae,
        "labels": labels or {},
        "diversity": None,
    }


def row_of(scores: dict[str, Any]) -> dict[str, Any]:
    """Return what a row of a board has of the figures of one run."""
    figures = scores["evaluations"][0]["figures"]
    focus = scores["protocol"] == "focus"
    score = figures[scores["scope"]]["micro"]["f1"] if focus else figures["score"]
    found = {name: score[name] for name in ("value", "low", "high")}
    if focus:
        types = figures[scores["scope"]]["types"]
        return {
            **found,
            "items": scores["references"]["items"],
            "nae_share": None,
            "labels": {code: one["f1"]["value"] for code, one in types.items()},
            "diversity": None,
        }
    diversity = figures["diversity"]
    return {
        **found,
        "items": score["n"],
        "nae_share": figures["nae_share"]["value"],
        "labels": figures["labels"],
        "diversity": {
            "ngram_published": diversity["ngram_published"]["score"],
            "ngram_within": diversity["ngram_within"]["score"],
            "n": diversity["n"],
        },
    }


def find_trivial_files(version: BoardVersion, *, internal: bool) -> dict[str, bytes]:
    """Return trivial answers as files of systems, by their kind.

    Those that hold questions of a withheld split are left out unless `internal`; references of other items
    always are.
    """
    benchmark, rows = _scored_trivial(version, 0)
    withheld = version.release.parameters.get("withheld", ())
    found = {}
    for row in rows:
        if _trivial_row(version, row).get("reason") or row["name"] == OTHER_REFERENCES:
            continue
        if row["name"] == MOST_FREQUENT and row["chosen_by"] in withheld and not internal:
            continue
        answers = dict.fromkeys(benchmark.items, row["answer"])
        if row["name"] == RANDOM_TYPES:
            answers = random_answers(list(benchmark.items), types=benchmark.types, seed=version.seed)
        entries = {
            item: {"fsq_types": given, "spans": [NO_SPAN] * len(given)}
            if benchmark.is_focus
            else {"cqs": [{"id": number, "cq": text} for number, text in enumerate(given)]}
            for item, given in answers.items()
        }
        found[row["name"]] = json.dumps(entries, ensure_ascii=False).encode()
    return found


def _scored_trivial(version: BoardVersion, replicates: int) -> tuple[Benchmark, list[dict[str, Any]]]:
    benchmark = benchmark_of_release(release_files(version.release), [], split=version.split or None)
    method = methods_of(version)[0]
    model = _models(method).get(method.name)
    rows = trivial_rows(
        benchmark,
        method=method,
        encoder=model.table if model else None,
        scope="all" if version.scope == "all" else "decided",
        replicates=replicates,
        seed=version.seed,
    )
    return benchmark, rows


def _models(method: Method) -> dict[str, TextModel]:
    return (
        {method.name: text_model(method.name, model_wanted(method.name))}
        if method.name in MODEL_MISSING
        else {}
    )


def _numbered(board: Board, number: int, row: Mapping[str, Any], by: Membership | None) -> BoardVersion:
    """Store a version and queue every entry for it."""
    made = BoardVersion.objects.create(board=board, number=number, created_by=by, **row)
    entries = Entry.objects.filter(board=board).order_by("pk")
    Placing.objects.bulk_create(Placing(version=made, entry=entry) for entry in entries)
    ProjectEvent.objects.create(
        project=board.project,
        member=by,
        action="board version made",
        details={
            "board": board.name,
            "version": number,
            "release": made.release.version,
            "split": made.split,
            "methods": [str(method) for method in methods_of(made)],
        },
    )
    return made


def _how(
    project: Project, methods: Sequence[str], scope: str, replicates: int, seed: int
) -> tuple[list[Asked], str]:
    """Return what each file is scored by, and the scope. Raises Refused for what cannot rank."""
    given = [name.strip() for name in methods]
    if not given and project.protocol != Protocol.FOCUS:
        given = ["chrf"]
    chosen = read_choices(project, methods=given, scope=scope, replicates=replicates, seed=seed)
    if wrong := [asked.method for asked in chosen if asked.method not in RANKING]:
        words = gettext(
            "%(name)s cannot rank here: choose among %(names)s. What people said of a system is shown beside."
        )
        raise _refused("methods", words % {"name": wrong[0], "names": ", ".join(RANKING)})
    for asked in chosen:
        if asked.method in MODEL_MISSING and not model_wanted(asked.method):
            words = gettext("%(name)s needs a sentence encoder, and there is none: set %(setting)s.")
            raise _refused("methods", words % {"name": asked.method, "setting": "ELENCHUS_SENTENCE_ENCODER"})
    return chosen, chosen[0].scope


def _facts(benchmark: Benchmark) -> dict[str, Any]:
    """Count what there is to learn: of items, labels and how evenly these are spread."""
    if benchmark.is_focus:
        decisions = [
            decided
            for found in benchmark.arguments.values()
            for decided in found.decided.values()
            if decided is not None
        ]
        yes = sum(decisions)
        return {
            "items": len(benchmark.items),
            "labels": len(decisions),
            "bits_a_label": entropy([yes, len(decisions) - yes]),
        }
    labels = [one.label for found in benchmark.interventions.values() for one in found.questions]
    return {
        "items": sum(bool(found.questions) for found in benchmark.interventions.values()),
        "labels": len(labels),
        "bits_a_label": entropy([labels.count(label) for label in sorted(set(labels))]),
    }


def _refused(field: str, message: str) -> Refused:
    return Refused("invalid", message, errors={field: message})


def _no_release() -> Refused:
    return _refused("release", gettext("Choose a release of this project that is built."))
