"""In tests no row lies where another database might not put it, and only there is anything changed."""

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import Count, Exists, OuterRef

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def groups() -> list[int]:
    return [Group.objects.create(name=name).pk for name in ("b", "a", "c")]


def test_what_a_query_leaves_open_comes_last_made_first(groups):
    assert list(Group.objects.order_by().values_list("pk", flat=True)) == groups[::-1]
    assert [group.name for group in Group.objects.order_by("name")] == ["a", "b", "c"]
    people = [User.objects.create(username=name, last_name="Same") for name in ("x", "y")]
    assert list(User.objects.order_by("last_name")) == people[::-1]


def test_totals_unions_inner_queries_and_deletions_stay_as_they_are(groups):
    assert (Group.objects.count(), Group.objects.aggregate(n=Count("pk"))) == (3, {"n": 3})
    assert Group.objects.values_list("pk").union(Group.objects.values_list("pk")).count() == 3
    inner = Group.objects.filter(pk=OuterRef("pk"), name="a")
    assert Group.objects.filter(Exists(inner)).delete()[0] == 1
    assert set(
        Group.objects.filter(pk__in=Group.objects.values("pk")[:2]).values_list("name", flat=True)
    ) == {
        "b",
        "c",
    }
