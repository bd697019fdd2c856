"""Prepared queries find and store what the ORM would, and nobody is logged in by a guess."""

import json
from functools import partial

import pytest
from django.contrib.sessions.models import Session
from django.db import connection, models, transaction
from django.utils import timezone

from annotation.api import seat
from annotation.judging import prepared
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Membership,
    QuestionAnnotation,
    TypeAnnotation,
)
from core.prepared import Prepared
from tests.conftest import client_of
from tests.factories import NO, cqs_study, judge_question, open_round, record, study, yes

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def as_told(row):
    """Return all that was read of a row and of the rows beside it, without asking the database again."""
    told = {name: value for name, value in vars(row).items() if name != "_state"}
    beside = {name: as_told(value) for name, value in row._state.fields_cache.items() if value is not None}
    return {"model": type(row), "fields": told, "beside": beside}


@pytest.fixture
def focus():
    made = study(annotators=2, items=4)
    open_round(made)
    ann = made.annotators[0]
    record(made.round, ann, made.items[0], "OG", NO)
    record(made.round, ann, made.items[1], "TC", yes(made.items[1], "parks make people happy 🎉"))
    record(
        made.round, ann, made.items[2], "OG", {"cannot_judge": True, "comment": "Café — why?", "unsure": True}
    )
    return made


@pytest.fixture
def questions():
    made = cqs_study(items=2)
    judge_question(made, made.items[0].questions.first(), [{"label": "USE"}, {"label": "IN", "reason": "BR"}])
    return made


def key_of(client):
    return client.cookies["sessionid"].value


def cases(focus, questions):
    """Yield each query with values that find rows, and with some that find none."""
    client = client_of("ann")
    ann = focus.annotators[0]
    yield prepared.seat, {"session_key": key_of(client), "user": ann.user_id, "slug": focus.project.slug}
    yield prepared.seat, {"session_key": "nobody's", "user": ann.user_id, "slug": focus.project.slug}
    yield prepared.seat, {"session_key": key_of(client), "user": ann.user_id, "slug": "elsewhere"}
    for made in (focus, questions):
        member = made.annotators[0]
        yield prepared.round_of, {"project": made.project.pk, "number": made.round.number}
        yield prepared.round_of, {"project": made.project.pk, "number": 10**30}
        for after, limit in ((0, 1), (0, 50), (1, 2), (10**30, 2)):
            values = {"round": made.round.pk, "member": member.pk, "after": after}
            yield prepared.assignments_after(limit), values
        between = {"round": made.round.pk, "member": member.pk, "first": 1, "last": 3}
        yield prepared.type_rows, between
        for pk in Assignment.objects.filter(round=made.round).values_list("pk", flat=True):
            where = {"project": made.project.pk, "number": made.round.number}
            yield prepared.assignment_locked, {"pk": pk, "member": member.pk, **where}
    for row in TypeAnnotation.objects.all():
        yield prepared.type_row, {"assignment": row.assignment_id, "type_code": row.type_code}
    yield prepared.type_row, {"assignment": 1, "type_code": 'it\'s "%s"'}
    for row in QuestionAnnotation.objects.all():
        yield prepared.question_row, {"assignment": row.assignment_id, "question": row.question_id}


def test_each_query_finds_what_the_orm_finds(focus, questions):
    found = {}
    for query, values in cases(focus, questions):
        with transaction.atomic():
            expected = [as_told(row) for row in query.make(**values)]
            assert [as_told(row) for row in query.rows(**values)] == expected, (query.make, values)
        found[query] = found.get(query, 0) + len(expected)
    all_of_them = {one for one in vars(prepared).values() if isinstance(one, Prepared)}
    assert all_of_them <= set(found)
    assert min(found.values()) > 0


