import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationEvent, QuestionAnnotation
from tests import factories
from tests.e2e.workspace import address, press, ready, saved


@pytest.fixture
def study(transactional_db):
    made = factories.study("cqs_gen", annotators=2, items=2, questions=3)
    factories.open_round(made)
    return made


@pytest.fixture
def workspace(study, page, log_in):
    log_in(page, "ann", address(study.round))
    ready(page)
    return page


def rows():
    return {
        (row.assignment.item.external_id, row.question.position): row
        for row in QuestionAnnotation.objects.select_related("assignment__item", "question").order_by(
            "assignment__item", "question__position"
        )
    }


def test_a_round_is_done_by_keyboard_alone_from_the_log_in(study, page, log_in_by_keyboard):
    log_in_by_keyboard(page, "ann", address(study.round))
    ready(page)
    press(page, "1")
    press(page, "2 q Enter")
    press(page, "3 w")
    press(page, "3 e")
    page.keyboard.press("Control+a")
    page.keyboard.type("Were there others?")
    press(page, "Enter")
    press(page, "x")
    page.keyboard.type("not a sentence")
    press(page, "Enter 1")
    expect(page.locator("#ws-done-title")).to_have_text("Round 1 is done")
    saved(page)
    stored = rows()
    assert [(row.label, row.reason) for row in stored.values()] == [
        ("USE", ""),
        ("UN", ""),
        ("IN", "UR"),
        ("IN", "NC"),
        (None, ""),
        ("USE", ""),
    ]
    assert stored["I-1", 2].comment == "The answer is common sense."
    assert stored["I-2", 1].edited_question == "Were there others?"
    assert (stored["I-2", 2].cannot_judge, stored["I-2", 2].comment) == (True, "not a sentence")


def test_unhelpful_without_a_comment_is_not_stored_and_says_so(workspace):
    press(workspace, "2 Enter")
    expect(workspace.locator("#ws-note-error")).to_have_text("Unhelpful needs a comment that says why.")
    assert AnnotationEvent.objects.count() == 0
    workspace.keyboard.type("everybody knows")
    press(workspace, "Enter")
    saved(workspace)
    assert rows()["I-1", 1].comment == "everybody knows"


def test_what_is_begun_is_marked_survives_a_reload_and_is_met_again_before_the_round_is_done(workspace):
    press(workspace, "2 c")
    workspace.keyboard.type("half a thou")
    workspace.locator(".ws-question").nth(1).click()
    expect(workspace.locator(".ws-question").first).to_contain_text("begun as Unhelpful, not stored yet")
    press(workspace, "1 1 1 1 1")
    expect(workspace.locator(".ws-question").first).to_have_attribute("aria-current", "step")
    saved(workspace)
    workspace.reload()
    ready(workspace)
    expect(workspace.locator("#ws-note-text")).to_have_value("half a thou")
    press(workspace, "c")
    workspace.keyboard.type("ght")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-done-title")).to_have_text("Round 1 is done")
    saved(workspace)
    assert rows()["I-1", 1].comment == "half a thought"


def test_an_edited_question_left_as_it_was_is_none(workspace):
    press(workspace, "3 e Enter")
    saved(workspace)
    row = rows()["I-1", 1]
    assert (row.label, row.reason, row.edited_question) == ("IN", "NC", "")


def test_escape_leaves_what_was_begun_and_records_nothing(workspace):
    press(workspace, "3 e Escape")
    expect(workspace.locator("#ws-choices")).to_be_visible()
    press(workspace, "Escape")
    expect(workspace.locator("#ws-choices")).to_be_hidden()
    expect(workspace.locator("[data-index='2'].ws-label")).to_have_attribute("aria-pressed", "false")
    assert AnnotationEvent.objects.count() == 0


