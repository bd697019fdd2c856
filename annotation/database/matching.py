"""Rules about matching rounds: which references they offer, and that an answer picks one of these.

Triggers, since a CHECK cannot look into another table.
"""

from annotation.database.erasure import is_erased, only_blocks
from annotation.database.triggers import ALWAYS, Trigger

_LEFT_OUT = "annotation_referenceleftout"

_OPENED = (
    "EXISTS (SELECT 1 FROM annotation_matchreference m JOIN annotation_round r ON r.id = m.round_id "
    "WHERE m.id = OLD.reference_id AND r.status <> 'draft')"
)

MATCHING = (
    Trigger(
        "round_matches_questions",
        "annotation_round",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_project p "
        "WHERE p.id = NEW.project_id AND p.protocol = 'cqs_gen')",
        "only questions are matched with references",
        where="NEW.matching",
    ),
    Trigger(
        "round_stays_matching",
        "annotation_round",
        ("UPDATE",),
        "NEW.matching <> OLD.matching",
        "a round is a matching round from its beginning, or never",
    ),
    Trigger(
        "question_candidate_stays",
        "annotation_question",
        ("UPDATE",),
        "NEW.candidate <> OLD.candidate AND (NEW.candidate OR NOT EXISTS "
        "(SELECT 1 FROM annotation_roundquestion rq JOIN annotation_round r ON r.id = rq.round_id "
        "WHERE rq.question_id = OLD.id AND r.matching AND r.status = 'closed'))",
        "a candidate becomes a reference once its matching round is closed, and no question a candidate",
    ),
    Trigger(
        "matchreference_fits",
        "annotation_matchreference",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_rounditem ri ON ri.round_id = r.id "
        "WHERE r.id = NEW.round_id AND ri.item_id = NEW.item_id AND r.matching AND r.status = 'draft')",
        "references belong to the items of a draft matching round",
    ),
    Trigger(
        "matchreference_stays",
        "annotation_matchreference",
        ("UPDATE",),
        ALWAYS,
        "the references of a matching round are frozen",
        erased_update="NEW.round_id = OLD.round_id AND NEW.item_id = OLD.item_id AND NEW.place = OLD.place "
        f"AND {only_blocks('NEW.text')} AND {is_erased('item', 'OLD.item_id')}",
    ),
    Trigger(
        "matchreference_frozen",
        "annotation_matchreference",
        ("DELETE",),
        "EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND r.status <> 'draft')",
        "the references of a matching round are frozen when it opens",
    ),
    Trigger(
        "referenceleftout_fits",
        _LEFT_OUT,
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM annotation_matchreference m JOIN annotation_round r ON r.id = m.round_id "
        "JOIN annotation_roundquestion rq ON rq.round_id = r.id "
        "JOIN annotation_question q ON q.id = rq.question_id AND q.item_id = m.item_id "
        "WHERE m.id = NEW.reference_id AND q.id = NEW.question_id AND r.status = 'draft')",
        "a reference is left out for a question about its item in its draft round",
    ),
    Trigger(
        "referenceleftout_stays",
        _LEFT_OUT,
        ("UPDATE",),
        ALWAYS,
        "what a matching round leaves out is frozen",
    ),
    Trigger(
        "referenceleftout_frozen",
        _LEFT_OUT,
        ("DELETE",),
        _OPENED,
        "what a matching round leaves out is frozen when it opens",
    ),
    Trigger(
        "questionannotation_reference_offered",
        "annotation_questionannotation",
        ("INSERT", "UPDATE"),
        "(NOT EXISTS (SELECT 1 FROM annotation_assignment a "
        "JOIN annotation_matchreference m ON m.round_id = a.round_id AND m.item_id = a.item_id "
        "WHERE a.id = NEW.assignment_id AND m.id = NEW.reference_id) "
        f"OR EXISTS (SELECT 1 FROM {_LEFT_OUT} o "
        "WHERE o.reference_id = NEW.reference_id AND o.question_id = NEW.question_id))",
        "the reference is one that the round offers for the question",
        where="NEW.reference_id IS NOT NULL",
    ),
    Trigger(
        "resolution_reference_offered",
        "annotation_resolution",
        ("INSERT", "UPDATE"),
        "(NOT EXISTS (SELECT 1 FROM annotation_matchreference m "
        "JOIN annotation_roundquestion rq ON rq.round_id = m.round_id AND rq.question_id = NEW.question_id "
        "WHERE m.id = NEW.reference_id AND m.item_id = NEW.item_id) "
        f"OR EXISTS (SELECT 1 FROM {_LEFT_OUT} o "
        "WHERE o.reference_id = NEW.reference_id AND o.question_id = NEW.question_id))",
        "the reference is one that a round offers for the question",
        where="NEW.reference_id IS NOT NULL",
    ),
)
