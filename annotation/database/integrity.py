"""Rules about what belongs together: a judgement and its text, round and codebook, an item and its project.

Triggers, since a CHECK cannot look into another table.
"""

from annotation.database.erasure import ERASED_KEY
from annotation.database.matching import MATCHING
from annotation.database.triggers import Trigger


def named(types: str, code: str) -> str:
    """Return the condition that a column of type codes, apart by spaces, names a code."""
    return f"replace(' ' || {types} || ' ', ' ' || {code} || ' ', '') <> ' ' || {types} || ' '"


_NEW_NAMES = "length(NEW.types) - length(replace(NEW.types, ' ', '')) + 1"
"""How many codes NEW.types names: each must be found among the types that it may name."""

_CODE, _CODE_POSTGRESQL = "json_extract(t.value, '$.code')", "t->>'code'"
_TYPES, _TYPES_POSTGRESQL = (
    "json_each(c.definition, '$.types') t",
    "jsonb_array_elements(c.definition->'types') t",
)

TYPES_NAMED = "NEW.types IS NOT NULL"
"""Where most of the rules on types have something to say."""

ROUND_TYPES = (
    "{names} <> (SELECT count(*) FROM annotation_codebook c, {types} "
    "WHERE c.id = NEW.codebook_id AND {named})"
)

# To read the codebook's JSON takes long for thousands of rows, most of which name what another row names that
# was looked at already.
_TYPES_OF_ROUND = (
    "NOT EXISTS (SELECT 1 FROM annotation_rounditem o WHERE o.round_id = NEW.round_id AND {seen} "
    "AND o.types = NEW.types) "
    "AND {{names}} <> (SELECT count(*) FROM annotation_round r "
    "JOIN annotation_codebook c ON c.id = r.codebook_id, {{types}} "
    "WHERE r.id = NEW.round_id AND {{named}} AND (r.types IS NULL OR {{of_round}}))"
)

ASSIGNMENT_TYPES = _TYPES_OF_ROUND.format(seen="o.item_id = NEW.item_id")

ITEM_TYPES = _TYPES_OF_ROUND.format(seen="o.types IS NOT NULL")

_STRAY = (
    "EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_codebook c ON c.id = r.codebook_id, {{types}} "
    "WHERE r.id = {round} AND {within} AND NOT ({among}))"
)
"""A type that one text of codes names and another does not."""


def _stray(round: str, within: str, among: str) -> str:
    code = "({code})"
    return _STRAY.format(round=round, within=named(within, code), among=named(among, code))


ASSIGNMENT_BEYOND_ITEM = (
    "EXISTS (SELECT 1 FROM annotation_rounditem ri WHERE ri.round_id = NEW.round_id "
    "AND ri.item_id = NEW.item_id AND ri.types IS NOT NULL AND (NEW.types IS NULL OR NEW.types <> ri.types "
    f"AND {_stray('ri.round_id', 'NEW.types', 'ri.types')}))"
)

ITEM_WITHOUT_ASSIGNED = (
    "EXISTS (SELECT 1 FROM annotation_assignment a "
    "WHERE a.round_id = NEW.round_id AND a.item_id = NEW.item_id AND (a.types IS NULL OR "
    f"{_stray('a.round_id', 'a.types', 'NEW.types')}))"
)

ROUND_WITHOUT_ASKED = (
    "EXISTS (SELECT 1 FROM annotation_rounditem ri WHERE ri.round_id = NEW.id AND ri.types IS NOT NULL AND "
    f"{_stray('NEW.id', 'ri.types', 'NEW.types')})"
)

TYPE_ASKED = (
    f"CASE WHEN a.types IS NOT NULL THEN {named('a.types', 'NEW.type_code')} "
    f"WHEN r.types IS NOT NULL THEN {named('r.types', 'NEW.type_code')} ELSE 1 = 1 END"
)


