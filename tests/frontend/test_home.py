"""The first page: my projects, my progress, and what the button does."""

import re
from importlib import resources

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.models import KeyAnswer, Membership, Project
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from tests import factories
from tests.conftest import client_of

pytestmark = pytest.mark.django_db


def body(client, path="/") -> str:
    return client.get(path).content.decode()


def test_somebody_new_is_told_what_to_do():
    page = body(client_of("olu"))
    assert "You take part in no project yet" in page
    assert 'href="/projects/new/"' in page


def test_an_annotator_reads_their_own_progress_and_can_continue():
    made = factories.study("focus", annotators=2, items=2)
    factories.open_round(made, name="Round 7")
    factories.record(made.round, made.annotators[0], made.items[0], "LE", factories.NO)
    page = body(client_of("ann"))
    assert "1 of 20 decided" in page
    assert "Continue Round 7" in page
    assert f'href="/p/{made.project.slug}/rounds/1/work/"' in page
    assert "Start Round 7" in body(client_of("bea"))


def test_questions_are_counted_as_the_units_of_their_protocol():
    made = factories.study("cqs_gen", annotators=2, items=2, questions=3)
    factories.open_round(made)
    assert "0 of 6 decided" in body(client_of("ann"))


def test_whoever_decided_all_is_told_so():
    made = factories.study("context_sufficiency", annotators=2, items=1)
    factories.open_round(made)
    for entry in made.round.codebook.definition["types"]:
        factories.record(made.round, made.annotators[0], made.items[0], entry["code"], factories.NO)
    page = body(client_of("ann"))
    assert "All decided." in page
    assert "Look through Round 1" in page


def test_a_closed_round_is_no_open_work():
    made = factories.study("focus", annotators=2, items=1)
    round_close(factories.open_round(made), by=made.lead)
    page = body(client_of("ann"))
    assert "No round is open." in page
    assert "/work/" not in page


def test_other_peoples_projects_do_not_show():
    factories.study("focus", slug="secret-study")
    assert "secret-study" not in body(client_of("olu"))


def test_creating_a_project_makes_its_creator_the_lead():
    response = client_of("olu").post(
        "/projects/new/", {"name": "Campus debates", "slug": "", "codebook": "focus"}
    )
    assert response["Location"] == "/p/campus-debates/"
    created = Membership.objects.get(project__slug="campus-debates")
    assert (created.user.username, created.is_lead, created.is_annotator) == ("olu", True, False)
    assert created.project.codebooks.get().version == 1


def test_a_taken_short_name_is_refused_beside_its_field():
    factories.study("focus", slug="taken")
    response = client_of("olu").post("/projects/new/", {"name": "X", "slug": "taken", "codebook": "focus"})
    assert "There is a project “taken” already: choose another name." in response.content.decode()
    assert Project.objects.count() == 1


def test_projects_come_page_by_page():
    for number in range(21):
        made = factories.study("focus", annotators=0, items=0, slug=f"p-{number:02}")
        member_add(project=made.project, user=factories.user("olu"))
    client = client_of("olu")
    assert body(client).count('<section class="card"') == 20
    assert body(client, "/?page=2").count('<section class="card"') == 1


def test_whoever_creates_a_project_reads_that_they_lead_and_annotate_in_it():
    client = client_of("olu")
    given = {"name": "Campus", "slug": "campus", "codebook": "focus"}
    page = client.post("/projects/new/", {**given, "annotates": "on"}, follow=True).content.decode()
    assert "Campus is ready. You are its lead and one of its annotators." in page
    assert Membership.objects.get().is_annotator
    page = client.post("/projects/new/", {**given, "name": "Cam\u202epus", "slug": "other"})
    assert page.context["form"].errors == {
        "name": ["Character 4 is U+202E, which turns the direction of reading: a name cannot have it."]
    }


def test_the_log_in_asks_for_a_user_name_or_an_e_mail(client):
    page = client.get("/accounts/login/").content.decode()
    assert '<label for="id_login">User name or e-mail</label>' in page
    assert "Keep me logged in on this computer" in page and "placeholder" not in page
    client.cookies["django_language"] = "es"
    assert "Mantener la sesión iniciada en este equipo" in client.get("/accounts/login/").content.decode()


