"""Whether plain data is what its TypedDict says."""

import types
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict


def drift(value: Any, hint: Any, place: str = "report") -> list[str]:
    """Return where plain data is not what its TypedDict says, keys and types."""
    if get_origin(hint) is NotRequired:
        hint = get_args(hint)[0]
    if hint is Any:
        return []
    if is_typeddict(hint):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no object"]
        hints = get_type_hints(hint)
        # Where annotations are strings, Python does not see which keys are not required.
        said = get_type_hints(hint, include_extras=True)
        required = {key for key in hint.__required_keys__ if get_origin(said[key]) is not NotRequired}
        missing = [f"{place}.{key}: is missing" for key in sorted(required - set(value))]
        unknown = [f"{place}.{key}: is not declared" for key in sorted(set(value) - set(hints))]
        inside = [drift(value[key], hints[key], f"{place}.{key}") for key in hints if key in value]
        return [*missing, *unknown, *(found for each in inside for found in each)]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        each = [drift(value, choice, place) for choice in arguments]
        return min(each, key=len)
    if origin is dict:
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no object"]
        return [
            found for key, entry in value.items() for found in drift(entry, arguments[1], f"{place}.{key}")
        ]
    if origin is tuple:
        return [] if isinstance(value, tuple) else [f"{place}: {value!r} is no tuple"]
    if origin is list:
        if not isinstance(value, list):
            return [f"{place}: {value!r} is no list"]
        return [
            found for at, entry in enumerate(value) for found in drift(entry, arguments[0], f"{place}[{at}]")
        ]
    # Canonical JSON writes a whole number without its point.
    fits = isinstance(value, hint) or (hint is float and type(value) is int)
    return [] if fits else [f"{place}: {value!r} is no {hint.__name__}"]
