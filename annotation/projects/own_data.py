"""All that is stored of a person, as they may have it: a ZIP with each table as JSON and as CSV."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F

from annotation.models import (
    AnnotationEvent,
    Assignment,
    Comment,
    Invitation,
    Membership,
    ProjectEvent,
    QuestionAnnotation,
    Resolution,
    TypeAnnotation,
)
from annotation.signals import own_data_asked
from core.csv_safety import made_safe

README = """What Elenchus stores of you, as of when you asked for it.

Each table is here twice, as JSON and as CSV for a spreadsheet. Times are UTC.

account      your name, e-mail address and log-ins; the password is stored as a hash only
memberships  your projects with your pseudonym there, which is all that figures and releases ever show
judgements   what you say now about each unit, and which suggestion of a language model you saw before
decisions    each act by which you came to it, with the answer before and after
texts        which texts were given to you
comments     what you wrote in discussions
resolutions  what you decided as a lead
invitations  invitations that you accepted or made
log          what the logs of your projects say that you did
boards       boards on which you are in a team
submissions  systems that you handed in there
"""


def own_data_write(user: Any, target: IO[bytes]) -> None:
    """Write the ZIP of all that is stored of a user."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        tables: dict[str, Iterable[dict[str, Any]]] = {**own_tables(user)}
        for _, told in own_data_asked.send(sender=type(user), user=user):
            tables.update(cast(dict[str, Any], told))
        for name, rows in tables.items():
            found = list(rows)
            archive.writestr(
                f"{name}.json",
                json.dumps(found, ensure_ascii=False, indent=1, cls=DjangoJSONEncoder),
            )
            archive.writestr(f"{name}.csv", _csv(found))


def own_tables(user: Any) -> dict[str, Iterator[dict[str, Any]]]:
    """Return the rows that are about a user, by the name of their table."""
    members = Membership.objects.filter(user=user)
    unit = ("assignment__round__project__slug", "assignment__round__name", "assignment__item__external_id")
    answered = (
        *("cannot_judge", "comment", "unsure", "revision", "active_seconds", "decided_at"),
        *("suggestion_id", "suggestion_taken"),  # of those that were visible
    )
    of_type = TypeAnnotation.objects.filter(assignment__member__in=members).order_by("pk")
    of_question = QuestionAnnotation.objects.filter(assignment__member__in=members).order_by("pk")

    def judgements() -> Iterator[dict[str, Any]]:
        yield from _named(
            of_type.values(
                *(*unit, "type_code", "applicable", "start", "end", "quote", *answered),
                suggested_applicable=F("suggestion__applicable"),
                suggested_quote=F("suggestion__quote"),
            )
        )
        yield from _named(
            of_question.values(
                *(*unit, "question__text", "label", "reason", "edited_question", *answered),
                suggested_label=F("suggestion__label"),
            )
        )

    return {
        "account": _account(user),
        "memberships": _named(
            members.order_by("pk").values(
                *("project__slug", "project__name", "pseudonym", "is_lead", "is_annotator", "is_active"),
                *("background", "joined_at", "left_out_at"),
            )
        ),
        "judgements": judgements(),
        "decisions": _named(
            AnnotationEvent.objects.filter(member__in=members)
            .order_by("pk")
            .values(*unit, "type_code", "question__text", "before", "after", "revision", "created_at")
        ),
        "texts": _named(
            Assignment.objects.filter(member__in=members)
            .order_by("pk")
            .values(
                "round__project__slug",
                "round__name",
                "item__external_id",
                "position",
                "started_at",
                "judged_at",
            )
        ),
        "comments": _named(
            Comment.objects.filter(member__in=members)
            .order_by("pk")
            .values("round__project__slug", "round__name", "item__external_id", "act", "text", "created_at")
        ),
        "resolutions": _named(
            Resolution.objects.filter(member__in=members)
            .order_by("pk")
            .values(
                "item__project__slug",
                "item__external_id",
                "type_code",
                "label",
                "applicable",
                "why",
                "created_at",
            )
        ),
        "invitations": _named(
            (
                Invitation.objects.filter(used_by__in=members)
                | Invitation.objects.filter(invited_by__in=members)
            )
            .order_by("pk")
            .values("project__slug", "note", "is_lead", "is_annotator", "created_at", "used_at", "revoked_at")
        ),
        "log": _named(
            ProjectEvent.objects.filter(member__in=members)
            .order_by("pk")
            .values("project__slug", "action", "details", "created_at")
        ),
    }


def _account(user: Any) -> Iterator[dict[str, Any]]:
    yield {
        "user name": user.get_username(),
        "e-mail address": user.email,
        "first name": user.first_name,
        "last name": user.last_name,
        "made": user.date_joined,
        "last log-in": user.last_login,
    }


_SHORT = {"slug": "project", "external id": "item", "name": "round"}


def _named(rows: Any) -> Iterator[dict[str, Any]]:
    """Give each row the words that people know for its columns."""
    for row in rows.iterator():
        yield {_word(key): value for key, value in row.items()}


def _word(lookup: str) -> str:
    """Return a column's name in the files.

    >>> _word("assignment__round__name"), _word("item__external_id"), _word("created_at")
    ('round', 'item', 'created at')
    """
    if lookup == "project__name":
        return "project name"
    last = lookup.rsplit("__", 1)[-1].replace("_", " ")
    if "__" not in lookup:
        return last
    return "question" if lookup == "question__text" else _SHORT.get(last, last)


def _csv(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return "\ufeff" + stream.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, cls=DjangoJSONEncoder)
    return made_safe(value) if isinstance(value, str) else value
