"""Rules about what stays: judgements and events are kept, and what was judged stays as it was judged.

Triggers, since CHECK, UNIQUE and foreign keys see neither the row before nor the rows around it.
"""

from annotation.database.erasure import ERASED_KEY, is_erased, only_blocks
from annotation.database.integrity import TYPES_NAMED, named
from annotation.database.triggers import ALWAYS, Trigger

# Nobody can judge in a draft round, nor in an imported one: what is there was staged by an import that has
# not finished. An imported round is open only while more is brought in.
_NOT_STAGING = "(r.status = 'closed' OR r.status = 'open' AND NOT r.imported)"
_ROUND_NOT_STAGING = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_round r ON r.id = a.round_id "
    f"WHERE a.id = OLD.assignment_id AND {_NOT_STAGING})"
)

_ITEM_OF_EVENT = "(SELECT a.item_id FROM annotation_assignment a WHERE a.id = OLD.assignment_id)"
_MEMBER_OF_JUDGEMENT = "(SELECT a.member_id FROM annotation_assignment a WHERE a.id = OLD.assignment_id)"
_EVENT_SAME_BUT_ANSWERS = (
    " AND ".join(
        f"NEW.{name} = OLD.{name}"
        for name in (
            *(
                "id",
                "member_id",
                "assignment_id",
                "type_code",
                "client_event_id",
                "payload_sha256",
                "revision",
            ),
            "created_at",
        )
    )
    + " AND COALESCE(NEW.question_id, 0) = COALESCE(OLD.question_id, 0)"
)

KEEPING = (
    Trigger(
        "annotationevent_append_only",
        "annotation_annotationevent",
        ("UPDATE",),
        ALWAYS,
        "annotation events are append-only",
        erased_update=f"{_EVENT_SAME_BUT_ANSWERS} AND {is_erased('item', _ITEM_OF_EVENT)}",
    ),
    Trigger(
        "annotationevent_kept",
        "annotation_annotationevent",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "annotation events are append-only",
        erased_delete=is_erased("person", "OLD.member_id"),
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
        erased_delete=is_erased("person", _MEMBER_OF_JUDGEMENT),
    ),
    Trigger(
        "questionannotation_kept",
        "annotation_questionannotation",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "judgements are never deleted: undo is a decision to undecided",
        erased_delete=is_erased("person", _MEMBER_OF_JUDGEMENT),
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
        erased_update="NEW.external_id = OLD.external_id AND NEW.project_id = OLD.project_id "
        f"AND {only_blocks('NEW.text')} AND {is_erased('item', 'OLD.id')}",
    ),
    Trigger(
        "question_frozen",
        "annotation_question",
        ("UPDATE",),
        "(NEW.text <> OLD.text OR NEW.item_id <> OLD.item_id) "
        "AND EXISTS (SELECT 1 FROM annotation_roundquestion rq JOIN annotation_round r ON r.id = rq.round_id "
        "WHERE rq.question_id = OLD.id AND r.status <> 'draft')",
        "a question is frozen once a round on it has opened",
        erased_update=f"NEW.item_id = OLD.item_id AND {only_blocks('NEW.text')} "
        f"AND {is_erased('item', 'OLD.item_id')}",
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
        "round_suggestions_frozen",
        "annotation_round",
        ("UPDATE",),
        "OLD.status <> 'draft' AND (NEW.suggestions <> OLD.suggestions "
        "OR COALESCE(NEW.suggestion_run, 0) <> COALESCE(OLD.suggestion_run, 0) "
        "OR NEW.suggestion_model <> OLD.suggestion_model)",
        "suggestions are switched on as a round opens, and never later",
    ),
    Trigger(
        "suggestion_stays",
        "annotation_suggestion",
        ("UPDATE",),
        ALWAYS,
        "a suggestion stays as it came",
        erased_update=f"{ERASED_KEY} AND NEW.shown = OLD.shown",
    ),
    Trigger(
        "suggestion_frozen",
        "annotation_suggestion",
        ("DELETE",),
        "EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND r.status <> 'draft')",
        "the suggestions of a round are frozen when it opens",
    ),
    *(
        Trigger(
            f"{kind}_suggestion_stays",
            f"annotation_{kind}",
            ("UPDATE",),
            "COALESCE(NEW.suggestion_id, 0) <> COALESCE(OLD.suggestion_id, 0)",
            "which suggestion was visible before the first input does not change",
        )
        for kind in ("typeannotation", "questionannotation")
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
        erased_update=ERASED_KEY,
    ),
    Trigger(
        "assignment_keeps_judged_types",
        "annotation_assignment",
        ("UPDATE",),
        "EXISTS (SELECT 1 FROM annotation_typeannotation t "
        "WHERE t.assignment_id = OLD.id AND (t.applicable IS NOT NULL OR t.cannot_judge) "
        f"AND NOT ({named('NEW.types', 't.type_code')}))",
        "a type that is judged stays with whom judged it",
        where=TYPES_NAMED,
    ),
)