def test_a_label_can_be_changed_and_undone(workspace):
    press(workspace, "1 ArrowUp 3 q")
    saved(workspace)
    assert (rows()["I-1", 1].label, rows()["I-1", 1].reason) == ("IN", "BR")
    press(workspace, "Backspace")
    expect(workspace.locator(".ws-question").first).to_have_attribute("aria-current", "step")
    saved(workspace)
    row = rows()["I-1", 1]
    assert (row.label, row.reason, row.revision) == ("USE", "", 3)


def test_the_text_and_all_its_questions_are_in_view(workspace, study):
    expect(workspace.locator("#ws-text")).to_have_text(factories.INTERVENTION)
    expect(workspace.locator(".ws-question")).to_have_count(3)
    press(workspace, "1 1 1")
    expect(workspace.locator("#ws-item")).to_have_text("I-2")


def test_labels_and_reasons_can_be_clicked(workspace):
    workspace.get_by_role("button", name="Invalid").click()
    workspace.get_by_role("button", name="Too General").click()
    saved(workspace)
    assert rows()["I-1", 1].reason == "TG"


def test_a_usual_comment_is_one_key_and_a_reason_one_click(workspace):
    press(workspace, "q")
    workspace.locator(".ws-quick").get_by_role("button", name="Unrelated").click()
    press(workspace, "r")
    saved(workspace)
    stored = list(rows().values())
    assert [(row.label, row.reason, row.comment) for row in stored] == [
        ("UN", "", "The answer is common sense."),
        ("IN", "UR", ""),
        ("UN", "", "The text answers it."),
    ]


def test_the_card_has_every_label_with_its_rule_and_every_reason_with_what_it_means(workspace, study):
    definition = study.round.codebook.definition
    for label in definition["labels"]:
        button = workspace.locator(f".ws-label.label-{label['code']}")
        expect(button).to_have_accessible_name(label["name"])
        expect(button).to_have_accessible_description(label["description"])
        expect(button.get_by_text(label["description"])).to_be_in_viewport(ratio=1)
    press(workspace, "3")
    for reason in definition["reasons"]:
        button = workspace.get_by_role("button", name=reason["name"], exact=True)
        expect(button).to_have_accessible_description(reason["description"])
        expect(button.get_by_text(reason["description"])).to_be_in_viewport(ratio=1)
    press(workspace, "e")
    expect(workspace.locator("#ws-why")).to_contain_text(definition["reasons"][2]["description"])
    expect(workspace.locator("#ws-note-text")).to_be_in_viewport(ratio=1)


def test_a_decided_question_says_in_words_what_was_decided_and_an_edit_is_no_comment(workspace):
    press(workspace, "f 3 e")
    workspace.keyboard.press("Control+a")
    workspace.keyboard.type("Were there others?")
    press(workspace, "Enter 1 ArrowUp c")
    workspace.keyboard.type("well put")
    press(workspace, "Enter ArrowDown")
    said = workspace.locator(".ws-question .said")
    expect(said.nth(0)).to_have_text("Invalid: New ConceptunsureWithout the new concept: Were there others?")
    expect(said.nth(1)).to_have_text("UsefulComment: well put")
    looks = "one => [getComputedStyle(one).fontStyle, getComputedStyle(one).fontFamily]"
    edit, remark = said.nth(0).locator(".edit > span"), said.nth(1).locator(".remark > span")
    assert edit.evaluate(looks) != remark.evaluate(looks)


def test_by_mouse_the_way_from_one_decision_to_the_next_is_short(page, log_in, transactional_db):
    made = factories.study("cqs_gen", annotators=1, items=1, questions=6)
    factories.open_round(made)
    page.set_viewport_size({"width": 1280, "height": 800})
    log_in(page, "ann", address(made.round))
    ready(page)
    ways, last = [], None
    for chosen in (
        ".ws-label.label-USE",
        "[data-act=choice][data-index='1']",
        ".ws-label.label-USE",
        "[data-act=label][data-index='3']",
        "[data-act=choice][data-index='3']",
        "[data-act=label][data-index='7']",
    ):
        button = page.locator(f"#ws-labels {chosen}")
        expect(button).to_be_in_viewport(ratio=1)
        box = button.bounding_box()
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if last:
            ways.append(((at[0] - last[0]) ** 2 + (at[1] - last[1]) ** 2) ** 0.5)
        last = at
        page.mouse.click(*at)
    expect(page.locator("#ws-done-title")).to_be_visible()
    assert len(ways) == 5 and sum(ways) / len(ways) < 300, ways


