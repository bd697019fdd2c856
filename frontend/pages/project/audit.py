"""The audit log of a project: who did what when, filtered, and as CSV."""

import csv
import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from django import forms
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.models import Membership, ProjectEvent
from core.csv_safety import made_safe
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, page_of, project_page, query_without_page


class AuditForm(forms.Form):
    who = forms.CharField(required=False)
    action = forms.CharField(required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)


@login_required
@require_GET
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    """List what was done, newest first."""
    member = lead_or_403(request, slug)
    events = member.project.events
    return project_page(
        request,
        "project/audit.html",
        member,
        tab="audit",
        page=page_of(request, events_asked(member, request.GET)),
        query=query_without_page(request),
        actions=list(events.order_by("action").values_list("action", flat=True).distinct()),
        people=list(
            member.project.memberships.filter(
                Exists(ProjectEvent.objects.filter(member=OuterRef("pk")))
            ).order_by("id")
        ),
        asked={key: request.GET.get(key, "") for key in ("who", "action", "since", "until")},
    )


@login_required
@require_GET
def audit_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Send the same events as CSV, row by row."""
    member = lead_or_403(request, slug)
    response = StreamingHttpResponse(
        _lines(events_asked(member, request.GET)), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{slug}-log.csv"'
    return response


def events_asked(member: Membership, asked: QueryDict) -> QuerySet[ProjectEvent]:
    """Return the project's events that the filters of an address leave; a wrong date filters nothing."""
    form = AuditForm(asked)
    form.is_valid()
    given = form.cleaned_data
    events = member.project.events.select_related("member").order_by("-id")
    if given.get("who"):
        events = events.filter(member__pseudonym=given["who"])
    if given.get("action"):
        events = events.filter(action=given["action"])
    since, until = given.get("since"), given.get("until")
    # Between moments: the date of each event would be computed by a function.
    if isinstance(since, date):
        events = events.filter(created_at__gte=_begin(since))
    if isinstance(until, date) and until < date.max:
        events = events.filter(created_at__lt=_begin(until + timedelta(days=1)))
    return events


def _begin(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


class _Echo:
    """A file that returns what is written, so that the writer's lines can be streamed."""

    def write(self, line: str) -> str:
        return line


def _lines(events: QuerySet[ProjectEvent]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    # Excel on Windows takes a file without the mark for another encoding.
    yield "\ufeff" + writer.writerow(["when", "who", "action", "details"])
    for event in events.iterator(chunk_size=1_000):
        details = json.dumps(event.details, ensure_ascii=False, sort_keys=True)
        who = event.member.pseudonym if event.member else ""
        yield writer.writerow(
            [event.created_at.isoformat(), made_safe(who), made_safe(event.action), made_safe(details)]
        )
