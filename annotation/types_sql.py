"""SQL conditions about the types that rounds and assignments ask, for the triggers on them."""


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

ROUND_TYPES = (
    "NEW.types IS NOT NULL AND {names} <> (SELECT count(*) FROM annotation_codebook c, {types} "
    "WHERE c.id = NEW.codebook_id AND {named})"
)

# To read the codebook's JSON takes long for thousands of rows, most of which name what another row names that
# was looked at already.
_TYPES_OF_ROUND = (
    "NEW.types IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_rounditem o "
    "WHERE o.round_id = NEW.round_id AND {seen} AND o.types = NEW.types) "
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
    "NEW.types IS NOT NULL AND EXISTS (SELECT 1 FROM annotation_assignment a "
    "WHERE a.round_id = NEW.round_id AND a.item_id = NEW.item_id AND (a.types IS NULL OR "
    f"{_stray('a.round_id', 'a.types', 'NEW.types')}))"
)

ROUND_WITHOUT_ASKED = (
    "NEW.types IS NOT NULL AND COALESCE(OLD.types, '') <> NEW.types AND EXISTS (SELECT 1 "
    "FROM annotation_rounditem ri WHERE ri.round_id = NEW.id AND ri.types IS NOT NULL AND "
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
