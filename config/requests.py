"""What is noted of every request: a line of the access log with its id, and the counts of /metrics."""

import logging
import re
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import PermissionDenied
from django.db import Error
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from annotation.accounts import find_account
from config.logs import request_id, route_of
from operations.metrics import count_request

access = logging.getLogger("elenchus.access")
login = logging.getLogger("elenchus.login")

_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
_TOLD = ("slug", "number", "item_id", "upload_id", "system_id", "evaluation_id", "person_id", "version")
"""Parts of an address that name a thing and are no secret."""


def watch(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request an id, which its answer and all its log lines carry; log and count it at its end.

    A proxy's X-Request-ID is taken over, so that its log and ours can be read side by side.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        kept = given if _ID.fullmatch(given) else uuid.uuid4().hex
        mark = request_id.set(kept)
        began = time.monotonic()
        try:
            response = get_response(request)
            _note(request, response, time.monotonic() - began)
            response.headers["X-Request-ID"] = kept
            return response
        finally:
            request_id.reset(mark)

    return middleware


def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    match = request.resolver_match
    if match is None and response.status_code < 400:
        return  # a static file
    route = route_of(request)
    count_request(
        method=request.method or "",
        route=route,
        name=(match.url_name or "") if match else "",
        status=response.status_code,
        seconds=seconds,
    )
    named = {name: value for name, value in (match.kwargs if match else {}).items() if name in _TOLD}
    # The session was read already where there was one; nothing is asked of the database for a log line.
    user = getattr(request, "_cached_user", None)
    access.info(
        "%s %s %s",
        request.method,
        route,
        response.status_code,
        extra={
            "method": request.method,
            "route": route,
            "status": response.status_code,
            "milliseconds": round(seconds * 1000, 1),
            "user": getattr(user, "pk", None),
            "address": client_address(request),
            **{f"of_{name}": value for name, value in named.items()},
        },
    )


def client_address(request: HttpRequest) -> str:
    """Return the address of whoever asks, behind as many proxies as ELENCHUS_PROXIES says."""
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:
        return ""


@receiver(user_login_failed)
def login_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **sent: Any) -> None:
    """Log a failed log-in with the account's number: what was typed as a name may be a password."""
    typed = str(credentials.get("username") or credentials.get("email") or "")
    account = None
    with suppress(Error):
        account = find_account(typed)
    login.warning(
        "a log-in failed",
        extra={
            "user": account.pk if account else None,
            "address": client_address(request) if request else "",
        },
    )
