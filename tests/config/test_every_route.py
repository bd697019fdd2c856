"""Every address below a project, of pages and API alike: who gets in, and what stays unseen meanwhile."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.urls.converters import SlugConverter
from django.utils import timezone

from annotation.models import Upload
from annotation.projects.invitations import invitation_create
from annotation.rounds.lifecycle import round_close
from exports.models import QuestionRefinement, RefinementRun, Release
from exports.selection.parameters import Parameters
from scoring.models import Evaluation, System
from tests import factories
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

MEMBERS = {
    "api-project", "api-rounds", "api-round", "api-workspace", "api-units", "api-outline", "api-judgements",
    "api-training",
}  # fmt: skip
"""Routes of the API that annotators use; all others are for leads."""

SECRET = "what only Ann has said so far"


@pytest.fixture
def study():
    """An open round in which Ann has judged one unit of each kind and said why."""
    made = factories.study("focus", annotators=2, items=2, slug="guarded")
    factories.open_round(made)
    ann, item = made.annotators[0], made.items[0]
    factories.record(made.round, ann, item, "LE", factories.yes(item, "grades", comment=SECRET))
    factories.record(made.round, ann, item, "OSP", {"cannot_judge": True, "comment": SECRET})
    Release.objects.create(project=made.project, version="1.0", parameters=Parameters().to_json())
    return made


def patterns(resolver=None) -> Iterator[tuple[str, URLPattern]]:
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLPattern):
            if "slug" in {*pattern.pattern.converters}:
                yield pattern.name or "", pattern
        else:
            yield from patterns(pattern)


def address(pattern: URLPattern, made: factories.Study, **of_another: object) -> str:
    known = {
        "slug": "guarded",
        "number": 1,
        "item_id": made.items[0].pk,
        "key": "LE",
        "upload_id": 1,
        "version": "1.0",
        "name": _name(pattern),
        "entry_id": 1,
        "file": "board.csv",
        "token": "0",
        "refinement_id": 1,
        "system_id": 1,
        "evaluation_id": 1,
        "answer_id": 1,
        "import_id": made.items[0].brought_by_id,
        "person_id": made.annotators[0].pk,
        "pseudonym": made.annotators[0].pseudonym,
        "external_id": made.items[0].external_id,
        "invitation_id": invitation_create(project=made.project, member=made.lead)[0].pk,
        **of_another,
    }
    return reverse(pattern.name or "", kwargs={name: known[name] for name in pattern.pattern.converters})


def _name(pattern: URLPattern) -> str:
    if isinstance(pattern.pattern.converters.get("name"), SlugConverter):
        return "best"
    return "alpha" if "charts" in str(pattern.pattern) else "focus.json"


def api_routes() -> list[tuple[str, URLPattern, str]]:
    """Return (name, pattern, method) for each thing that the API does."""
    return [
        (name, pattern, method)
        for name, pattern in patterns()
        # Boards answer people of no project: tests/boards/test_disclosure_table.py.
        if name.startswith("api-") and not name.startswith("api-board")
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(pattern.callback.cls, method)
    ]


def ask(client: Client, method: str, url: str):
    return getattr(client, method)(url, **({} if method == "get" else {"content_type": "application/json"}))


def refusal(client: Client, method: str, url: str) -> tuple[int, str]:
    response = ask(client, method, url)
    return response.status_code, response.json()["code"]


def test_the_api_answers_nobody_but_those_it_is_for(study):
    factories.user("olu")
    stranger, outsider, annotator = Client(), client_of("olu"), client_of("ann")
    for name, pattern, method in api_routes():
        url = address(pattern, study)
        assert refusal(stranger, method, url) == (403, "not_authenticated"), f"{method} {url}"
        assert refusal(outsider, method, url) == (404, "not_found"), f"{method} {url}"
        if name not in MEMBERS or (name, method) == ("api-rounds", "post"):
            assert refusal(annotator, method, url) == (403, "not_allowed"), f"{method} {url}"


def other_project() -> dict[str, object]:
    """Return what names a thing of another project of the same lead, by its name in addresses."""
    made = factories.study("focus", annotators=2, items=1, slug="other")
    for _ in range(2):
        factories.open_round(made)
        round_close(made.round)
    Release.objects.create(project=made.project, version="9.9", parameters=Parameters().to_json())
    asked = {"max_tokens": 1, "timeout": 1, "per_minute": 1, "max_questions": 1, "sources": []}
    ended = {"state": "done", "finished_at": timezone.now()}
    for number in (1, 2):
        run = RefinementRun.objects.create(project=made.project, number=number, **asked, **ended)
    answered = {"tries": 1, "answered_at": timezone.now(), "state": "refined", "question": "Why?"}
    refinement = QuestionRefinement.objects.create(
        run=run, item=made.items[0], type_code="LE", start=0, end=1, **answered
    )
    evaluation = _evaluated(made)
    return {
        "system_id": evaluation.submission.system_id,
        "evaluation_id": evaluation.pk,
        "answer_id": evaluation.answers.get().pk,
        "number": 2,
        "item_id": made.items[0].pk,
        "upload_id": Upload.objects.create(project=made.project, member=made.lead, name="x.csv", size=1).pk,
        "version": "9.9",
        "refinement_id": refinement.pk,
        "import_id": made.items[0].brought_by_id,
        "person_id": made.annotators[0].pk,
        "invitation_id": invitation_create(project=made.project, member=made.lead)[0].pk,
    }


def _evaluated(made: factories.Study) -> Evaluation:
    """Return an evaluation with an answer, against a release that is built."""
    built = {"state": "done", "digest": "d", "card": "c", "built_at": timezone.now()}
    release = Release.objects.create(project=made.project, version="9.8", parameters={}, **built)
    system = System.objects.create(project=made.project, name="Parrot", name_key="parrot")
    submission = system.submissions.create(release=release, digest="d")
    asked = {"method": "exact", "parameters_digest": "d", "engine": 1, "release_digest": "d"}
    lease = {"state": "running", "lease_token": "t", "lease_until": timezone.now()}
    evaluation = submission.evaluations.create(scope="decided", **asked, **lease)
    evaluation.answers.create(run=1, item="I-1", position=0, unit="LE", place=0, label="hit")
    return evaluation


def test_what_belongs_to_another_project_is_at_no_address_of_this_one(study):
    round_close(study.round)
    study.lead.is_annotator = True
    study.lead.save()
    client = client_of("lea")
    for name, thing in other_project().items():
        for route, pattern in patterns():
            # A judgement's form is checked before its round is looked up.
            if name not in pattern.pattern.converters or route == "api-judgements":
                continue
            url = address(pattern, study, **{name: thing})
            statuses = {ask(client, method, url).status_code for method in ("get", "post", "put")}
            assert 404 in statuses, url
            assert statuses <= {404, 405}, url


def test_a_file_of_a_release_is_kept_from_others_also_in_parts(study):
    url = "/api/projects/guarded/releases/1.0/files/focus.json"
    factories.user("olu")
    for client, status in ((Client(), 403), (client_of("olu"), 404), (client_of("ann"), 403)):
        assert client.get(url, headers={"Range": "bytes=0-9"}).status_code == status
        assert client.head(url).status_code == status


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("who", ["lea", "bea"])
def test_while_a_round_is_open_no_address_tells_what_somebody_else_judged(study, who, live):
    if live:
        study.round.live_agreement = True
        study.round.save()
    client = client_of(who)
    met = set()
    for name, pattern in patterns():
        response = client.get(address(pattern, study))
        body = b"".join(response) if response.streaming else response.content
        assert SECRET.encode() not in body, name
        assert response.status_code < 500, name
        met.add(response.status_code)
    assert 200 in met
    # Ann herself reads it: the search would find it.
    units = client_of("ann").get("/api/projects/guarded/rounds/1/units/")
    assert SECRET in units.content.decode()
