"""The items of a project: find one, read it, withdraw it."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.access import readable
from annotation.items.correction import FIELDS, item_correct
from annotation.items.erasure import item_erase
from annotation.items.filtered import filtered_items, has_filtered, is_filtered
from annotation.items.search import items_with_words, topics_of
from annotation.items.withdrawal import item_restore, item_withdraw
from annotation.limits import characters
from annotation.models import Import, Item, Membership, Round
from annotation.tasks import find_stretches_or_send
from assist.models import FilteredItem
from core.errors import NotFound, Refused
from exports.models import Release
from exports.releases.take_down import releases_with
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import (
    PAGE_SIZE,
    lead_or_403,
    page_number,
    posted,
    project_page,
    query_without_page,
    uncounted_page_of,
)


@login_required
@require_GET
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """List the items, found by words of their id or text, by topic, or withdrawn or filtered ones."""
    member = lead_or_403(request, slug)
    # By the few imports that are done: a join would look at every item's import.
    done = list(member.project.imports.filter(state=Import.State.DONE).values_list("pk", flat=True))
    shown = member.project.items.filter(brought_by__in=done)
    words, topic = request.GET.get("q", "").strip(), request.GET.get("topic", "")
    find_stretches_or_send(member.project)  # before somebody looks for a word of one or two letters
    if topic:
        shown = shown.filter(topic=topic)
    if "withdrawn" in request.GET:
        shown = shown.filter(withdrawn_at__isnull=False)
    filtered = request.GET.get("filtered", "")
    if filtered in ("yes", "no"):
        shown = readable(shown, member, "pk")
        shown = (
            filtered_items(member.project, shown)
            if filtered == "yes"
            else shown.exclude(is_filtered(member.project))
        )
    if words:
        few = topic or "withdrawn" in request.GET or filtered == "yes"
        to_see = None if few else page_number(request) * PAGE_SIZE + 1  # one tells that there is a next page
        shown = items_with_words(member.project, shown, words, first=to_see)
    any_filtered = has_filtered(member.project)
    page = uncounted_page_of(request, shown.order_by("id"))
    # What a model said of a text stays hidden from a lead who judges it now.
    there = readable(member.project.items.filter(pk__in=[one.pk for one in page]), member, "pk")
    return project_page(
        request,
        "items/items.html",
        member,
        tab="items",
        page=page,
        query=query_without_page(request),
        topics=topics_of(member.project),
        words=words,
        topic=topic,
        withdrawn="withdrawn" in request.GET,
        filtered=filtered,
        any_filtered=any_filtered,
        marked=set(filtered_items(member.project, there).values_list("pk", flat=True))
        if any_filtered
        else set(),
        any_item=member.project.items.filter(brought_by__in=done).exists(),
    )


def _item(member: Membership, item_id: int) -> Item:
    found = member.project.items.filter(pk=item_id, brought_by__state=Import.State.DONE).first()
    if found is None:
        raise NotFound(gettext("There is no such item in this project."))
    return found


@login_required
@require_GET
def item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Show one item with all that is known of it."""
    member = lead_or_403(request, slug)
    found = _item(member, item_id)
    return project_page(
        request,
        "items/item.html",
        member,
        tab="items",
        item=found,
        filtered=readable(FilteredItem.objects.filter(item=found), member).select_related("run").first(),
        questions=found.questions.filter(brought_by__state=Import.State.DONE, candidate=False).order_by(
            "position"
        ),
        rounds=member.project.rounds.filter(round_items__item=found).exclude(claimed_for=Round.Work.DRAWING),
    )


class CorrectForm(forms.Form):
    topic = forms.CharField(
        required=False, max_length=characters("item", "topic"), label=gettext_lazy("Topic")
    )
    split = forms.CharField(
        required=False, max_length=characters("item", "split"), label=gettext_lazy("Split")
    )
    source = forms.CharField(
        required=False, max_length=characters("item", "source"), label=gettext_lazy("Source")
    )
    licence = forms.CharField(
        required=False, max_length=characters("item", "licence"), label=gettext_lazy("Licence")
    )


