"""Never lose a decision: without a network, without a session, in two windows, after the round closed."""

import json

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import AnnotationEvent, Membership, TypeAnnotation
from annotation.rounds.lifecycle import round_close, round_pause, round_resume
from tests import factories
from tests.e2e.workspace import address, kept_offline, press, ready, saved, until


@pytest.fixture
def study(transactional_db):
    made = factories.study("focus", annotators=2, items=2)
    factories.open_round(made)
    return made


@pytest.fixture
def workspace(study, page, log_in):
    log_in(page, "ann", address(study.round))
    ready(page)
    return page


def answers():
    return {row.type_code: row.applicable for row in TypeAnnotation.objects.order_by("id")}


def test_without_a_network_work_goes_on_and_all_of_it_is_sent_afterwards(workspace, context):
    context.set_offline(True)
    press(workspace, "n n y ArrowRight Enter Backspace n")
    expect(workspace.locator("#ws-save-text")).to_have_text("Offline: 5 waiting")
    assert AnnotationEvent.objects.count() == 0
    context.set_offline(False)
    saved(workspace)
    assert answers() == {"OSP": False, "TC": False, "IE": False}
    assert list(AnnotationEvent.objects.order_by("id").values_list("type_code", "revision")) == [
        ("OSP", 1),
        ("TC", 1),
        ("IE", 1),
        ("IE", 2),
        ("IE", 3),
    ]


def test_waiting_decisions_survive_closing_the_window(workspace, context, study, live_server):
    context.set_offline(True)
    press(workspace, "n n")
    expect(workspace.locator("#ws-save-text")).to_have_text("Offline: 2 waiting")
    workspace.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(live_server.url + address(study.round))
    ready(again)
    expect(again.locator("#ws-type")).to_have_text("Implicit Existence")
    saved(again)
    assert answers() == {"OSP": False, "TC": False}


def test_leaving_with_waiting_decisions_warns(workspace, context):
    context.set_offline(True)
    press(workspace, "n")
    expect(workspace.locator("#ws-save-text")).to_have_text("Offline: 1 waiting")
    asked = []
    workspace.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    workspace.close(run_before_unload=True)
    context.set_offline(False)
    assert asked == ["beforeunload"]


@pytest.mark.browser_context_args(service_workers="block")  # a worker's requests pass by the route
def test_a_reply_that_got_lost_is_asked_for_again_and_nothing_is_stored_twice(workspace):
    lost = []

    def lose_the_first(route):
        response = route.fetch()
        if lost:
            route.fulfill(response=response)
        else:
            lost.append(json.loads(route.request.post_data)["event_id"])
            route.abort()

    workspace.route("**/judgements/", lose_the_first)
    press(workspace, "n")
    saved(workspace)
    assert list(AnnotationEvent.objects.values_list("client_event_id", flat=True)) == lost
    assert answers() == {"OSP": False}


def test_a_reload_without_a_network_shows_the_texts_and_keeps_what_is_decided(workspace, context, study):
    kept_offline(workspace)
    press(workspace, "n")
    saved(workspace)
    context.set_offline(True)
    press(workspace, "y ArrowRight Enter")
    expect(workspace.locator("#ws-save-text")).to_have_text("Offline: 1 waiting")
    workspace.on("dialog", lambda dialog: dialog.accept())
    workspace.reload()
    ready(workspace)
    expect(workspace.locator("#ws-text")).to_have_text(factories.ARGUMENTS[0])
    expect(workspace.locator("#ws-type")).to_have_text("Implicit Existence")
    press(workspace, "n")
    context.set_offline(False)
    saved(workspace)
    assert answers() == {"OSP": False, "TC": True, "IE": False}


def test_after_the_session_ended_the_log_in_opens_in_place_and_the_outbox_goes_on(workspace):
    Session.objects.all().delete()
    press(workspace, "n")
    expect(workspace.locator("#ws-login")).to_be_visible()
    workspace.fill("#ws-login-name", "ann")
    workspace.fill("#ws-login-password", "wrong")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-login-error")).to_contain_text("do not go together")
    workspace.fill("#ws-login-password", "secret")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-login")).to_be_hidden()
    saved(workspace)
    press(workspace, "n")
    saved(workspace)
    assert answers() == {"OSP": False, "TC": False}


