"""Topics: found from word counts, the same for the same seed, named and applied by a lead."""

import json
import random

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Item, ProjectEvent
from annotation.rounds.drawing import round_draw
from annotation.rounds.lifecycle import round_create
from assist.models import TopicModel
from assist.topics import suggesting
from assist.topics.suggesting import topics_apply, topics_compute, topics_request, topics_shown
from assist.topics.word_counts import NONE, TooFewWords, find_topics, words_of
from core.errors import Refused
from tests.factories import study
from tests.factories.judgements import judged
from tests.factories.releases import release

pytestmark = [pytest.mark.django_db, pytest.mark.database]
pytest.importorskip("sklearn", reason="pip install -r requirements-topics.txt")

SPORT = (
    *("football", "goal", "match", "referee", "stadium", "coach"),
    *("league", "striker", "penalty", "trainer", "keeper", "fans"),
)
MONEY = (
    *("taxes", "budget", "interest", "bank", "inflation", "wages"),
    *("deficit", "currency", "prices", "loans", "pension", "savings"),
)


def texts(n: int = 40) -> list[str]:
    rng = random.Random(3)
    return [" ".join(rng.choices(SPORT if number % 2 else MONEY, k=12)) for number in range(n)]


@pytest.fixture
def made():
    found = study("focus", annotators=1, items=40, texts=tuple(texts()), slug="t")
    found.project.languages = "en"
    found.project.save(update_fields=["languages"])
    return found


@pytest.mark.parametrize("method", ["lda", "nmf"])
def test_texts_of_two_subjects_come_apart_and_the_same_seed_finds_the_same(method):
    topics, placed = find_topics([*texts(), "!!!"], topics=2, seed=1, method=method, language="en")
    assert sorted(
        [
            "sport"
            if set(topic.words) <= set(SPORT)
            else "money"
            if set(topic.words) <= set(MONEY)
            else "mixed"
        ]
        for topic in topics
    ) == [["money"], ["sport"]]
    assert [len(topic.words) for topic in topics] == [10, 10]
    by_subject = [{placed[at] for at in range(40) if at % 2 == rest} for rest in (0, 1)]
    assert [len(found) for found in by_subject] == [1, 1] and by_subject[0] != by_subject[1]
    assert (placed[40], sum(topic.n for topic in topics)) == (NONE, 40)
    assert all(len(topic.texts) == 5 for topic in topics)
    assert find_topics([*texts(), "!!!"], topics=2, seed=1, method=method, language="en") == (topics, placed)


# Whole sentences, each written for this test: no spaces between their words.
JAPANESE = {
    "housing": (
        "住宅の価格が上がり、若い家族は都心のマンションを買えない。",
        "家賃が高いので、住宅を建てる土地を市が安く貸すべきだ。",
        "マンションの家賃は、都心では収入の半分になる。",
        "空き家の住宅を直せば、新しいマンションは要らない。",
        "土地の価格が下がれば、家賃も住宅も安くなる。",
        "都心の土地にマンションを建てても、家賃は下がらない。",
    ),
    "school": (
        "学校のテストが多すぎて、生徒は読書の時間がない。",
        "教師の授業が分かりやすければ、生徒のテストの点は上がる。",
        "宿題をやめた学校では、生徒が授業でよく話す。",
        "教師が足りないので、学校は授業を減らした。",
        "読書の宿題は、テストの勉強より生徒のためになる。",
        "授業でタブレットを使う学校の生徒は、宿題を忘れない。",
    ),
}
CHINESE = {
    "housing": (
        "房价太高，年轻人买不起市中心的住房。",
        "租金上涨以后，很多家庭搬到了郊区的住房。",
        "政府应该多建公共住房，让租金降下来。",
        "市中心的房价下降，郊区的房价也会下降。",
        "公共住房的租金只有市中心的一半。",
        "年轻人宁愿付租金，也不愿为房价借贷款。",
    ),
    "school": (
        "学校的考试太多，学生没有时间阅读。",
        "老师的课堂有趣，学生的成绩就会提高。",
        "取消作业的学校，学生在课堂上更爱提问。",
        "老师不够，学校只好减少课堂时间。",
        "阅读比考试更能提高学生的成绩。",
        "作业太多的学校，学生的成绩并没有提高。",
    ),
}


