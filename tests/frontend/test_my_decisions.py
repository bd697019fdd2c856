"""My decisions: one's own alone, by type, label and text, filtered, searched, with a way back while open."""

import html
import re

import pytest

from annotation.items.withdrawal import item_withdraw
from annotation.models import KeyAnswer, Round
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from tests import factories
from tests.conftest import client_of
from tests.factories import NO, record, yes
from tests.pages import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    """Ann said yes, no and “cannot judge” about LE, Bea said yes elsewhere in the same texts."""
    study = factories.study("focus", annotators=2, items=4, slug="s")
    factories.open_round(study)
    ann, bea = study.annotators
    first, second, third, _ = study.items
    record(
        study.round, ann, first, "LE", yes(first, "Everyone's grades fell", unsure=True, comment="odd joke")
    )
    record(study.round, ann, second, "LE", NO)
    record(study.round, ann, third, "LE", {"cannot_judge": True, "comment": "cut off"})
    record(study.round, ann, first, "OG", yes(first, "all night"))
    record(study.round, bea, first, "LE", yes(first, "closed at ten", comment="Bea's secret"))
    record(study.round, bea, second, "WE", yes(second, "parks make people happy"))
    return study


def shown(who: str = "ann", query: str = "", slug: str = "s") -> str:
    response = client_of(who).get(f"/p/{slug}/rounds/1/mine/{query}")
    assert response.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(html_of(response)))


def rows(page: str) -> list[str]:
    """Return the words of each row of the table."""
    return [
        re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", row)).strip()
        for row in re.findall(r"<tr class.*?</tr>", page)
    ]


def kinds(page: str) -> dict[str, int]:
    found = re.findall(r'class="chip"[^>]*>([\w ]+?) <span class="num">(\d+)<', page)
    return {name: int(n) for name, n in found}


def test_one_table_a_type_has_each_span_in_its_text_and_the_question_it_asks(made):
    page = shown(query="?of=LE")
    said = rows(page)
    assert len(said) == 3
    assert said[0].startswith(
        "I-1 yes The library should stay open all night. Everyone's grades fell when it closed"
    )
    assert "examples that back up everyone's grades fell?" in said[0].lower()
    assert said[0].endswith("unsure Comment: odd joke")
    assert said[1].startswith("I-2 no Emoji 👩‍👩‍👧 first")
    assert said[2].startswith("I-3 cannot judge") and said[2].endswith("Comment: cut off")
    assert '<mark class="mark">Everyone\'s grades fell</mark>' in page
    assert re.search(
        r'href="\?of=LE"[^>]*aria-current="true"><span>.*?Lacks Evidence</span><span class="num">1 / 3<',
        page,
    )


def test_nobody_elses_decision_is_ever_on_the_page(made):
    for query in ("?of=LE", "?of=WE", "?by=text", "?q=secret", "?by=text&q=happy"):
        page = shown(query=query)
        assert "Bea's secret" not in page and ">closed at ten<" not in page, query
    assert kinds(shown(query="?of=WE"))["all"] == 0
    # A lead sees what the lead decided: nothing.
    assert "You decided nothing in this round yet" in shown("lea")
    assert [row[:7] for row in rows(shown("bea", "?of=LE"))] == ["I-1 yes"]


@pytest.mark.parametrize(
    ("show", "texts"),
    [("", ["I-1", "I-2", "I-3"]), ("yes", ["I-1"]), ("no", ["I-2"]), ("cannot", ["I-3"]), ("unsure", ["I-1"]),
     ("comment", ["I-1", "I-3"]), ("nonsense", ["I-1", "I-2", "I-3"])],
)  # fmt: skip
def test_it_shows_what_is_asked_for(made, show, texts):
    page = shown(query=f"?of=LE&show={show}")
    assert [row.split()[0] for row in rows(page)] == texts
    assert kinds(page) == {"all": 3, "yes": 1, "no": 1, "cannot judge": 1, "unsure": 1, "with a comment": 2}


@pytest.mark.parametrize(
    ("words", "texts"),
    [("CAFÉ", ["I-3"]), ("grades fell", ["I-1"]), ("odd JOKE", ["I-1"]), ("i-2", ["I-2"]), ("(.*", []),
     ("%", []), ("👩‍👩‍👧", ["I-2"])],
)  # fmt: skip
def test_words_are_found_in_texts_spans_and_comments_as_they_stand(made, words, texts):
    response = client_of("ann").get("/p/s/rounds/1/mine/", {"of": "LE", "q": words})
    assert response.status_code == 200
    page = re.sub(r"\s+", " ", html.unescape(html_of(response)))
    assert [row.split()[0] for row in rows(page)] == texts


def test_text_by_text_every_span_is_marked_where_it_stands(made):
    page = shown(query="?by=text")
    assert re.findall(r"<h2 id=\"text-\d\"[^>]*>(.*?)</h2>", page) == ["I-1", "I-2", "I-3"]
    assert '<mark class="mark" data-codes="OG">all night</mark>' in page
    assert '<mark class="mark" data-codes="LE">Everyone\'s grades fell</mark>' in page
    assert re.findall(r"<h2 id=\"text-\d\"[^>]*>(.*?)</h2>", shown(query="?by=text&show=no")) == ["I-2"]


