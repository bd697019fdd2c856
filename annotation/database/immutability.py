"""Rules about what stays: judgements and events are kept, and what was judged stays as it was judged.

Triggers, since CHECK, UNIQUE and foreign keys see neither the row before nor the rows around it.
"""

from annotation.database.integrity import named
from annotation.database.triggers import ALWAYS, Trigger

# Nobody can judge in a draft round, nor in an imported one: what is there was staged by an import that has
# not finished. An imported round is open only while more is brought in.
_NOT_STAGING = "(r.status = 'closed' OR r.status = 'open' AND NOT r.imported)"
_ROUND_NOT_STAGING = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_round r ON r.id = a.round_id "
    f"WHERE a.id = OLD.assignment_id AND {_NOT_STAGING})"
)

KEEPING = (
    Trigger(
        "annotationevent_append_only",
        "annotation_annotationevent",
        ("UPDATE",),
        ALWAYS,
        "annotation events are append-only",
    ),
    Trigger(
        "annotationevent_kept",
        "annotation_annotationevent",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "annotation events are append-only",
    ),
    Trigger(
        "projectevent_append_only",
        "annotation_projectevent",
        ("UPDATE", "DELETE"),
        ALWAYS,
        "the audit log is append-only",
    ),
    Trigger(
        "typeannotation_kept",
        "annotation_typeannotation",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "judgements are never deleted: undo is a decision to undecided",
    ),
    Trigger(
        "questionannotation_kept",
        "annotation_questionannotation",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "judgements are never deleted: undo is a decision to undecided",
    ),
    *(
        Trigger(
            f"{kind}_stays",
            f"annotation_{kind}",
            ("UPDATE",),
            "NEW.assignment_id <> OLD.assignment_id",
            "a judgement stays with its assignment, which counts it",
        )
        for kind in ("typeannotation", "questionannotation")
    ),
    Trigger(
        "codebook_frozen_in_use",
        "annotation_codebook",
        ("UPDATE", "DELETE"),
        "EXISTS (SELECT 1 FROM annotation_round r WHERE r.codebook_id = OLD.id)",
        "a codebook that a round uses is immutable: publish the next version",
    ),
    Trigger(
        "item_text_frozen",
        "annotation_item",
        ("UPDATE",),
        "(NEW.text <> OLD.text OR NEW.external_id <> OLD.external_id OR NEW.project_id <> OLD.project_id) "
        "AND EXISTS (SELECT 1 FROM annotation_rounditem ri JOIN annotation_round r ON r.id = ri.round_id "
        "WHERE ri.item_id = OLD.id AND r.status <> 'draft')",
        "the text of an item is frozen once a round on it has opened",
    ),
    Trigger(
        "question_frozen",
        "annotation_question",
        ("UPDATE",),
        "(NEW.text <> OLD.text OR NEW.item_id <> OLD.item_id) "
        "AND EXISTS (SELECT 1 FROM annotation_roundquestion rq JOIN annotation_round r ON r.id = rq.round_id "
        "WHERE rq.question_id = OLD.id AND r.status <> 'draft')",
        "a question is frozen once a round on it has opened",
    ),
    Trigger(
        "round_codebook_frozen",
        "annotation_round",
        ("UPDATE",),
        "OLD.status <> 'draft' "
        "AND (NEW.codebook_id <> OLD.codebook_id OR COALESCE(NEW.types, '') <> COALESCE(OLD.types, '') "
        "OR NEW.asked <> OLD.asked OR NEW.status = 'draft')",
        "an opened round keeps its codebook and types, and never becomes a draft again",
    ),
    Trigger(
        "rounditem_frozen",
        "annotation_rounditem",
        ("UPDATE", "DELETE"),
        f"EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND {_NOT_STAGING})",
        "the items of a round are frozen when it opens",
    ),
    Trigger(
        "roundquestion_frozen",
        "annotation_roundquestion",
        ("UPDATE", "DELETE"),
        f"EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND {_NOT_STAGING})",
        "the questions of a round are frozen when it opens",
    ),
    Trigger(
        "keyanswer_frozen",
        "annotation_keyanswer",
        ("UPDATE", "DELETE"),
        "EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND r.status <> 'draft')",
        "the key of a training round is frozen when it opens",
    ),
    Trigger(
        "assignment_keeps_judged_types",
        "annotation_assignment",
        ("UPDATE",),
        "NEW.types IS NOT NULL AND EXISTS (SELECT 1 FROM annotation_typeannotation t "
        "WHERE t.assignment_id = OLD.id AND (t.applicable IS NOT NULL OR t.cannot_judge) "
        f"AND NOT ({named('NEW.types', 't.type_code')}))",
        "a type that is judged stays with whom judged it",
    ),
)