def test_the_labels_of_the_next_question_stand_where_those_of_the_last_one_stood(
    page, log_in, transactional_db
):
    made = factories.study("cqs_gen", annotators=1, items=1, questions=8)
    factories.open_round(made)
    page.set_viewport_size({"width": 1280, "height": 800})
    log_in(page, "ann", address(made.round))
    ready(page)
    text = page.locator("#ws-text").bounding_box()
    places = []
    for _ in range(7):
        places.append(round(page.locator("#ws-labels").bounding_box()["y"]))
        press(page, "1")
    assert max(places[3:]) - min(places[3:]) <= 1, places
    assert max(places) - min(places) < 150, places
    assert page.locator("#ws-text").bounding_box() == text


def test_what_a_label_asks_opens_inside_every_window(workspace):
    fits = "document.documentElement.scrollWidth <= innerWidth"
    for width, height in ((1280, 800), (844, 390), (640, 450), (390, 844), (320, 640)):
        workspace.set_viewport_size({"width": width, "height": height})
        workspace.reload()
        ready(workspace)
        for keys, part in (
            ("3", ".ws-reason"),
            ("e", "#ws-note-text"),
            ("Escape Escape 2", ".ws-starts button"),
        ):
            press(workspace, keys)
            shown = workspace.locator(part).first
            expect(shown).to_be_in_viewport(ratio=1)
            box, strip = shown.bounding_box(), workspace.locator("#ws-strip").bounding_box()
            assert box["y"] + box["height"] <= strip["y"], (width, keys, "lies under the strip")
            assert workspace.evaluate(fits), (width, keys)
            letters = "its words stand letter below letter"
            assert part != ".ws-reason" or box["height"] < 120, (width, letters)
            question = workspace.locator(".ws-question[aria-current] h2").bounding_box()
            above = workspace.locator("#ws-question-list").bounding_box()["y"]
            assert part != ".ws-reason" or question["y"] >= above, (width, "its question is out of sight")
        expect(workspace.locator(".ws-label-short[aria-pressed=true]")).to_be_in_viewport(ratio=1)
        press(workspace, "Escape")


