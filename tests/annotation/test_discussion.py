"""Units are discussed once their round is closed, by its annotators and leads."""

import pytest

from annotation.adjudication.discussion import comment_add, discussed_units, mentions_open, thread_of
from annotation.judging.recording import Unit
from annotation.models import Comment
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close, round_reopen
from core.errors import NotAllowed, NotFound, Refused
from tests import factories

pytestmark = pytest.mark.django_db

LE, WE = Unit("LE"), Unit("WE")


@pytest.fixture
def study():
    made = factories.study("focus", annotators=2, items=2)
    factories.open_round(made)
    return made


@pytest.fixture
def closed(study):
    round_close(study.round, by=study.lead)
    return study


def say(study, member, text, unit=LE, item=None, **options):
    return comment_add(
        round=study.round, item=item or study.items[0], unit=unit, member=member, text=text, **options
    )


def read(study, member, unit=LE):
    return thread_of(round=study.round, item=study.items[0], unit=unit, member=member)


def test_nothing_is_said_while_the_round_is_open_not_even_by_leads(study):
    for member in (study.lead, study.annotators[0]):
        with pytest.raises(Refused, match="it is discussed when it is closed"):
            say(study, member, "Early.")
        with pytest.raises(Refused):
            read(study, member)
    assert not Comment.objects.exists()


def test_annotators_and_leads_read_what_was_said_in_order(closed):
    say(closed, closed.annotators[0], "Where is the evidence?")
    say(closed, closed.lead, "Line two.")
    say(closed, closed.lead, "Of another type.", unit=WE)
    texts = [comment.text for comment in read(closed, closed.annotators[1]).comments]
    assert texts == ["Where is the evidence?", "Line two."]


def test_whoever_did_not_annotate_in_the_round_stays_out(closed):
    newcomer = member_add(project=closed.project, user=factories.user("dana"))
    with pytest.raises(NotAllowed):
        say(closed, newcomer, "Me too.")
    with pytest.raises(NotAllowed):
        read(closed, newcomer)


def test_a_thread_is_settled_and_opened_again(closed):
    say(closed, closed.lead, "Well?")
    assert read(closed, closed.lead).settled is False
    say(closed, closed.lead, "", act="settle")
    assert read(closed, closed.lead).settled is True
    say(closed, closed.annotators[0], "One more thing.")
    assert read(closed, closed.lead).settled is True
    say(closed, closed.annotators[0], "", act="reopen")
    assert read(closed, closed.lead).settled is False


def test_mentions_find_members_of_the_project_only(closed):
    comment = say(closed, closed.lead, "@A2 and @A99, look; mail@A3 too.")
    assert [member.pseudonym for member in comment.mentions.all()] == ["A2", "A3"]
    ann, bea = closed.annotators
    found = discussed_units(closed.round, mentioning=ann)
    assert [(row["type_code"], row["n"]) for row in found] == [("LE", 1)]
    say(closed, closed.lead, "Nobody here.", unit=WE)
    assert len(discussed_units(closed.round, mentioning=bea)) == 1
    assert [row["type_code"] for row in discussed_units(closed.round)] == ["WE", "LE"]


def test_blank_and_unstorable_comments_are_refused(closed):
    with pytest.raises(Refused, match="Write something first"):
        say(closed, closed.lead, " \u200b ")
    with pytest.raises(Refused, match="NUL"):
        say(closed, closed.lead, "a\x00b")


def test_only_units_of_the_round_are_discussed(closed):
    other = factories.study("cqs_gen", annotators=2, items=1)
    with pytest.raises(NotFound):
        say(closed, closed.lead, "x", item=other.items[0])
    with pytest.raises(NotFound):
        say(closed, closed.lead, "x", unit=Unit("ZZ"))
    with pytest.raises(NotFound):
        say(closed, closed.lead, "x", unit=Unit("", other.items[0].questions.first().pk))


def mentioned(study, member) -> int:
    return mentions_open([member])[member.pk, study.round.pk]


def test_somebody_mentioned_is_counted_once_a_unit_until_it_is_settled(closed):
    ann, bea = closed.annotators
    say(closed, bea, "What do you think, @A2?")
    say(closed, bea, "@A2, again.")
    say(closed, closed.lead, "And here, @A2?", unit=WE)
    assert (mentioned(closed, ann), mentioned(closed, bea)) == (2, 0)
    say(closed, ann, "", act=Comment.Act.SETTLE)
    assert mentioned(closed, ann) == 1
    say(closed, ann, "", act=Comment.Act.REOPEN)
    assert mentioned(closed, ann) == 2
    assert mentions_open([ann, bea, closed.lead]) == {(ann.pk, closed.round.pk): 2}


def test_who_may_not_read_the_discussion_is_not_told_of_it(closed):
    newcomer = member_add(project=closed.project, user=factories.user("new"))
    say(closed, closed.lead, "Ask @A4 and @A2.")
    assert (mentioned(closed, newcomer), mentioned(closed, closed.annotators[0])) == (0, 1)
    newcomer.is_lead = True
    assert mentioned(closed, newcomer) == 1
    round_reopen(closed.round, why="Ann was ill.", by=closed.lead)
    assert mentioned(closed, closed.annotators[0]) == 0