def test_a_paused_round_keeps_the_decisions_and_sends_them_by_itself_when_it_goes_on(workspace, study):
    round_pause(study.round, by=study.lead)
    press(workspace, "n n y ArrowRight Enter")
    expect(workspace.locator("#ws-save-text")).to_have_text("Paused: 3 waiting")
    expect(workspace.locator("#ws-paused")).to_have_text(
        "The lead has paused this round. Your 3 decisions are kept here and are sent when it goes on."
    )
    expect(workspace.locator("#ws-refused")).to_be_hidden()
    workspace.on("dialog", lambda dialog: dialog.accept())
    workspace.reload()
    ready(workspace)
    expect(workspace.locator("#ws-save-text")).to_have_text("Paused: 3 waiting")
    assert answers() == {}
    round_resume(study.round, by=study.lead)
    expect(workspace.locator("#ws-save-text")).to_have_text("All saved")  # asked every 30 s
    expect(workspace.locator("#ws-paused")).to_be_hidden()
    assert answers() == {"OSP": False, "TC": False, "IE": True}


def test_who_opens_a_paused_round_is_told_before_the_first_decision(study, page, log_in):
    round_pause(study.round, by=study.lead)
    log_in(page, "ann", address(study.round))
    ready(page)
    expect(page.locator("#ws-paused")).to_have_text(
        "The lead has paused this round. What you decide is kept here and is sent when it goes on."
    )
    expect(page.locator("#ws-save-text")).to_have_text("All saved")


def test_another_persons_log_in_does_not_send_what_waits_here(workspace):
    Session.objects.all().delete()
    press(workspace, "n")
    workspace.fill("#ws-login-name", "bea")
    workspace.fill("#ws-login-password", "secret")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-login-error")).to_contain_text("another person's account")
    assert AnnotationEvent.objects.count() == 0
    workspace.fill("#ws-login-name", "ann")
    press(workspace, "Enter")
    saved(workspace)
    assert answers() == {"OSP": False}


def test_when_someone_else_logs_in_elsewhere_in_this_browser_nothing_is_sent_in_their_name(
    workspace, context, log_in
):
    other = context.new_page()
    log_in(other, "bea")
    expect(other.locator("body")).to_have_text("ok")
    press(workspace, "n")
    expect(workspace.locator("#ws-login-text")).to_have_text(
        "Log in again as ann (A2 in this project). Your 1 waiting decision is safe and is sent then."
    )
    expect(workspace.locator("#ws-login-title")).to_have_text("Somebody else logged in in this browser")
    assert workspace.input_value("#ws-login-name") == "ann"
    assert AnnotationEvent.objects.count() == 0
    workspace.fill("#ws-login-name", "ann")
    workspace.fill("#ws-login-password", "secret")
    press(workspace, "Enter")
    saved(workspace)
    assert answers() == {"OSP": False}
    assert workspace.input_value("#ws-login-password") == ""


def test_a_log_in_in_another_window_lets_the_outbox_go_on(workspace, context, live_server, log_in):
    Session.objects.all().delete()
    press(workspace, "n")
    expect(workspace.locator("#ws-login")).to_be_visible()
    with context.expect_page() as opened:
        workspace.get_by_role("button", name="Log in another way").click()
    window = opened.value
    window.fill("[name=login]", "ann")
    window.fill("[name=password]", "secret")
    window.press("[name=password]", "Enter")
    expect(workspace.locator("#ws-login")).to_be_hidden()
    saved(workspace)
    assert answers() == {"OSP": False}


@pytest.mark.parametrize(
    ("choice", "quote", "revision"), [("Keep mine", "library", 2), ("Keep the stored one", "The", 1)]
)
def test_two_devices_show_both_versions_and_the_annotator_picks(
    workspace, as_, study, live_server, choice, quote, revision
):
    other = as_("ann")
    other.goto(live_server.url + address(study.round))
    ready(other)
    press(other, "y ArrowRight Enter")
    saved(other)
    press(workspace, "y ArrowRight ArrowRight Enter")
    expect(workspace.locator("#ws-conflict-versions")).to_contain_text("yes: “library”")
    expect(workspace.locator("#ws-conflict-versions")).to_contain_text("yes: “The”")
    expect(workspace.locator("#ws-save-text")).to_have_text("Two answers differ")
    workspace.get_by_role("button", name=choice).click()
    saved(workspace)
    row = TypeAnnotation.objects.get()
    assert (row.quote, row.revision) == (quote, revision)


