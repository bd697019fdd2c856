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

ASSIGNMENT_TYPES = (
    "NEW.types IS NOT NULL AND {names} <> (SELECT count(*) FROM annotation_round r "
    "JOIN annotation_codebook c ON c.id = r.codebook_id, {types} "
    "WHERE r.id = NEW.round_id AND {named} AND (r.types IS NULL OR {of_round}))"
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
        named=named("NEW.types", f"({code})"),
        of_round=named("r.types", f"({code})"),
    )