def test_an_open_round_has_a_way_back_into_each_decision_and_a_closed_one_has_none(made):
    ann = made.annotators[0]
    assignment = factories.assignment_of(made.round, ann, made.items[0])
    way = f'href="/p/s/rounds/1/work/#unit={assignment.pk}:LE"'
    assert way in shown(query="?of=LE") and way in shown(query="?by=text")
    assert "Go on with the next" in shown(query="?of=LE")
    ann.is_annotator, ann.is_lead = False, True
    ann.save()
    assert "#unit=" not in shown(query="?of=LE")
    ann.is_annotator, ann.is_lead = True, False
    ann.save()
    round_close(made.round, by=made.lead)
    page = shown(query="?of=LE")
    assert len(rows(page)) == 3 and "/work/" not in page
    assert "The round is closed: nothing in it can be changed any more." in page


def test_a_withdrawn_text_is_gone_from_it(made):
    item_withdraw(item=made.items[0], member=made.lead, why="a private letter")
    assert [row.split()[0] for row in rows(shown(query="?of=LE"))] == ["I-2", "I-3"]
    assert "grades fell" not in shown(query="?by=text")


def test_questions_stand_by_label_and_reason_with_comment_and_edited_question_apart():
    study = factories.study("cqs_gen", annotators=2, items=2, questions=3, slug="s")
    factories.open_round(study)
    ann, bea = study.annotators
    (one, two, three), item = study.items[0].questions.all(), study.items[0]
    record(study.round, ann, item, one, {"label": "USE", "comment": "sharp"})
    record(study.round, ann, item, two, {"label": "UN", "comment": "The answer is well known."})
    record(
        study.round, ann, item, three, {"label": "IN", "reason": "NC", "edited_question": "Would it last?"}
    )
    record(study.round, bea, item, one, {"label": "IN", "reason": "BR", "comment": "Bea's secret"})
    said = rows(shown(query="?of=IN:NC"))
    assert len(said) == 1 and "Invalid: New Concept Without the new concept: Would it last?" in said[0]
    assert rows(shown(query="?of=IN")) == said and rows(shown(query="?of=IN:BR")) == []
    assert rows(shown(query="?of=UN"))[0].endswith("Unhelpful Comment: The answer is well known.")
    assert rows(shown(query="?of=USE"))[0].endswith("Useful Comment: sharp")
    assert rows(shown(query="?of=IN&q=would+it")) == said
    assert kinds(shown(query="?by=text&show=edited"))["with an edited question"] == 1
    assert all("Bea's secret" not in shown(query=query) for query in ("?by=text", "?of=USE", "?q=secret"))


def test_a_training_round_shows_the_key_beside_what_is_answered_and_nowhere_else():
    study = factories.study("focus", annotators=1, items=2, slug="s")
    study.round = round_create(
        project=study.project, purpose=Round.Purpose.TRAINING, overlap=1, member=study.lead
    )
    round_draw(study.round)
    first, second = study.items
    for item in study.items:
        for entry in study.round.codebook.definition["types"]:
            KeyAnswer.objects.create(
                round=study.round,
                item=item,
                type_code=entry["code"],
                applicable=False,
                why=f"{item} {entry['code']}",
            )
    round_open(study.round, members=study.annotators, by=study.lead)
    record(study.round, study.annotators[0], first, "LE", yes(first, "all night"))
    record(study.round, study.annotators[0], second, "LE", NO)
    said = rows(shown(query="?of=LE"))
    assert "✕ The key says: no" in said[0] and "✓ The key says the same." in said[1]
    assert [row.split()[0] for row in rows(shown(query="?of=LE&show=differs"))] == ["I-1"]
    for query in ("?of=LE", "?of=OG", "?by=text"):
        whys = set(re.findall(r"I-\d [A-Z]+", shown(query=query)))
        assert {why for why in whys if not why.endswith(" LE")} == set(), query


def test_many_decisions_cost_no_more_queries_than_few(django_assert_max_num_queries):
    study = factories.study("focus", annotators=1, items=60, slug="s")
    factories.open_round(study)
    for item in study.items:
        record(study.round, study.annotators[0], item, "LE", yes(item, item.text[:3]))
    client = client_of("ann")
    for query, limit in (("?of=LE", 14), ("?by=text", 15), ("?of=LE&q=the&show=yes&page=2", 14)):
        with django_assert_max_num_queries(limit):
            page = html_of(client.get(f"/p/s/rounds/1/mine/{query}"))
        assert page.count("<mark") >= 10
    assert len(rows(shown(query="?of=LE"))) == 50 and len(rows(shown(query="?of=LE&page=2"))) == 10


def test_it_is_never_shown_from_a_cache(made):
    assert "no-store" in client_of("ann").get("/p/s/rounds/1/mine/")["Cache-Control"]


def test_home_project_workspace_and_the_leads_round_lead_to_it(made):
    way = 'href="/p/s/rounds/1/mine/"'
    ann = client_of("ann")
    for path in ("/", "/p/s/", "/p/s/rounds/1/work/"):
        assert way in html_of(ann.get(path)), path
    assert way not in html_of(client_of("lea").get("/p/s/rounds/1/"))
    made.annotators[0].is_lead = True
    made.annotators[0].save()
    assert way in html_of(ann.get("/p/s/rounds/1/"))
    round_close(made.round, by=made.lead)
    assert way in html_of(ann.get("/p/s/rounds/1/"))
    made.annotators[0].is_lead = False
    made.annotators[0].save()
    assert way in html_of(ann.get("/p/s/"))
