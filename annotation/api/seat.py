"""Who asks in the workspace: session, account and membership, read in one statement.

See docs/decisions/storage.md.
"""

from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework import serializers
from rest_framework.request import Request

from annotation import access
from annotation.api.projects import MemberView
from annotation.judging import prepared
from annotation.models import Membership

MOST_KNOWN = 10_000

_known: dict[str, int] = {}
"""Whose session it was when this process last saw it: a guess that the session itself has to confirm."""


@cache
def _checker(serializer_class: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    return serializer_class()


def checked(serializer_class: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    """Return the fields of a request as `validated` does, by one serializer for all of them.

    Copying the fields for each request takes longer than checking them. Only for serializers that keep
    nothing of what they check; what is refused is refused by one of its own, in its words.
    """
    try:
        found: dict[str, Any] = _checker(serializer_class).run_validation(data)
    except serializers.ValidationError:
        own = serializer_class(data=data)
        own.is_valid(raise_exception=True)
        found = own.validated_data
    return found


class SeatView(MemberView):
    """A view of the workspace: people log in as everywhere; what a right guess has read is not read again."""

    seated: Membership | None = None

    def perform_authentication(self, request: Request) -> None:
        found = request._request
        key = found.session.session_key
        self.seated = _seated(found.session, self.kwargs["slug"])
        if self.seated is not None:
            found._cached_user = self.seated.user  # type: ignore[attr-defined]  # where Django keeps it
        super().perform_authentication(request)
        if self.seated is None and key is not None and request.user.is_authenticated:
            if len(_known) >= MOST_KNOWN:
                _known.clear()
            _known[key] = request.user.pk

    def member(self, request: Request, slug: str, *, lead: bool = False) -> Membership:
        if self.seated is None or lead:
            return super().member(request, slug, lead=lead)
        access.refuse_deactivated(self.seated)
        return self.seated


def _seated(session: SessionBase, slug: str) -> Membership | None:
    """Return the membership of the person whose session it is; None where Django has to look for itself.

    It checks what `django.contrib.auth.get_user` checks. What fails here fails there as well, where the
    session is then ended.
    """
    key = session.session_key
    user_id = _known.get(key or "")
    if key is None or user_id is None or not isinstance(session, SessionStore):
        return None
    member = prepared.seat.one(session_key=key, user=user_id, slug=slug)
    if member is None:
        return None
    read = vars(member)  # with what stands beside it: empty where the session is gone
    if read["session_data"] is None or read["session_expires"] <= timezone.now():
        return None
    told = session.decode(read["session_data"])
    user = member.user
    if (
        user is None
        or not user.is_active
        or told.get(SESSION_KEY) != str(user.pk)
        or told.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS
        or not constant_time_compare(told.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    ):
        return None
    session._session_cache = told  # type: ignore[attr-defined]  # what loading it would set
    return member
