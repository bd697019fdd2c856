"""What was handed in stays as it is and within the limits, and a version of a board never changes."""

from annotation.database.triggers import (
    ALWAYS,
    Trigger,
    changed,
    limit_triggers,
)
from annotation.limits import Limit

LIMITS = {
    "board": {
        "name": Limit(60, is_name=True),
        "title": Limit(200, is_name=True),
        "description": Limit(4_000),
    },
    "team": {"name": Limit(100, is_name=True)},
    "boardinvitation": {"note": Limit(200)},
    "entry": {
        "name": Limit(100, is_name=True),
        "line": Limit(200),
        "link": Limit(500),
        "hidden_reason": Limit(500),
    },
    "frontpage": {"text": Limit(4_000)},
}

_VERSION = (
    *("id", "board_id", "number", "release_id", "split", "methods", "scope", "replicates", "seed"),
    *("engine", "facts", "created_at"),
)
_ENTRY = (
    *("id", "board_id", "team_id", "version_id", "submission_id", "digest", "day"),
    *("trained_on_validation", "created_at"),
)
_WORTH = changed(("state", "entry_id", "version_id"), ("figures", "evaluation_id"))
_COUNTED = "SELECT COUNT(*) FROM boards_entry e WHERE e.team_id = NEW.team_id AND e.slot IS NOT NULL"

TRIGGERS = (
    *limit_triggers("boards", LIMITS),
    Trigger(
        "boardversion_fits",
        "boards_boardversion",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM exports_release r JOIN boards_board b ON b.project_id = r.project_id "
        "WHERE r.id = NEW.release_id AND b.id = NEW.board_id AND r.state = 'done')",
        "a version of a board is on a release of its project that is built",
    ),
    Trigger(
        "boardversion_sealed",
        "boards_boardversion",
        ("UPDATE",),
        changed(_VERSION),
        "a version of a board never changes: make another one",
    ),
    Trigger("boardversion_kept", "boards_boardversion", ("DELETE",), ALWAYS, "a version of a board stays"),
    Trigger(
        "teammember_fits",
        "boards_teammember",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM boards_team t WHERE t.id = NEW.team_id AND t.board_id = NEW.board_id)",
        "a person is in a team of the same board",
    ),
    Trigger(
        "entry_within_the_limits",
        "boards_entry",
        ("INSERT",),
        "NEW.slot IS NULL OR NEW.slot > (SELECT b.in_all FROM boards_board b WHERE b.id = NEW.board_id) "
        "OR NEW.day_slot > (SELECT b.per_day FROM boards_board b WHERE b.id = NEW.board_id) "
        f"OR ({_COUNTED}) >= (SELECT b.in_all FROM boards_board b WHERE b.id = NEW.board_id) "
        f"OR ({_COUNTED} AND e.day = NEW.day) >= "
        "(SELECT b.per_day FROM boards_board b WHERE b.id = NEW.board_id)",
        "a team hands in no more than its board takes",
    ),
    Trigger(
        "entry_fits",
        "boards_entry",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM boards_team t JOIN boards_board b ON b.id = t.board_id "
        "JOIN boards_boardversion v ON v.board_id = b.id "
        "JOIN scoring_submission s ON s.release_id = v.release_id "
        "WHERE t.id = NEW.team_id AND b.id = NEW.board_id AND v.id = NEW.version_id "
        "AND s.id = NEW.submission_id AND s.system_id = t.system_id AND b.state = 'open')",
        "an entry is files of its team for a version of its open board",
    ),
    Trigger(
        "entry_sealed",
        "boards_entry",
        ("UPDATE",),
        f"{changed(_ENTRY)} OR (NEW.slot IS NOT NULL AND ({changed((), ('slot', 'day_slot'))})) "
        "OR (OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS NULL)",
        "what was handed in stays as it is",
    ),
    Trigger("entry_kept", "boards_entry", ("DELETE",), ALWAYS, "an entry is never deleted: withdraw it"),
    Trigger(
        "placing_fits",
        "boards_placing",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM boards_entry e JOIN boards_boardversion v ON v.board_id = e.board_id "
        "WHERE e.id = NEW.entry_id AND v.id = NEW.version_id)",
        "an entry is placed in a version of its board",
    ),
    Trigger(
        "placing_sealed",
        "boards_placing",
        ("UPDATE",),
        f"OLD.state = 'done' AND ({_WORTH}"
        " OR (OLD.is_better IS NOT NULL AND (NEW.is_better IS NULL OR NEW.is_better <> OLD.is_better)))",
        "what an entry is worth is found once",
    ),
    Trigger(
        "placing_kept", "boards_placing", ("DELETE",), "OLD.state = 'done'", "what an entry is worth stays"
    ),
)