@pytest.mark.parametrize("is_set", [True, False])
@pytest.mark.parametrize(
    ("code", "by_subject", "words"),
    [
        ("ja", JAPANESE, {"住宅", "マンション", "家賃", "学校", "生徒", "授業"}),
        ("zh", CHINESE, {"住房", "房价", "租金", "学校", "学生", "成绩"}),
    ],
)
def test_topics_of_texts_without_spaces_come_apart(code, by_subject, words, is_set):
    given = [*by_subject["housing"], *by_subject["school"]]
    topics, placed = find_topics(given, topics=2, seed=1, language=code if is_set else "")
    halves = [set(placed[:6]), set(placed[6:])]
    assert [len(half) for half in halves] == [1, 1] and halves[0] != halves[1]
    assert words <= {word for topic in topics for word in topic.words}


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("学校のテスト、iPadと3年生", "ja", ["学校", "テスト", "iPad", "年生"]),
        ("学校考试", "ja", ["学校考试"]),
        ("住宅政策", "", ["住宅", "宅政", "政策"]),
        ("これはペンだ", "", ["ペン"]),
        ("Steuern sinken, x2 nicht", "", ["Steuern", "sinken", "nicht"]),
        ("물가가 오른다", "", ["물가가", "오른다"]),
        ("It is 学校的 test", "en", ["It", "is", "学校", "校的", "test"]),
        ("It is a test", "en", ["test"]),
        ("的", "zh", []),
        ("", "", []),
    ],
)
def test_what_counts_as_a_word(text, language, words):
    assert words_of(text, language) == words


def test_the_language_is_that_of_the_project(made, monkeypatch):
    seen = []

    def noticed(texts, *, language, **given):
        seen.append(language)
        return find_topics(texts, language=language, **given)

    monkeypatch.setattr(suggesting, "find_topics", noticed)
    for languages in ("zh-Hant, en", "ja", ""):
        type(made.project).objects.filter(pk=made.project.pk).update(languages=languages)
        topics_compute(model_id=topics_request(project=made.project, topics=2).pk)
    assert seen == ["zh", "ja", ""]


def test_texts_without_words_in_common_have_no_topics():
    with pytest.raises(TooFewWords):
        find_topics(["one thing", "another matter", ""], topics=2, seed=1)


def test_a_lead_names_topics_and_a_release_keeps_its_items_as_they_were(made):
    held = made.items[:10]
    model = topics_request(project=made.project, topics=2, seed=1, by=made.lead)
    assert topics_compute(model_id=model.pk)
    model.refresh_from_db()
    shown = topics_shown(model)
    sport = next(topic["number"] for topic in shown if "goal" in topic["words"]) - 1
    names = ["", ""]
    names[sport] = "  Sport "
    with pytest.raises(Refused, match="Give 2 names, one a topic"):
        topics_apply(model=model, names=["Sport"])
    with pytest.raises(Refused, match="Name at least one topic"):
        topics_apply(model=model, names=["", " "])
    before = dict(Item.objects.values_list("pk", "topic"))
    original, suggesting.held_by = (
        suggesting.held_by,
        lambda project, items: {item.pk: "1.0" for item in held if item.pk in items},
    )
    try:
        assert topics_apply(model=model, names=names, by=made.lead) == (15, 5)
    finally:
        suggesting.held_by = original
    after = dict(Item.objects.values_list("pk", "topic"))
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {item.pk for at, item in enumerate(made.items) if at % 2 and item not in held}
    assert {after[key] for key in changed} == {"Sport"}
    event = ProjectEvent.objects.get(action="topics applied")
    assert event.details == {"items": 15, "kept": 5, "topics": ["Sport"]}
    assert topics_shown(model)[sport]["name"] == "Sport"


def test_what_a_round_has_stays_as_it_was_drawn(made):
    before = dict(Item.objects.values_list("pk", "topic"))
    round = round_create(project=made.project, overlap=1, member=made.lead)
    round_draw(round, size=6, member=made.lead)
    drawn = set(round.round_items.values_list("item", flat=True))
    model = topics_request(project=made.project, topics=2, seed=1)
    topics_compute(model_id=model.pk)
    model.refresh_from_db()
    assert topics_apply(model=model, names=["One", "Two"]) == (34, 6)
    after = dict(Item.objects.values_list("pk", "topic"))
    assert {key for key in after if after[key] == before[key]} == drawn


