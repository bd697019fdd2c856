"""Leads invite people by link, and people join with an account or a new one."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from annotation.models import Invitation, Membership
from annotation.projects.invitations import invitation_create
from tests import factories
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

ACCOUNT = {"username": "dana", "password1": "quite-a-long-one-7", "password2": "quite-a-long-one-7"}


@pytest.fixture
def study():
    return factories.study("focus", annotators=2, items=1, slug="s")


def links_of(page: str) -> list[str]:
    return re.findall(r'value="http://testserver(/join/[\w-]+/)"', page)


def test_each_line_gets_a_link_that_shows_once(lead_client, study):
    given = {"notes": "Dana\r\n\r\n Eve \r\n", "roles": ["annotator"], "days": "14"}
    page = lead_client.post("/p/s/people/", given).content.decode()
    assert len(set(links_of(page))) == 2
    assert list(Invitation.objects.order_by("id").values_list("note", flat=True)) == ["Dana", "Eve"]
    assert links_of(lead_client.get("/p/s/people/").content.decode()) == []


def test_addresses_get_their_link_by_e_mail(lead_client, study):
    given = {"notes": "dana@example.org\nEve", "roles": ["annotator"], "days": "3"}
    page = lead_client.post("/p/s/people/", given).content.decode()
    assert [message.to for message in mail.outbox] == [["dana@example.org"]]
    assert links_of(page)[0] in mail.outbox[0].body
    assert page.count("(sent by e-mail)") == 1


def test_a_password_that_is_too_short_is_told_beside_the_password(study):
    _, token = invitation_create(project=study.project, member=study.lead)
    short = {**ACCOUNT, "password1": "x7!", "password2": "x7!"}
    form = Client().post(f"/join/{token}/", short).context["form"]
    assert list(form.errors) == ["password1"]
    assert not User.objects.filter(username="dana").exists()


def test_without_a_role_nobody_is_invited(lead_client, study):
    page = lead_client.post("/p/s/people/", {"notes": "Dana", "days": "14"}).content.decode()
    assert "Choose what the person will be" in page
    assert not Invitation.objects.exists()


def test_a_stranger_makes_an_account_and_takes_part(study):
    _, token = invitation_create(project=study.project, member=study.lead)
    client = Client()
    assert "Make an account and join" in client.get(f"/join/{token}/").content.decode()
    response = client.post(f"/join/{token}/", {**ACCOUNT, "background": "Linguist"})
    assert response["Location"] == "/p/s/"
    dana = Membership.objects.get(user__username="dana")
    assert (dana.pseudonym, dana.background, dana.is_lead) == ("A4", "Linguist", False)
    assert "You annotate here as A4." in client.get("/p/s/").content.decode()


def test_a_weak_password_makes_no_account(study):
    _, token = invitation_create(project=study.project, member=study.lead)
    page = Client().post(f"/join/{token}/", {**ACCOUNT, "password1": "12345678", "password2": "12345678"})
    assert "too common" in page.content.decode()
    assert not User.objects.filter(username="dana").exists()
    assert Invitation.objects.get().used_at is None


def test_somebody_with_an_account_joins_with_it(study):
    _, token = invitation_create(project=study.project, member=study.lead, is_lead=True)
    client = client_of("olu")
    assert "lead this study" in client.get(f"/join/{token}/").content.decode()
    client.post(f"/join/{token}/", {"background": ""})
    assert Membership.objects.get(user__username="olu").is_lead is True


def test_a_used_link_says_so(study):
    _, token = invitation_create(project=study.project, member=study.lead)
    client_of("olu").post(f"/join/{token}/", {})
    response = client_of("eve").get(f"/join/{token}/")
    assert response.status_code == 404
    assert "This invitation was used already" in response.content.decode()


def test_revoking_makes_the_link_worthless(lead_client, study):
    invitation, token = invitation_create(project=study.project, member=study.lead)
    lead_client.post(f"/p/s/invitations/{invitation.pk}/revoke/")
    assert Client().get(f"/join/{token}/").status_code == 404


def test_an_invitation_of_another_project_cannot_be_revoked(lead_client, study):
    other = factories.study("focus", slug="other")
    invitation, _ = invitation_create(project=other.project, member=other.lead)
    assert lead_client.post(f"/p/s/invitations/{invitation.pk}/revoke/").status_code == 404
    invitation.refresh_from_db()
    assert invitation.revoked_at is None


def test_people_of_another_project_cannot_be_reached(lead_client, study):
    foreign = factories.study("focus", slug="other").annotators[0]
    for act in ("", "deactivate/", "reassign/1/"):
        assert lead_client.get(f"/p/s/people/{foreign.pk}/{act}").status_code == 404
    lead_client.post(f"/p/s/people/{foreign.pk}/deactivate/", {"judgements": "keep"})
    foreign.refresh_from_db()
    assert foreign.is_active is True


def test_a_person_who_withdraws_is_out_with_their_judgements(lead_client, study):
    ann = study.annotators[0]
    lead_client.post(f"/p/s/people/{ann.pk}/deactivate/", {"judgements": "leave_out"})
    assert client_of("ann").get("/p/s/").status_code == 403
    page = lead_client.get(f"/p/s/people/{ann.pk}/").content.decode()
    assert "their judgements are left out of figures and releases made since" in page


def test_the_last_lead_cannot_give_the_role_up(lead_client, study):
    page = lead_client.post(f"/p/s/people/{study.lead.pk}/", {"roles": ["annotator"], "background": ""})
    assert "A project keeps at least one lead" in page.content.decode()


def test_unfinished_texts_are_reassigned(lead_client):
    made = factories.study("focus", annotators=3, items=3, slug="t")
    factories.open_round(made, overlap=2)
    ann, _, cai = made.annotators
    before = made.round.assignments.filter(member=ann).count()
    page = lead_client.post(
        f"/p/t/people/{ann.pk}/reassign/1/", {"what": "texts", "takers": [cai.pk]}, follow=True
    ).content.decode()
    left = made.round.assignments.filter(member=ann, released_at__isnull=True).count()
    assert (before, left) == (2, 1)
    assert "1 text of Round 1 is reassigned." in page
    assert "1 text stays with A2: everybody chosen has it already." in page


def test_undecided_types_are_reassigned_and_the_page_says_of_how_many_texts(lead_client):
    made = factories.study("focus", annotators=3, items=3, slug="t")
    factories.open_round(made, overlap=1)
    ann, _, cai = made.annotators
    (own,) = made.round.assignments.filter(member=ann)
    first, second, *rest = made.round.type_codes
    factories.record(made.round, ann, own.item, first, factories.NO)
    address = f"/p/t/people/{ann.pk}/reassign/1/"
    offered = lead_client.get(address).context["form"].fields["types"].choices
    assert [code for code, _ in offered] == [second, *rest]
    assert offered[0][1].endswith(" (1)")
    given = {"what": "types", "types": [second, rest[0]], "takers": [cai.pk]}
    page = lead_client.post(address, given, follow=True).content.decode()
    assert "2 units of Round 1 are reassigned." in page
    own.refresh_from_db()
    assert own.types.split() == [first, *rest[1:]]
    assert made.round.assignments.get(member=cai, item=own.item).types == f"{second} {rest[0]}"


def test_handing_on_types_needs_a_type(lead_client):
    made = factories.study("focus", annotators=2, items=1, slug="t")
    factories.open_round(made, overlap=1)
    (own,) = made.round.assignments.all()
    taker = next(one for one in made.annotators if one != own.member)
    page = lead_client.post(
        f"/p/t/people/{own.member_id}/reassign/1/", {"what": "types", "takers": [taker.pk]}
    )
    assert page.context["form"].errors == {"types": ["Choose at least one type."]}


def test_questions_are_reassigned_by_whole_texts_alone(lead_client):
    made = factories.study("cqs_gen", annotators=2, items=1, slug="t")
    factories.open_round(made, overlap=1)
    (own,) = made.round.assignments.all()
    form = lead_client.get(f"/p/t/people/{own.member_id}/reassign/1/").context["form"]
    assert list(form.fields) == ["takers"]


def test_pausing_and_going_on_are_one_button(lead_client):
    made = factories.study("focus", annotators=2, items=1, slug="t")
    factories.open_round(made)
    lead_client.post("/p/t/rounds/1/pause/")
    assert "Let Round 1 go on" in lead_client.get("/p/t/rounds/1/").content.decode()
    assert "Paused by a lead" in client_of("ann").get("/").content.decode()
    lead_client.post("/p/t/rounds/1/pause/", {"then": "resume"})
    assert "Paused by a lead" not in client_of("ann").get("/").content.decode()


def test_whoever_takes_part_already_is_led_to_the_project_and_the_link_stays_for_others(study):
    invitation, token = invitation_create(project=study.project, member=study.lead)
    response = client_of("ann").get(f"/join/{token}/", follow=True)
    assert response.request["PATH_INFO"] == "/p/s/"
    assert "You take part in this project already, as A2. The invitation is still unused." in (
        response.content.decode()
    )
    invitation.refresh_from_db()
    assert invitation.used_at is None
    _, token = invitation_create(project=study.project, member=study.lead, is_lead=True)
    assert "Join the study" in client_of("ann").get(f"/join/{token}/").content.decode()