def test_the_text_can_be_folded_away_on_a_phone_and_the_rules_anywhere(study, page, log_in):
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, "ann", address(study.round))
    ready(page)
    fold = page.get_by_role("button", name="Text", exact=True)
    fold.click()
    expect(page.locator("#ws-text")).to_be_hidden()
    expect(fold).to_have_attribute("aria-expanded", "false")
    press(page, "Enter")
    expect(page.locator("#ws-text")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Rules").click()
    expect(page.locator(".ws-label .ws-means").first).to_be_hidden()
    page.reload()
    ready(page)
    expect(page.locator(".ws-label .ws-means").first).to_be_hidden()


def test_a_link_of_my_decisions_opens_its_unit_wherever_it_is(page, log_in, transactional_db):
    made = factories.study("cqs_gen", annotators=1, items=14, questions=1)
    factories.open_round(made)
    item = made.items[-1]
    factories.record(made.round, made.annotators[0], item, item.questions.get(), {"label": "USE"})
    log_in(page, "ann", f"/p/{made.project.slug}/rounds/1/mine/")
    page.get_by_role("link", name="I-14").click()
    expect(page.locator("#ws-item")).to_have_text("I-14")
    expect(page.locator("#ws-answer")).to_have_text("You said Useful")
    assert "#" not in page.url
    press(page, "3 r")
    saved(page)
    page.go_back()
    expect(page.get_by_role("heading", name="My decisions")).to_be_visible()
    expect(page.get_by_role("table")).to_contain_text("Invalid: Too General")


def test_the_reader_sets_how_large_the_text_is_and_how_long_its_lines(workspace):
    size = "Number.parseFloat(getComputedStyle(document.getElementById('ws-text')).fontSize)"
    before = workspace.evaluate(size)
    workspace.locator("#ws-who").click()
    workspace.get_by_role("button", name="larger").click()
    workspace.get_by_role("button", name="shorter").click()
    assert workspace.evaluate(size) > before
    expect(workspace.get_by_role("button", name="shorter")).to_have_attribute("aria-disabled", "true")
    expect(workspace.locator("#ws-pace")).to_have_text("6 left.")
    workspace.reload()
    ready(workspace)
    assert workspace.evaluate(size) > before
    expect(workspace.locator("#workspace")).to_have_attribute("data-lines", "short")


def test_questions_are_kept_from_translation_and_put_back_when_another_program_changes_them(workspace):
    press(workspace, "1")
    saved(workspace)
    shown = workspace.locator(".ws-question :is(h2, .q)")
    given = shown.all_inner_texts()
    text = workspace.locator("#ws-text").inner_text()
    assert shown.evaluate_all("all => all.map(one => one.translate)") == [False] * 3
    workspace.evaluate(
        """() => {
            for (const one of document.querySelectorAll('.ws-question :is(h2, .q), #ws-text')) {
                const font = document.createElement('font');
                font.textContent = 'Warum?';
                one.firstChild.replaceWith(font);
            }
        }"""
    )
    expect(shown).to_have_text(given)
    expect(workspace.locator("#ws-last")).to_contain_text("Another program changed the text")
    expect(workspace.locator("#ws-text")).to_have_text(text)
    press(workspace, "1")
    saved(workspace)
    assert [row.label for row in rows().values()] == ["USE", "USE"]
    # A program that never rests: what is not shown is not decided.
    workspace.evaluate(
        """() => new MutationObserver(() => {
            const one = document.querySelector('.ws-question h2');
            if (one.textContent !== 'Warum?') one.textContent = 'Warum?';
        }).observe(document.getElementById('ws-question-list'), {childList: true, subtree: true})"""
    )
    workspace.evaluate("document.querySelector('.ws-question h2').textContent = 'Warum?'")
    expect(workspace.locator(".ws-question h2")).to_have_text("Warum?")
    press(workspace, "1")
    expect(workspace.locator("#ws-last")).to_contain_text("Another program changed the text")
    assert len(rows()) == 2


def test_a_question_is_matched_with_a_reference_or_labelled_by_keyboard(transactional_db, page, log_in):
    made = factories.matching_study(annotators=1)
    (ann,) = made.annotators
    log_in(page, "ann", address(made.round))
    ready(page)
    shown = page.locator(".ws-reference")
    if page.locator("#ws-item").inner_text() != "I-1":
        press(page, "0 1")
    expect(page.locator("#ws-item")).to_have_text("I-1")
    picked = shown.nth(1).inner_text()
    press(page, "2")
    expect(page.locator(".ws-question").first).to_contain_text(picked.split("\n")[-1])
    press(page, "0 3 w")
    press(page, "s")
    page.keyboard.type("TAX shops")
    expect(shown).to_have_count(1)
    press(page, "ArrowDown Enter")
    saved(page)
    stored = list(
        QuestionAnnotation.objects.filter(assignment__member=ann, assignment__item=made.items[0])
        .order_by("question__position")
        .values_list("label", "reason", "reference__text")
    )
    assert stored[0][0] == "REF"
    assert picked.endswith(stored[0][2])
    assert stored[1:] == [("IN", "UR", None), ("REF", "", factories.QUESTIONS[2])]
    press(page, "Backspace")
    expect(page.locator("#ws-ask")).to_have_text("Which of these references asks for the same?")
    saved(page)
    last = QuestionAnnotation.objects.get(question=made.items[0].questions.order_by("position").last())
    assert (last.label, last.reference, last.revision) == (None, None, 2)
