"""What a system submitted stays as it is, and so does what came of scoring it: kept by the database."""

from annotation.database.erasure import is_erased
from annotation.database.triggers import (
    ALWAYS,
    Trigger,
    changed,
    limit_triggers,
)
from annotation.limits import Limit

LIMITS = {
    "system": {"name": Limit(200, is_name=True), "description": Limit(4_000), "link": Limit(500)},
    "submissionfile": {"name": Limit(255)},
    "errortag": {"word": Limit(80, is_name=True)},
}

_ASKED = (
    "id",
    "submission_id",
    "method",
    "scope",
    "replicates",
    "seed",
    "parameters",
    "parameters_digest",
    "engine",
    "release_digest",
    "created_at",
)
_DONE = ("state", "progress_done", "progress_total", "attempt", "attempts", "error", "reason", "enqueued_at")
_DONE_AND_MAY_BE_NULL = ("figures", "headline", "member_id", "lease_until", "finished_at", "unanswered_at")

_ITEM_ERASED = is_erased(
    "item",
    "(SELECT i.id FROM annotation_item i JOIN scoring_system s ON s.project_id = i.project_id "
    "JOIN scoring_submission u ON u.system_id = s.id JOIN scoring_evaluation e ON e.submission_id = u.id "
    "WHERE e.id = OLD.evaluation_id AND i.external_id = OLD.item)",
)
"""Answers name their item by its id in the release."""

TRIGGERS = (
    *limit_triggers("scoring", LIMITS),
    Trigger(
        "submission_sealed",
        "scoring_submission",
        ("UPDATE", "DELETE"),
        ALWAYS,
        "a submission is immutable: submit the files again",
    ),
    Trigger(
        "submissionfile_sealed",
        "scoring_submissionfile",
        ("UPDATE", "DELETE"),
        ALWAYS,
        "a submitted file is immutable: submit the files again",
    ),
    Trigger(
        "submission_fits",
        "scoring_submission",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM exports_release r JOIN scoring_system s ON s.project_id = r.project_id "
        "WHERE r.id = NEW.release_id AND s.id = NEW.system_id AND r.state = 'done')",
        "a submission is for a release of the project of its system that is built",
    ),
    Trigger(
        "evaluation_asked",
        "scoring_evaluation",
        ("UPDATE",),
        changed(_ASKED, ("threshold",)),
        "what an evaluation asked for never changes: ask for another one",
    ),
    Trigger(
        "evaluation_sealed",
        "scoring_evaluation",
        ("UPDATE",),
        f"OLD.state = 'done' AND ({changed(_DONE, _DONE_AND_MAY_BE_NULL)})",
        "an evaluation is done once: score again",
    ),
    Trigger(
        "evaluation_kept",
        "scoring_evaluation",
        ("DELETE",),
        "OLD.state = 'done'",
        "an evaluation is never deleted",
    ),
    Trigger(
        "answer_sealed",
        "scoring_answer",
        ("UPDATE",),
        ALWAYS,
        "a scored answer never changes",
    ),
    Trigger(
        "answer_kept",
        "scoring_answer",
        ("DELETE",),
        "EXISTS (SELECT 1 FROM scoring_evaluation e WHERE e.id = OLD.evaluation_id AND e.state = 'done')",
        "the answers of an evaluation that is done are never deleted",
        erased_delete=_ITEM_ERASED,
    ),
    Trigger(
        "answer_fits",
        "scoring_answer",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM scoring_evaluation e WHERE e.id = NEW.evaluation_id "
        "AND e.state = 'running')",
        "answers are stored while their evaluation runs",
    ),
    Trigger(
        "judgeanswer_sealed",
        "scoring_judgeanswer",
        ("UPDATE", "DELETE"),
        ALWAYS,
        "what a model answered is kept as it came",
        erased_delete=_ITEM_ERASED,
    ),
    Trigger(
        "judgeanswer_fits",
        "scoring_judgeanswer",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM scoring_evaluation e WHERE e.id = NEW.evaluation_id "
        "AND e.state = 'running')",
        "what a model answers is stored while its evaluation runs",
    ),
    Trigger(
        "matching_fits",
        "scoring_matching",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN exports_release e ON e.project_id = r.project_id "
        "WHERE r.id = NEW.round_id AND e.id = NEW.release_id AND r.matching AND r.status = 'draft')",
        "a matching is a draft matching round of the project of its release",
    ),
    Trigger("matching_stays", "scoring_matching", ("UPDATE",), ALWAYS, "a matching stays with its release"),
    Trigger(
        "candidate_fits",
        "scoring_candidate",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM annotation_roundquestion rq "
        "JOIN annotation_round r ON r.id = rq.round_id AND r.status = 'draft' "
        "JOIN scoring_matching m ON m.round_id = r.id "
        "JOIN scoring_submission s ON s.release_id = m.release_id "
        "WHERE rq.question_id = NEW.question_id AND s.id = NEW.submission_id)",
        "a candidate is asked in a draft matching round on the release of its submission",
    ),
    Trigger("candidate_stays", "scoring_candidate", ("UPDATE",), ALWAYS, "a candidate stays as it was made"),
    Trigger(
        "candidate_frozen",
        "scoring_candidate",
        ("DELETE",),
        "EXISTS (SELECT 1 FROM annotation_roundquestion rq JOIN annotation_round r ON r.id = rq.round_id "
        "WHERE rq.question_id = OLD.question_id AND r.status <> 'draft')",
        "where candidates are from is frozen when their round opens",
    ),
    Trigger(
        "taggedanswer_fits",
        "scoring_taggedanswer",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM scoring_errortag t JOIN scoring_system s ON s.project_id = t.project_id "
        "JOIN scoring_submission u ON u.system_id = s.id "
        "WHERE t.id = NEW.tag_id AND u.id = NEW.submission_id)",
        "a tag is a word of the project of its submission",
    ),
)