def types_condition(condition: str, *, postgresql: bool = False) -> str:
    """Return one of the conditions above in the SQL of SQLite or PostgreSQL."""
    code, types = (_CODE_POSTGRESQL, _TYPES_POSTGRESQL) if postgresql else (_CODE, _TYPES)
    return condition.format(
        names=_NEW_NAMES,
        types=types,
        code=code,
        named=named("NEW.types", f"({code})"),
        of_round=named("r.types", f"({code})"),
    )


_CODEBOOK_OF_ASSIGNMENT = (
    "FROM annotation_assignment a JOIN annotation_round r ON r.id = a.round_id "
    "JOIN annotation_codebook c ON c.id = r.codebook_id"
)

_ASSIGNMENT_UNFIT = (
    "NOT EXISTS (SELECT 1 FROM annotation_rounditem ri JOIN annotation_round r ON r.id = ri.round_id "
    "JOIN annotation_membership m ON m.project_id = r.project_id "
    "WHERE ri.round_id = NEW.round_id AND ri.item_id = NEW.item_id AND m.id = NEW.member_id "
    "AND m.is_annotator)"
)

_TYPES_CHANGED = (
    "NEW.round_id <> OLD.round_id OR NEW.item_id <> OLD.item_id "
    "OR COALESCE(NEW.types, '') <> COALESCE(OLD.types, '')"
)