def test_what_a_release_has_is_held():
    released = judged(items=2)
    release(released.project, agreement=False)
    held = suggesting.held_by(released.project, [item.pk for item in released.items])
    assert held == {item.pk: "1.0" for item in released.items}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"topics": 1}, "topics"),
        ({"topics": 51}, "topics"),
        ({"topics": 41}, "topics"),
        ({"topics": 2, "seed": -1}, "seed"),
        ({"topics": 2, "method": "magic"}, "method"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_with_its_field(made, given, field):
    with pytest.raises(Refused) as refused:
        topics_request(project=made.project, **given)
    assert list(refused.value.errors) == [field]
    assert TopicModel.objects.count() == 0


def test_without_the_library_it_says_what_to_install(made, monkeypatch):
    monkeypatch.setattr("assist.topics.suggesting.is_installed", lambda: False)
    with pytest.raises(Refused, match=r"pip install -r requirements-topics\.txt"):
        topics_request(project=made.project, topics=2)


def test_the_command_prints_ten_words_and_five_texts_of_each_and_applies_names(made, capsys):
    call_command("suggest_topics", "t", "--topics=2", "--seed=1", "--json")
    first = json.loads(capsys.readouterr().out)
    call_command("suggest_topics", "t", "--topics=2", "--seed=1", "--json", "--names=One,Two")
    second = json.loads(capsys.readouterr().out)
    assert [topic["words"] for topic in first["topics"]] == [topic["words"] for topic in second["topics"]]
    assert [len(topic["texts"]) for topic in second["topics"]] == [5, 5]
    assert (second["changed"], second["kept"]) == (40, 0)
    assert set(Item.objects.values_list("topic", flat=True)) == {"One", "Two"}
    call_command("suggest_topics", "t", "--topics=2")
    assert "1. 20 texts: " in capsys.readouterr().out
    with pytest.raises(CommandError, match="from 2 to 50"):
        call_command("suggest_topics", "t", "--topics=1")


def test_a_lead_finds_names_and_applies_topics_on_a_page_and_by_the_api(made, client, monkeypatch):
    sent = []
    monkeypatch.setattr("assist.tasks.find_topics.delay", sent.append)
    client.force_login(made.lead.user)
    address = "/p/t/items/topics/"
    wrong = client.post(address, {"act": "find", "topics": 41, "method": "lda", "seed": 1})
    assert "There are 40 texts: ask for fewer topics" in wrong.content.decode()
    assert client.post(address, {"act": "find", "topics": 2, "method": "nmf", "seed": 1}).status_code == 302
    model = TopicModel.objects.get()
    assert "Topics are looked for" in client.get(address).content.decode()
    assert "waits for a worker" in client.get(f"{address}progress/").content.decode()
    twice = client.post("/api/projects/t/assist/topics/", {"topics": 2}, content_type="application/json")
    assert (twice.status_code, twice.json()["code"]) == (409, "taken")
    assert topics_compute(model_id=model.pk)
    assert client.get(f"{address}progress/").headers["HX-Refresh"] == "true"
    page = client.get(address).content.decode()
    assert "football" in page and "Texts that have most of it" in page
    client.post(address, {"act": "apply", "model": model.pk, "name-1": "A", "name-2": "A"})
    assert set(Item.objects.values_list("topic", flat=True)) == {"A"}
    told = client.get("/api/projects/t/assist/topics/").json()
    assert (told["state"], [topic["name"] for topic in told["topics"]]) == ("done", ["A", "A"])
    assert all(len(topic["items"]) == 5 for topic in told["topics"])
    done = client.post(
        f"/api/projects/t/assist/topics/{model.pk}/apply/",
        {"names": ["One", ""]},
        content_type="application/json",
    )
    assert done.json() == {"changed": 20, "kept": 0}


def test_a_search_is_cancelled_and_one_that_finds_nothing_says_so(made, client, monkeypatch):
    monkeypatch.setattr("assist.tasks.find_topics.delay", lambda _: None)
    client.force_login(made.lead.user)
    client.post("/p/t/items/topics/", {"act": "find", "topics": 2, "method": "lda", "seed": 1})
    client.post("/p/t/items/topics/", {"act": "cancel"})
    assert TopicModel.objects.get().state == "cancelled"
    model = topics_request(project=made.project, topics=30)
    assert not topics_compute(model_id=model.pk)
    model.refresh_from_db()
    assert model.error.startswith("The texts have too few words in common")
    assert model.error in client.get("/p/t/items/topics/").content.decode()
