"""One JSON shape for everything that an API refuses: code, message, and errors or row where they help."""

import errno
import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404
from django.utils.translation import gettext
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError
from rest_framework import exceptions, serializers, status
from rest_framework.response import Response

from core.errors import Refused

logger = logging.getLogger(__name__)

STATUS = {
    "not_found": status.HTTP_404_NOT_FOUND,
    "not_allowed": status.HTTP_403_FORBIDDEN,
    "stale_revision": status.HTTP_409_CONFLICT,
    "event_id_reused": status.HTTP_409_CONFLICT,
    "round_not_open": status.HTTP_409_CONFLICT,
    "round_paused": status.HTTP_409_CONFLICT,
    "round_not_draft": status.HTTP_409_CONFLICT,
    "round_not_closed": status.HTTP_409_CONFLICT,
    "locked": status.HTTP_409_CONFLICT,
    "not_ready": status.HTTP_409_CONFLICT,
    "taken_down": status.HTTP_410_GONE,
    "damaged": status.HTTP_503_SERVICE_UNAVAILABLE,
    "unavailable": status.HTTP_503_SERVICE_UNAVAILABLE,
    "taken": status.HTTP_409_CONFLICT,
}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what the use cases and REST framework raise into the one shape."""
    # Not above: its views look for the parser below as they are imported.
    from rest_framework import views

    if isinstance(error, Refused):
        return Response(
            refusal_body(error), status=STATUS.get(error.code, status.HTTP_422_UNPROCESSABLE_ENTITY)
        )
    if isinstance(error, exceptions.ValidationError):
        body = {
            "code": "invalid",
            "message": gettext("Some fields are not as the API expects them; nothing was stored."),
            "errors": _flat(error.detail),
        }
        return Response(body, status=status.HTTP_422_UNPROCESSABLE_ENTITY)
    if isinstance(error, RequestDataTooBig):
        message = gettext("The request is larger than %(n)s MB.") % {
            "n": f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE / 2**20:g}"
        }
        body = {"code": "too_large", "message": message}
        return Response(body, status=status.HTTP_413_REQUEST_ENTITY_TOO_LARGE)
    response = views.exception_handler(error, context)
    if response is None and is_unavailable(error):
        logger.error("%s while answering the API", type(error).__name__, exc_info=error)
        views.set_rollback()
        return Response(
            unavailable_body(), status=status.HTTP_503_SERVICE_UNAVAILABLE, headers={"Retry-After": "30"}
        )
    if response is None:
        return None
    # Session authentication answers 403 where nobody is logged in: the code lets the outbox open the log-in.
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        response.data = {
            "code": "not_authenticated",
            "message": gettext("You are not logged in. Log in and try again."),
        }
    elif isinstance(error, exceptions.PermissionDenied) and str(error.detail).startswith("CSRF"):
        response.data = {
            "code": "csrf_failed",
            "message": gettext("The page is out of date. Reload it and try again."),
        }
    elif isinstance(error, Http404):
        response.data = {"code": "not_found", "message": gettext("There is nothing at this address.")}
    elif isinstance(error, PermissionDenied | exceptions.PermissionDenied):
        response.data = {"code": "not_allowed", "message": gettext("You may not do this here.")}
    elif isinstance(error, exceptions.APIException):
        response.data = {"code": error.default_code, "message": str(error.detail)}
    return response


def is_unavailable(error: BaseException | None) -> bool:
    """Whether something that is needed does not answer now: the database, Redis, or a disk that is full."""
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    broker = isinstance(error, RedisError | BrokerError)
    return full or broker or isinstance(error, OperationalError | InterfaceError)


def unavailable_body() -> dict[str, str]:
    """Return what programs are told while the database does not answer or the disk is full."""
    told = gettext("The database does not answer, or the disk is full: nothing was stored. Try again later.")
    return {"code": "unavailable", "message": told}


def many_downloads_body() -> dict[str, str]:
    """Return what programs are told while as many downloads are being sent as may be."""
    told = gettext("So many downloads are being sent that this one has to wait. Try again in a minute.")
    return {"code": "unavailable", "message": told}


def failed_body() -> dict[str, str]:
    """Return what programs are told where an error happened that nobody expected."""
    told = gettext("Something broke on our side, and what you asked for was not done.")
    return {"code": "failed", "message": told}


def refusal_body(error: Refused) -> dict[str, Any]:
    """Return the JSON that a refusal is answered with."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.errors:
        body["errors"] = error.errors
    if error.row is not None:
        body["row"] = error.row
    if error.member is not None:
        body["member"] = error.member
    return body


def _flat(detail: Any, prefix: str = "") -> dict[str, str]:
    """Return one message a field, nested fields by their dotted path."""
    if isinstance(detail, dict):
        flat: dict[str, str] = {}
        for field, inner in detail.items():
            flat.update(_flat(inner, f"{prefix}.{field}" if prefix else str(field)))
        return flat
    messages = detail if isinstance(detail, list) else [detail]
    return {prefix or "body": " ".join(str(message) for message in messages)}


class ExactCharField(serializers.CharField):
    """A text as it was sent: nothing trimmed, blanks allowed."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, allow_blank=True, **kwargs)


class RefusalSerializer(serializers.Serializer[Any]):
    """What every refused request is answered with."""

    code = serializers.CharField(help_text="A stable word for programs.")
    message = serializers.CharField(help_text="What to do, for a person.")
    errors = serializers.DictField(  # type: ignore[assignment]  # the field hides a property of the class
        child=serializers.CharField(), required=False
    )
    row = serializers.DictField(required=False, help_text="The stored judgement, with stale_revision.")
