"""Invitations are used once, by whoever has the link, until they expire or are revoked."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Invitation, Membership, ProjectEvent
from annotation.projects import invitations as inviting
from annotation.projects.invitations import (
    find_invitation,
    invitation_accept,
    invitation_create,
    invitation_revoke,
)
from annotation.projects.members import member_deactivate
from core.errors import NotFound, Refused
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return factories.study("focus", annotators=2, items=1)


def invite(study, **options):
    return invitation_create(project=study.project, member=study.lead, **options)


def test_accepting_makes_a_member_under_the_next_pseudonym(study):
    invitation, token = invite(study, note="Dana")
    member = invitation_accept(token=token, user=factories.user("dana"), background=" MSc student ")
    assert (member.pseudonym, member.is_annotator, member.is_lead) == ("A4", True, False)
    assert member.background == "MSc student"
    invitation.refresh_from_db()
    assert (invitation.used_by, invitation.used_at is not None) == (member, True)


def test_the_database_cannot_give_the_link_away(study):
    invitation, token = invite(study)
    stored = Invitation.objects.filter(pk=invitation.pk).values().get()
    assert len(token) >= 43
    assert token not in str(stored)
    assert token not in str(list(ProjectEvent.objects.values_list("details", flat=True)))


def test_a_link_works_once(study):
    _, token = invite(study)
    invitation_accept(token=token, user=factories.user("dana"))
    with pytest.raises(NotFound, match="used already"):
        invitation_accept(token=token, user=factories.user("eve"))
    assert not Membership.objects.filter(user__username="eve").exists()


def test_of_two_who_accept_at_the_same_moment_one_gets_in(study, monkeypatch):
    _, token = invite(study)
    looked = inviting.refuse_archived

    def quicker(project):
        monkeypatch.setattr(inviting, "refuse_archived", looked)
        invitation_accept(token=token, user=factories.user("dana"))

    monkeypatch.setattr(inviting, "refuse_archived", quicker)
    with pytest.raises(NotFound, match="used already"):
        invitation_accept(token=token, user=factories.user("eve"))


def test_an_expired_or_revoked_link_lets_nobody_in(study):
    expired, token = invite(study)
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotFound, match="no longer valid"):
        invitation_accept(token=token, user=factories.user("dana"))
    revoked, token = invite(study)
    invitation_revoke(invitation=revoked, member=study.lead)
    with pytest.raises(NotFound, match="no longer valid"):
        find_invitation(token)


def test_a_guessed_token_is_no_invitation():
    with pytest.raises(NotFound, match="no invitation link"):
        find_invitation("guess")


def test_a_used_invitation_cannot_be_revoked(study):
    invitation, token = invite(study)
    invitation_accept(token=token, user=factories.user("dana"))
    with pytest.raises(Refused, match="Deactivate the person instead"):
        invitation_revoke(invitation=invitation, member=study.lead)


def test_whoever_takes_part_gets_the_new_role_and_keeps_the_pseudonym(study):
    _, token = invite(study, is_lead=True, is_annotator=False)
    ann = invitation_accept(token=token, user=factories.user("ann"))
    assert (ann.pk, ann.is_lead, ann.is_annotator) == (study.annotators[0].pk, True, True)


def test_an_invitation_that_gives_nothing_new_is_not_used_up(study):
    invitation, token = invite(study)
    with pytest.raises(Refused, match="already, as A2"):
        invitation_accept(token=token, user=factories.user("ann"))
    assert find_invitation(token) == invitation


def test_a_deactivated_member_does_not_come_back_by_a_link(study):
    member_deactivate(target=study.annotators[0], member=study.lead)
    _, token = invite(study)
    with pytest.raises(Refused, match="Ask one of its leads to reactivate you"):
        invitation_accept(token=token, user=factories.user("ann"))


def test_an_invitation_needs_a_role_and_a_sensible_life(study):
    with pytest.raises(Refused, match="annotator, lead or both"):
        invite(study, is_annotator=False)
    with pytest.raises(Refused, match="between 1 and 365 days"):
        invite(study, days=0)