FITTING = (
    Trigger(
        "round_codebook_of_project",
        "annotation_round",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_codebook c "
        "WHERE c.id = NEW.codebook_id AND c.project_id = NEW.project_id)",
        "the codebook of a round belongs to its project",
    ),
    Trigger(
        "round_types_in_codebook",
        "annotation_round",
        ("INSERT", "UPDATE"),
        types_condition(ROUND_TYPES),
        "the types of a round are types of its codebook, each named once",
        condition_postgresql=types_condition(ROUND_TYPES, postgresql=True),
        where=TYPES_NAMED,
    ),
    Trigger(
        "round_keeps_asked_types",
        "annotation_round",
        ("UPDATE",),
        types_condition(ROUND_WITHOUT_ASKED),
        "a round asks every type that one of its items is asked",
        condition_postgresql=types_condition(ROUND_WITHOUT_ASKED, postgresql=True),
        where=f"{TYPES_NAMED} AND COALESCE(OLD.types, '') <> NEW.types",
    ),
    Trigger(
        "rounditem_types_of_round",
        "annotation_rounditem",
        ("INSERT", "UPDATE"),
        types_condition(ITEM_TYPES),
        "an item is asked types of its round, each named once",
        condition_postgresql=types_condition(ITEM_TYPES, postgresql=True),
        where=TYPES_NAMED,
    ),
    Trigger(
        "rounditem_types_assigned",
        "annotation_rounditem",
        ("INSERT", "UPDATE"),
        types_condition(ITEM_WITHOUT_ASSIGNED),
        "an item is asked every type that somebody is asked about it",
        condition_postgresql=types_condition(ITEM_WITHOUT_ASSIGNED, postgresql=True),
        where=TYPES_NAMED,
    ),
    Trigger(
        "rounditem_fits",
        "annotation_rounditem",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_item i ON i.project_id = r.project_id "
        "WHERE r.id = NEW.round_id AND i.id = NEW.item_id AND (r.status = 'draft' OR r.imported))",
        "items are drawn into a draft round of their own project",
    ),
    Trigger(
        "roundquestion_fits",
        "annotation_roundquestion",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_rounditem ri ON ri.round_id = r.id "
        "JOIN annotation_question q ON q.item_id = ri.item_id "
        "WHERE r.id = NEW.round_id AND q.id = NEW.question_id AND (r.status = 'draft' OR r.imported) "
        "AND q.candidate = r.matching)",
        "questions are drawn with their item into a draft round, candidates into a matching round alone",
    ),
    Trigger(
        "keyanswer_fits",
        "annotation_keyanswer",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_rounditem ri ON ri.round_id = r.id "
        "JOIN annotation_item i ON i.id = ri.item_id WHERE r.id = NEW.round_id AND i.id = NEW.item_id "
        "AND r.status = 'draft' AND r.purpose = 'training' "
        f"AND (r.types IS NULL OR {named('r.types', 'NEW.type_code')}) "
        f"AND (ri.types IS NULL OR {named('ri.types', 'NEW.type_code')}) "
        "AND CASE WHEN NEW.quote IS NULL THEN 1 = 1 "
        'WHEN NEW."end" <= NEW."start" THEN 1 = 0 '
        'ELSE substr(i.text, NEW."start" + 1, NEW."end" - NEW."start") = NEW.quote END)',
        "a key answers what a draft training round asks of its items, and quotes their text",
        erased_update=ERASED_KEY,
    ),
    Trigger(
        "suggestion_fits",
        "annotation_suggestion",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_rounditem ri ON ri.round_id = r.id "
        "JOIN annotation_item i ON i.id = ri.item_id WHERE r.id = NEW.round_id AND i.id = NEW.item_id "
        "AND r.status = 'draft' AND r.suggestions <> '' "
        "AND CASE WHEN NEW.question_id IS NOT NULL THEN EXISTS (SELECT 1 FROM annotation_roundquestion rq "
        "JOIN annotation_question q ON q.id = rq.question_id "
        "WHERE rq.round_id = r.id AND q.id = NEW.question_id AND q.item_id = NEW.item_id) "
        f"ELSE (r.types IS NULL OR {named('r.types', 'NEW.type_code')}) "
        f"AND (ri.types IS NULL OR {named('ri.types', 'NEW.type_code')}) END "
        "AND CASE WHEN NEW.quote IS NULL THEN 1 = 1 "
        'WHEN NEW."end" <= NEW."start" THEN 1 = 0 '
        'ELSE substr(i.text, NEW."start" + 1, NEW."end" - NEW."start") = NEW.quote END)',
        "a suggestion answers what a draft round with suggestions asks of its items, and quotes their text",
    ),
    *(
        Trigger(
            f"{kind}_suggestion_shown",
            f"annotation_{kind}",
            ("INSERT", "UPDATE"),
            "NOT EXISTS (SELECT 1 FROM annotation_suggestion s "
            "JOIN annotation_assignment a ON a.round_id = s.round_id AND a.item_id = s.item_id "
            f"WHERE s.id = NEW.suggestion_id AND a.id = NEW.assignment_id AND s.shown AND {same_unit} "
            f"AND (NOT NEW.suggestion_taken OR {same_answer}))",
            "a suggestion is one that the round shows for the unit, and what is taken is its answer",
            where="NEW.suggestion_id IS NOT NULL",
        )
        for kind, same_unit, same_answer in (
            (
                "typeannotation",
                "s.question_id IS NULL AND s.type_code = NEW.type_code",
                "COALESCE(NEW.applicable = s.applicable, 1 = 0)",
            ),
            (
                "questionannotation",
                "s.question_id = NEW.question_id",
                "COALESCE(NEW.label = s.label, 1 = 0)",
            ),
        )
    ),
    Trigger(
        "assignment_fits",
        "annotation_assignment",
        ("INSERT",),
        _ASSIGNMENT_UNFIT,
        "an assignment joins an annotator of the project and an item of the round",
    ),
    Trigger(
        "assignment_repeats_own",
        "annotation_assignment",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_round r "
        "ON r.id = a.round_id WHERE a.round_id = NEW.round_id AND a.item_id = NEW.item_id "
        "AND a.member_id = NEW.member_id AND NOT a.repeat AND a.position < NEW.position "
        "AND r.purpose <> 'training')",
        "a repeat comes after the first time the same member meets the item, in no training round",
        where="NEW.repeat",
    ),
    Trigger(
        "assignment_still_fits",
        "annotation_assignment",
        ("UPDATE",),
        _ASSIGNMENT_UNFIT,
        "an assignment joins an annotator of the project and an item of the round",
        where="NEW.round_id <> OLD.round_id OR NEW.item_id <> OLD.item_id OR NEW.member_id <> OLD.member_id",
    ),
    Trigger(
        "assignment_types_of_round",
        "annotation_assignment",
        ("INSERT", "UPDATE"),
        types_condition(ASSIGNMENT_TYPES),
        "an assignment asks types of its round, each named once",
        condition_postgresql=types_condition(ASSIGNMENT_TYPES, postgresql=True),
        where=TYPES_NAMED,
    ),
    *(
        Trigger(
            name,
            "annotation_assignment",
            (event,),
            types_condition(ASSIGNMENT_BEYOND_ITEM),
            "an assignment asks what its round asks of the item",
            condition_postgresql=types_condition(ASSIGNMENT_BEYOND_ITEM, postgresql=True),
            where=changed,
        )
        # Every judgement updates its assignment, which is counted there.
        for name, event, changed in (
            ("assignment_types_of_item", "INSERT", ""),
            ("assignment_types_still_of_item", "UPDATE", _TYPES_CHANGED),
        )
    ),
    Trigger(
        "typeannotation_fits",
        "annotation_typeannotation",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
        "WHERE a.id = NEW.assignment_id AND i.text_length = NEW.text_length AND CASE "
        'WHEN NEW.quote IS NULL THEN 1 = 1 WHEN NEW."end" <= NEW."start" THEN 1 = 0 '
        'ELSE substr(i.text, NEW."start" + 1, NEW."end" - NEW."start") = NEW.quote END)',
        "the quote is the text of the item between start and end",
    ),
    Trigger(
        "typeannotation_in_codebook",
        "annotation_typeannotation",
        ("INSERT", "UPDATE"),
        f"NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, json_each(c.definition, '$.types') t "
        "WHERE a.id = NEW.assignment_id AND json_extract(t.value, '$.code') = NEW.type_code "
        f"AND json_extract(t.value, '$.span') = NEW.span_required AND {TYPE_ASKED})",
        "the type is one that the assignment asks, and asks for a span as the codebook says",
        condition_postgresql=(
            f"NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, jsonb_array_elements(c.definition->'types') t "
            "WHERE a.id = NEW.assignment_id AND t->>'code' = NEW.type_code "
            f"AND (t->>'span')::boolean = NEW.span_required AND {TYPE_ASKED})"
        ),
    ),
    Trigger(
        "questionannotation_fits",
        "annotation_questionannotation",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_assignment a "
        "JOIN annotation_question q ON q.item_id = a.item_id "
        "JOIN annotation_roundquestion rq ON rq.question_id = q.id AND rq.round_id = a.round_id "
        "WHERE a.id = NEW.assignment_id AND q.id = NEW.question_id)",
        "the question is one that the round asks about the assigned item",
    ),
    Trigger(
        "questionannotation_reason_in_codebook",
        "annotation_questionannotation",
        ("INSERT", "UPDATE"),
        f"NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, "
        "json_each(c.definition, '$.reasons') t "
        "WHERE a.id = NEW.assignment_id AND json_extract(t.value, '$.code') = NEW.reason "
        "AND (NEW.edited_question = '' OR json_extract(t.value, '$.edited_question')))",
        "the reason is one of the codebook, and an edited question needs a reason that allows one",
        condition_postgresql=(
            f"NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, "
            "jsonb_array_elements(c.definition->'reasons') t "
            "WHERE a.id = NEW.assignment_id AND t->>'code' = NEW.reason "
            "AND (NEW.edited_question = '' OR (t->>'edited_question')::boolean))"
        ),
        where="NEW.reason <> ''",
    ),
    *(
        Trigger(
            f"{kind}_incomplete_imported",
            f"annotation_{kind}",
            ("INSERT", "UPDATE"),
            "NOT EXISTS (SELECT 1 FROM annotation_assignment a "
            "JOIN annotation_round r ON r.id = a.round_id WHERE a.id = NEW.assignment_id AND r.imported)",
            "an answer lacks the part that goes with it only in an imported round",
            where="NEW.incomplete",
        )
        for kind in ("typeannotation", "questionannotation")
    ),
    *MATCHING,
    Trigger(
        "resolution_fits",
        "annotation_resolution",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_question q "
        "WHERE q.id = NEW.question_id AND q.item_id = NEW.item_id)",
        "the question of a resolution belongs to its item",
        where="NEW.question_id IS NOT NULL",
    ),
)