@pytest.mark.browser_context_args(service_workers="block")  # a worker's requests pass by the route
def test_two_windows_tell_each_other_and_the_one_that_is_left_sends_what_the_other_had(
    workspace, context, study, live_server
):
    other = context.new_page()
    other.goto(live_server.url + address(study.round))
    ready(other)
    press(other, "y ArrowRight Enter")
    expect(workspace.locator("#ws-answer")).to_have_text("You said yes: “The”")
    saved(workspace)  # not before the other window's is
    press(workspace, "y ArrowRight ArrowRight Enter")
    saved(workspace)
    assert [(row.quote, row.revision) for row in TypeAnnotation.objects.all()] == [("library", 2)]
    other.route("**/judgements/", lambda route: route.abort())
    press(other, "n")
    expect(workspace.locator("#ws-save-text")).to_have_text("1 waiting in another window")
    other.close()
    saved(workspace)
    assert answers() == {"OSP": True, "TC": False}


def test_a_round_that_closed_meanwhile_says_what_is_not_stored_and_offers_a_copy(workspace, study):
    round_close(study.round, by=study.lead)
    press(workspace, "n")
    expect(workspace.locator("#ws-refused")).to_be_visible()
    expect(workspace.locator("#ws-refused-list")).to_contain_text("I-1 · OSP: no")
    expect(workspace.locator("#ws-save-text")).to_have_text("1 not stored")
    with workspace.expect_download() as download:
        workspace.get_by_role("button", name="Save a copy").click()
    kept = json.loads(download.value.path().read_text("utf-8"))
    assert [(entry["target"]["type"], entry["answer"]["applicable"]) for entry in kept] == [("OSP", False)]


@pytest.mark.parametrize(
    ("out", "back", "told"),
    [
        ({"is_active": False}, {"is_active": True}, "You were deactivated in this project."),
        (
            {"is_annotator": False, "is_lead": True},
            {"is_annotator": True},
            "You do not annotate in this project.",
        ),
    ],
    ids=["deactivated", "annotator no more"],
)
def test_who_is_let_in_no_more_is_told_so_instead_of_logging_in_for_ever(workspace, study, out, back, told):
    ann = Membership.objects.filter(pk=study.annotators[0].pk)
    ann.update(**out)
    press(workspace, "n")
    expect(workspace.locator("#ws-refused-text")).to_contain_text(told)
    expect(workspace.locator("#ws-refused-list")).to_contain_text("I-1 · OSP: no")
    expect(workspace.locator("#ws-login")).to_be_hidden()
    ann.update(**back)
    workspace.get_by_role("button", name="Try again").click()
    saved(workspace)
    assert answers() == {"OSP": False}


def test_a_lead_who_logs_in_elsewhere_in_this_browser_is_not_taken_for_the_annotator(
    workspace, context, log_in
):
    other = context.new_page()
    log_in(other, "lea")
    expect(other.locator("body")).to_have_text("ok")
    press(workspace, "n")
    expect(workspace.locator("#ws-login-text")).to_have_text(
        "Log in again as ann (A2 in this project). Your 1 waiting decision is safe and is sent then."
    )
    expect(workspace.locator("#ws-login-title")).to_have_text("Somebody else logged in in this browser")
    assert workspace.input_value("#ws-login-name") == "ann"
    expect(workspace.locator("#ws-refused")).to_be_hidden()


def test_logging_out_leaves_no_text_in_the_browser(workspace):
    press(workspace, "n")
    saved(workspace)
    until(workspace, "(await caches.keys()).length > 0")
    workspace.locator("#ws-who").click()
    workspace.get_by_role("button", name="Log out").click()
    workspace.wait_for_url(lambda url: "/work/" not in url)
    left = workspace.evaluate(
        """async () => {
            const names = (await indexedDB.databases()).map(({name}) => name);
            const texts = [];
            for (const name of names) {
                const database = await new Promise((resolve) => {
                    const request = indexedDB.open(name);
                    request.onsuccess = () => resolve(request.result); });
                texts.push(await new Promise((resolve) => {
                    const request = database.transaction('texts').objectStore('texts').count();
                    request.onsuccess = () => resolve(request.result); }));
            }
            return [texts, Object.keys(localStorage), await caches.keys()];
        }"""
    )
    assert left == [[0], [], []]
