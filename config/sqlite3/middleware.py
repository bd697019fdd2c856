"""The order in which a web process answers people at work, where the database is SQLite.

See docs/decisions/running.md.
"""

import re
from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed, RequestDataTooBig
from django.db import connection
from django.http import HttpRequest, HttpResponse

from config.sqlite3.turns import Turns

ASKED = re.compile(r"/api/projects/[^/]+/rounds/\d+/(judgements|units)/")
"""What a person at work asks all the time: to save, and for the texts to come."""

PATIENCE = 0.1
"""Seconds after which a request does not wait for its turn any more: the one at work waits for something."""


def one_after_another(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer what annotators ask one after another, in the order in which it came.

    Threads that take Python from one another at each statement make a save take longer, and it keeps all
    others from writing meanwhile. With PostgreSQL a thread waits for its server, and this is left out.
    """
    if connection.vendor != "sqlite":
        raise MiddlewareNotUsed
    turns = Turns()

    def middleware(request: HttpRequest) -> HttpResponse:
        if not (ASKED.fullmatch(request.path_info) and _is_here(request)):
            return get_response(request)
        entered = turns.enter(PATIENCE)
        try:
            return get_response(request)
        finally:
            if entered:
                turns.leave()

    return middleware


def _is_here(request: HttpRequest) -> bool:
    """Read what is sent, however slowly it comes; return False of what is too much to be read."""
    try:
        _ = request.body
    except RequestDataTooBig:
        return False  # as the view says itself
    return True
