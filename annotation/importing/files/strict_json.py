"""JSON read strictly: a repeated name, NaN and Infinity are refused, they would be lost or fail later."""

from __future__ import annotations

import json
import re
from typing import Any

from django.utils.translation import gettext


class JSONProblem(ValueError):
    """What is wrong with a JSON text, with its place where that is known."""


class _Constant(Exception):
    """NaN or an infinite number, for which JSON has no word."""


_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)


def loads(text: str) -> Any:
    """Parse a JSON text. Raises JSONProblem."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        line = gettext("line %(lineno)s, ") % {"lineno": error.lineno} if "\n" in text else ""
        raise JSONProblem(
            gettext("%(line)scolumn %(colno)s: %(msg)s")
            % {"line": line, "colno": error.colno, "msg": error.msg}
        ) from None
    except RecursionError:
        raise JSONProblem(gettext("nested too deeply")) from None
    except _Constant as constant:
        raise JSONProblem(
            _place_of(str(constant), text) + gettext("%(constant)s is no JSON") % {"constant": constant}
        ) from None
    except JSONProblem:
        raise
    except ValueError:  # a whole number with more digits than Python converts
        raise JSONProblem(gettext("a whole number has more than 4,300 digits")) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        repeated = next(key for key in names if names.count(key) > 1)
        raise JSONProblem(
            gettext("the name %(repeated)s stands twice in one object") % {"repeated": repr(repeated)}
        )
    return found


def _refuse_constant(constant: str) -> None:
    raise _Constant(constant)


def _place_of(constant: str, text: str) -> str:
    """Return the words for where a constant first stands outside of the strings of a JSON text."""
    found = next((match for match in _STRING_OR_CONSTANT.finditer(text) if match[0] == constant), None)
    if found is None:
        return ""
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    where = gettext("line %(lineno)s, ") % {"lineno": line} if "\n" in text else ""
    return where + gettext("column %(colno)s: ") % {"colno": column}
