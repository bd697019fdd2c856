"""How everything is logged: a line a record, with the request's id, and never a text, address or token.

A message of an exception may quote what somebody wrote (a database names the values of a row that it
refuses), and an address may have a token in it. So a record says which kind of error it was and where in the
code, and of a request the route in place of the address.

See docs/decisions/running.md.
"""

import logging
import traceback
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that this thread is at, if any."""

Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def told_of(error: BaseException | None) -> str:
    """Return the places and kinds of an error and of what it came from, without the messages."""
    told: list[str] = []
    while error is not None and len(told) < 5:
        frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), lookup_lines=False)
        places = [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        told.append("\n".join([*places, f"{type(error).__module__}.{type(error).__qualname__}"]))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\nafter\n".join(told)


class Quiet(logging.Filter):
    """Adds the request's id, and takes out of records of Django and Celery what may quote somebody."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "request_id"):
            record.request_id = request_id.get()
        request = getattr(record, "request", None)
        if record.name == "django.request" and record.levelno < logging.ERROR:
            return False  # the access log has it
        if record.name.startswith("django.") and request is not None:
            # Django writes the address; its records carry the whole request, which nothing else needs.
            record.msg, record.args = "answered %s at %s", (_status(record), route_of(request))
            record.__dict__.pop("request")
        elif record.name.startswith("django.security"):
            record.msg, record.args = "refused: %s", (record.name.rpartition(".")[2],)
        elif record.name == "celery.app.trace" and record.exc_info:
            data = getattr(record, "data", None) or {}
            record.msg, record.args = "task %s failed", (data.get("name", ""),)
            for name in ("data", "exc", "traceback"):
                record.__dict__.pop(name, None)
        elif record.name.startswith("django.db.backends"):
            return False  # statements with their values, at level DEBUG
        return True


def _status(record: logging.LogRecord) -> Any:
    return getattr(record, "status_code", "")


def route_of(request: Any) -> str:
    """Return the pattern of the address that a request met; an unknown address says nothing of itself."""
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match is not None else "-"


class _Wordless(logging.Formatter):
    def formatException(self, ei: Any) -> str:
        return told_of(ei[1])


class LineFormatter(_Wordless):
    """One line for people."""


class JsonLineFormatter(_Wordless, JsonFormatter):
    """One JSON object a line, with what a record brings in `extra`."""

    def formatException(self, ei: Any) -> str:
        return told_of(ei[1])


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything to standard error, as `json` or as a `line`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"quiet": {"()": "config.logs.Quiet"}},
        "formatters": {
            "line": {
                "()": "config.logs.LineFormatter",
                "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
            },
            "json": {
                "()": "config.logs.JsonLineFormatter",
                "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s %(request_id)s",
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
            },
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": form, "filters": ["quiet"]},
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "propagate": True},
            "httpx2": {"level": "WARNING"},  # else each request to a language model is a line
            "httpcore2": {"level": "WARNING"},
        },
    }