@login_required
@require_http_methods(["GET", "POST"])
def correct(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Correct what is said of an item beside its text."""
    member = lead_or_403(request, slug)
    found = _item(member, item_id)
    form = CorrectForm(posted(request), initial={field: getattr(found, field) for field in FIELDS})
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            if item_correct(item=found, member=member, given=form.cleaned_data):
                messages.success(
                    request, gettext("%(external_id)s is corrected.") % {"external_id": found.external_id}
                )
        return redirect("item", slug, item_id)
    effects = [
        gettext("Many at once: import the file again and choose to correct the items that are here."),
        gettext("What was said before stays in the log. Once a release has the item, nothing changes."),
    ]
    act = gettext("Correct %(external_id)s") % {"external_id": found.external_id}
    return _confirm(request, member, found, act, effects, form)


class WithdrawForm(forms.Form):
    why = forms.CharField(
        max_length=characters("item", "withdrawn_reason"),
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Why? The next release’s list of changes says it."),
    )


@login_required
@require_http_methods(["GET", "POST"])
def withdraw(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Say what withdrawing does, ask why, then withdraw."""
    member = lead_or_403(request, slug)
    found = _item(member, item_id)
    form = WithdrawForm(posted(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            item_withdraw(item=found, member=member, why=form.cleaned_data["why"])
            messages.success(
                request, gettext("%(external_id)s is withdrawn.") % {"external_id": found.external_id}
            )
        return redirect("item", slug, item_id)
    effects = [
        gettext("Annotators who have it no longer meet it, and no round can draw it."),
        gettext("It is left out of figures and releases made from now on; the next release names it."),
        gettext("What was judged about it stays stored, and you can restore it."),
    ]
    act = gettext("Withdraw %(external_id)s") % {"external_id": found.external_id}
    return _confirm(request, member, found, act, effects, form, danger=True)


class EraseForm(forms.Form):
    typed = forms.CharField(
        label=gettext_lazy("Type the item’s id to confirm"), max_length=characters("item", "external_id")
    )


@login_required
@require_http_methods(["GET", "POST"])
def erase(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Say what erasing a text does and which releases it takes down, then do it once its id is typed."""
    member = lead_or_403(request, slug)
    found = _item(member, item_id)
    form = EraseForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            item_erase(item=found, member=member, typed=form.cleaned_data["typed"])
        except Refused as refusal:
            form.add_error("typed", refusal.message)
        else:
            messages.success(
                request, gettext("%(external_id)s is erased.") % {"external_id": found.external_id}
            )
            return redirect("item", slug, item_id)
    standing = [release for release in releases_with(found) if release.taken_down_at is None]
    effects = [
        gettext(
            "Its text is gone for good, with everything that quotes it: spans, comments, questions about it."
        ),
        gettext("What was answered stays with its place in the text, so that figures still hold."),
        gettext("It is withdrawn: nobody meets it, and no new figure or release has it."),
        _taken_down(standing),
        gettext("Files that systems submitted for these releases are deleted; their scores stay.")
        if standing
        else "",
        gettext("The files it was imported from are deleted."),
        gettext("Nobody can take this back. Backups made before still hold it until they are deleted."),
    ]
    act = gettext("Erase %(external_id)s") % {"external_id": found.external_id}
    return _confirm(request, member, found, act, [one for one in effects if one], form, danger=True)


def _taken_down(standing: list[Release]) -> str:
    if not standing:
        return gettext("No release has it.")
    named = ", ".join(
        f"{release.version} ({gettext('public')})" if release.is_public else release.version
        for release in standing
    )
    return gettext(
        "These releases have it and lose all their files, and a public page is closed: %(releases)s. Copies "
        "that "
        "were downloaded stay with whoever has them. Build a new version afterwards: it leaves the text out."
    ) % {"releases": named}


def _confirm(
    request: HttpRequest,
    member: Membership,
    item: Item,
    act: str,
    effects: list[str],
    form: forms.Form,
    *,
    danger: bool = False,
) -> HttpResponse:
    """Show what an act will do to an item, with the form that it asks for and the button that does it."""
    return project_page(
        request,
        "confirm.html",
        member,
        tab="items",
        heading=act,
        effects=effects,
        act=act,
        danger=danger,
        back=reverse("item", args=[member.project.slug, item.pk]),
        form=form,
    )


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Bring a withdrawn item back."""
    member = lead_or_403(request, slug)
    found = _item(member, item_id)
    with refusals_as_notices(request):
        item_restore(item=found, member=member)
        messages.success(
            request, gettext("%(external_id)s is restored.") % {"external_id": found.external_id}
        )
    return redirect("item", slug, item_id)
