"""What the pages of a project share: who asks, the frame around the page, and paging."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from annotation import access
from annotation.models import Membership
from core.errors import Refused

PAGE_SIZE = 50

LARGEST_KEY = 18
"""Digits of the largest primary key that every database can be asked for."""


def lead_or_403(request: HttpRequest, slug: str) -> Membership:
    """Return the asking lead; outsiders meet 404, annotators 403."""
    member = access.member_or_404(request.user, slug)
    access.require_lead(member)
    return member


def project_page(
    request: HttpRequest, template: str, member: Membership, *, status: int = 200, **context: Any
) -> HttpResponse:
    """Render a page inside the project's frame, which needs `member` and `project`."""
    return render(
        request,
        f"frontend/{template}",
        {"member": member, "project": member.project, **context},
        status=status,
    )


def show_refusal(refusal: Refused, *all_forms: forms.Form) -> None:
    """Put what was refused beside its fields, where these say nothing yet, and the rest above.

    A form that asks for something under another name says so in `asked_as`: the name of its field by what
    the refusal calls it.
    """
    shown, above = False, []
    silent = [(form, form.fields.keys() - form.errors.keys()) for form in all_forms]
    for name, words in refusal.errors.items():
        asked = False
        for form, fields in silent:
            field = getattr(form, "asked_as", {}).get(name, name)
            asked = asked or field in form.fields
            if field in fields:
                form.add_error(field, words)
        shown = shown or asked
        if not asked:
            above.append(words)
    for words in above if shown else [refusal.message]:
        all_forms[0].add_error(None, words)


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what a form was sent with, empty or not; None where the page is only looked at."""
    return request.POST if request.method == "POST" else None


def number_in(text: str | None) -> int:
    """Return the number that an address gives, 0 where it gives none."""
    return int(text[:9]) if text and text.isdecimal() else 0


if TYPE_CHECKING:
    ModelMultipleChoiceField = forms.ModelMultipleChoiceField[Any]
else:
    ModelMultipleChoiceField = forms.ModelMultipleChoiceField


class ChosenField(ModelMultipleChoiceField):
    """Rows chosen by their keys; a number larger than any key is no choice, and no failure of SQLite's."""

    def clean(self, value: Any) -> Any:
        too_large = next((key for key in value or () if len(str(key)) > LARGEST_KEY), None)
        if too_large is not None:
            raise forms.ValidationError(
                self.error_messages["invalid_choice"], code="invalid_choice", params={"value": too_large}
            )
        return super().clean(value)


def page_of(
    request: HttpRequest, rows: QuerySet[Any, Any] | Sequence[Any], size: int = PAGE_SIZE
) -> "Page[Any]":
    """Return the page of rows that ?page= asks for; a wrong number gives the nearest page."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def in_order(keys: Sequence[int], rows: QuerySet[Any]) -> list[Any]:
    """Return the rows of these primary keys in the order of the keys, for pages found by their keys alone.

    The database passes over the pages before in an index, and reads wide rows, and what is joined to them,
    for the one page.
    """
    found = rows.in_bulk(keys)
    return [found[key] for key in keys if key in found]


class UncountedPage(list[Any]):
    """Rows of one page of a list too long to be counted: a list that knows whether there are more."""

    def __init__(self, rows: list[Any], number: int, more: bool, size: int) -> None:
        super().__init__(rows)
        self.number, self.more, self.size = number, more, size

    @property
    def has_previous(self) -> bool:
        return self.number > 1

    @property
    def has_next(self) -> bool:
        return self.more

    @property
    def start_index(self) -> int:
        return (self.number - 1) * self.size + 1

    @property
    def end_index(self) -> int:
        return (self.number - 1) * self.size + len(self)

    @property
    def previous_page_number(self) -> int:
        return self.number - 1

    @property
    def next_page_number(self) -> int:
        return self.number + 1


def page_number(request: HttpRequest) -> int:
    """Return the number of the page that ?page= asks for of a list that is not counted."""
    asked = request.GET.get("page", "")
    return max(1, int(asked[:7])) if asked.isdecimal() else 1


def uncounted_page_of(request: HttpRequest, rows: QuerySet[Any, Any], size: int = PAGE_SIZE) -> UncountedPage:
    """Return the page that ?page= asks for without counting all rows, which large lists have no time for."""
    number = page_number(request)
    keys = list(rows.values_list("pk", flat=True)[(number - 1) * size : number * size + 1])
    return UncountedPage(in_order(keys[:size], rows.model.objects.all()), number, len(keys) > size, size)


def query_without_page(request: HttpRequest) -> str:
    """Return the address's filters, for links to other pages of the same list."""
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()