@pytest.mark.parametrize(
    ("who", "by", "may"),
    [
        ("staff", "staff", True),
        ("lea", "staff", False),
        ("staff", "leads", True),
        ("lea", "leads", True),
        ("ann", "leads", False),
        ("olu", "leads", False),
        ("ann", "anyone", True),
        ("olu", "anyone", True),
    ],
)
def test_who_may_make_projects_is_offered_it_and_nobody_else_can(settings, who, by, may):
    settings.PROJECTS_BY = by
    factories.study("focus", annotators=1, slug="s")
    user = factories.user(who)
    user.is_staff = who == "staff"
    user.save()
    client = client_of(who)
    assert ("/projects/new/" in client.get("/").content.decode()) == may
    assert client.get("/projects/new/").status_code == (200 if may else 403)
    answers = [
        client.post("/projects/new/", {"name": "Mine", "slug": "mine", "codebook": "focus"}).status_code,
        client.post(
            "/api/projects/", {"slug": "mine-too", "codebook": "focus"}, "application/json"
        ).status_code,
    ]
    assert answers == ([302, 201] if may else [403, 403])
    assert Project.objects.exclude(slug="s").count() == (2 if may else 0)
    # Whoever runs the installation makes one for anybody.
    call_command("create_project", "made-for-them", "--codebook", "focus", "--lead", who)


@pytest.fixture
def trained():
    """Round 1 is open, Round 2 is training that opened later, Round 3 is open; one text and type each."""
    made = factories.study("focus", annotators=1, items=1, slug="s")
    factories.open_round(made, types=["LE"])
    made.round = round_create(
        project=made.project,
        purpose="training",
        types=["LE"],
        overlap=1,
        pass_mark=100,
        member=made.lead,
    )
    round_draw(made.round, member=made.lead)
    KeyAnswer.objects.create(round=made.round, item=made.items[0], type_code="LE", applicable=True,
                             start=0, end=3, quote="The")  # fmt: skip
    training = round_open(made.round, members=made.annotators, by=made.lead)
    factories.open_round(made, types=["LE"])
    made.round = training
    return made


def test_training_comes_first_and_both_pages_list_rounds_in_one_order(trained):
    for path in ("/", "/p/s/"):
        page = body(client_of("ann"), path)
        order = re.findall(r"Start (Round \d)", page)
        assert order == ["Round 2", "Round 1", "Round 3"], path
        assert page.count("Training comes first: finish Round 2 before you begin here.") == 2
        assert "After each answer you see the key; the first answer counts and stays." in page


def test_a_finished_training_says_its_total_and_nothing_false(trained):
    factories.record(trained.round, trained.annotators[0], trained.items[0], "LE", factories.NO)
    for path in ("/", "/p/s/"):
        page = " ".join(body(client_of("ann"), path).split())
        assert "All answered: 0 of 1 as in the key, 0 %. Pass mark 100 %:" in page
        assert "not passed; talk to your lead" in page
        assert "Training comes first" not in page and "You can change answers" not in page


TOML = resources.files("annotation.codebooks").joinpath("context_sufficiency.toml").read_text("utf-8")


def started(content, **more):
    given = {"name": "Own study", "slug": "own", "codebook": "file", **more}
    if content is not None:
        given["file"] = SimpleUploadedFile("mine.toml", content)
    return client_of("olu").post("/projects/new/", given)


def test_a_project_starts_from_a_toml_file():
    for number, content in enumerate((TOML.encode(), b"\xef\xbb\xbf" + TOML.replace("\n", "\r\n").encode())):
        assert started(content, slug=f"own-{number}")["Location"] == f"/p/own-{number}/"
        project = Project.objects.get(slug=f"own-{number}")
        assert project.codebooks.get().source == f"{TOML}\n"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "Choose the TOML file of your codebook."),
        (b"", "Choose the TOML file of your codebook."),
        (b"name = ", "line 1"),
        (b'name = "x"', "protocol"),
        (b"focus", "line 1"),
        (b"\xff\xfe", "The file is not UTF-8: save it as UTF-8."),
        (b"#" * (1024 * 1024 + 1), "This is no codebook: it is larger than 1 MB."),
    ],
)
def test_a_file_that_is_no_codebook_is_refused_beside_its_field(content, told):
    response = started(content)
    assert any(told in error for error in response.context["form"].errors["file"])
    assert not Project.objects.exists()