@pytest.mark.parametrize("model", [AnnotationEvent, TypeAnnotation, QuestionAnnotation])
def test_a_row_is_stored_as_save_stores_it(model, focus, questions):
    made = questions if model is QuestionAnnotation else focus
    stored = model.objects.order_by("pk").last()
    names = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    free = {
        AnnotationEvent: {
            "client_event_id": "another",
            "before": None,
            "after": {"comment": "“é” 🎉", "n": [1]},
        },
        TypeAnnotation: {"type_code": "WE", "decided_at": timezone.now(), "comment": "%s ‘’"},
        QuestionAnnotation: {
            "question_id": made.items[0].questions.last().pk if model is QuestionAnnotation else 0
        },
    }[model]
    values = {name: getattr(stored, name) for name in names} | free
    told = []
    for insert in (prepared.INSERTS[model].insert, partial(models.Model.save, force_insert=True)):
        before = set(model.objects.values_list("pk", flat=True))
        with transaction.atomic():
            insert(model(**values))
            [row] = model.objects.exclude(pk__in=before).values(*names)
            told.append(row | ({"created_at": None} if "created_at" in row else {}))
            transaction.set_rollback(True)
    assert told[0] == told[1]


def test_a_query_that_does_not_use_a_value_is_refused():
    with pytest.raises(AssertionError, match="compares nothing with"):
        Prepared(lambda pk, other: Membership.objects.filter(pk=pk)).rows(pk=1, other=2)


class TestSeat:
    """The process remembers whose session it saw: a guess, which changes no answer."""

    @pytest.fixture
    def made(self):
        made = study(annotators=2, items=2)
        open_round(made)
        seat._known.clear()
        return made

    def units(self, client, made):
        return client.get(f"/api/projects/{made.project.slug}/rounds/1/units/")

    def test_a_second_request_reads_session_account_and_membership_in_one_statement(
        self, made, django_assert_num_queries
    ):
        client = client_of("ann")
        first = self.units(client, made).json()
        assert seat._known == {key_of(client): made.annotators[0].user_id}
        with django_assert_num_queries(4):
            again = self.units(client, made).json()
        assert again == first

    def test_a_wrong_guess_is_found_out(self, made):
        ann, bea = client_of("ann"), client_of("bea")
        seat._known[key_of(bea)] = made.annotators[0].user_id
        own = {one["assignment"] for one in self.units(bea, made).json()["results"]}
        mine = made.round.assignments.filter(member=made.annotators[1])
        assert own == set(mine.values_list("pk", flat=True))
        assert seat._known[key_of(bea)] == made.annotators[1].user_id
        assert self.units(ann, made).status_code == 200

    @pytest.mark.parametrize("ended", ["logged out", "expired", "deactivated account", "new password"])
    def test_whoever_is_not_logged_in_any_more_is_refused(self, made, ended):
        client = client_of("ann")
        assert self.units(client, made).status_code == 200
        user = made.annotators[0].user
        if ended == "logged out":
            Session.objects.all().delete()
        elif ended == "expired":
            Session.objects.update(expire_date=timezone.now())
        elif ended == "deactivated account":
            type(user).objects.filter(pk=user.pk).update(is_active=False)
        else:
            user.set_password("another")
            user.save()
        answer = self.units(client, made)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_authenticated")

    def test_whoever_left_the_project_is_told_so_at_once(self, made):
        client = client_of("ann")
        assert self.units(client, made).status_code == 200
        Membership.objects.filter(pk=made.annotators[0].pk).update(is_active=False)
        answer = self.units(client, made)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
        assert answer.json()["member"] == made.annotators[0].pk

    def test_a_decision_without_the_pages_token_is_refused(self, made):
        client = client_of("ann")
        assert self.units(client, made).status_code == 200
        client.handler.enforce_csrf_checks = True
        answer = client.post(
            f"/api/projects/{made.project.slug}/rounds/1/judgements/",
            json.dumps({"event_id": "x", "assignment": 1, "type": "OG", "base_revision": 0, "answer": NO}),
            "application/json",
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")


@pytest.mark.postgresql
def test_postgresql_keeps_the_plan_of_a_statement_that_comes_again(focus):
    client = client_of("ann")
    for _ in range(8):
        values = {"user": focus.annotators[0].user_id, "slug": focus.project.slug}
        assert prepared.seat.one(session_key=key_of(client), **values)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%session_data%'")
        assert cursor.fetchone() == (1,)
