"""What the API is described as is what it does: schemathesis asks every address as each role and compares.

Bounded: a few made-up requests an address and role. More: ELENCHUS_API_EXAMPLES=100.
"""

import json
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import requests
import schemathesis
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.rounds.lifecycle import round_close
from boards.models import Entry
from exports.models import Release
from exports.selection.parameters import Parameters
from tests import factories
from tests.boards.made import asked, handed_in, questions_board, team
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

EXAMPLES = int(os.environ.get("ELENCHUS_API_EXAMPLES", "3"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@cache
def described() -> Any:
    whole = SchemaGenerator().get_schema(request=None, public=True)
    return schemathesis.openapi.from_dict(
        json.loads(OpenApiJsonRenderer().render(whole, renderer_context={}))
    )


def operations() -> Iterator[Any]:
    for found in described().get_all_operations():
        yield found.ok()


@pytest.fixture
def study(monkeypatch) -> factories.Study:
    """An open round with judgements, a closed one with a report to come, a release to come."""
    made = factories.study("focus", annotators=2, items=2, slug="described")
    factories.open_round(made)
    for annotator in made.annotators:
        factories.record(made.round, annotator, made.items[0], "LE", factories.yes(made.items[0], "grades"))
    round_close(made.round)
    factories.open_round(made)
    Release.objects.create(project=made.project, version="1.0", parameters=Parameters().to_json())
    asks, board = questions_board()
    for task in ("place_entry", "prepare_version", "compare_with_the_best"):
        monkeypatch.setattr(f"boards.tasks.{task}.delay", lambda key: None)
    team(board, user="ann")
    handed_in(board, asked(asks, right=1), "ann")
    return made


def known(made: factories.Study, operation: Any, name: str, number: int) -> Any:
    if "/boards/" in operation.path and name in BOARD:
        return BOARD[name]
    if name == "entry_id":
        return Entry.objects.get().pk
    places = {
        "slug": "described",
        "number": number,
        "item_id": made.items[0].pk,
        "key": "LE",
        "version": "1.0",
    }
    return places.get(name, 1)


BOARD = {"slug": "ask", "name": "best"}
"""Boards are on a project of their own, with the same lead, and the annotator is in a team."""

ROLES = {"nobody": None, "an outsider": "olu", "an annotator": "ann", "a lead": "lea"}


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_one_that_the_description_has(study, role):
    name = ROLES[role]
    client = client_of(name) if name else Client()
    client.raise_request_exception = False
    wrong = {
        operation.label: told for operation in operations() if (told := differs(client, study, operation))
    }
    assert not wrong, "\n\n".join(f"{label}: {told}" for label, told in wrong.items())


def differs(client: Client, made: factories.Study, operation: Any) -> str:
    """Ask an address a few times; return how an answer differs from its description."""
    asked = 0

    def ask(data: st.DataObject) -> None:
        nonlocal asked
        case = data.draw(operation.as_strategy())
        # A made-up name leads to nothing; mostly one that is there is asked for.
        if data.draw(st.integers(0, 3)) > 0:
            number = data.draw(st.sampled_from([1, 2]))
            case.path_parameters = {
                part: known(made, operation, part, number) for part in case.path_parameters
            }
        with transaction.atomic():
            send(client, case)
            transaction.set_rollback(True)
        asked += 1

    bounded = settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    try:
        seed(0)(bounded(given(st.data())(ask)))()
    except (Failure, FailureGroup) as failure:
        return str(getattr(failure, "exceptions", [failure])[0])
    assert asked, "nothing was asked"
    return ""


def send(client: Client, case: Any) -> None:
    """Send what schemathesis made up through Django's client, and have it judge the answer."""
    prepared = requests.Request(**case.as_transport_kwargs(base_url="http://testserver")).prepare()
    headers = {key: value for key, value in prepared.headers.items() if key.lower() not in LEFT_OUT}
    body = prepared.body or b""
    answer = client.generic(
        prepared.method,
        prepared.path_url,
        body.encode() if isinstance(body, str) else body,
        content_type=prepared.headers.get("Content-Type", "application/json"),
        headers=headers,
    )
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    told = {key.lower(): [value] for key, value in answer.headers.items()}
    response = Response(answer.status_code, told, content, prepared, elapsed=0.0, verify=False)
    case.validate_response(response, checks=CHECKS)


LEFT_OUT = {"content-type", "content-length", "cookie", "user-agent", "accept-encoding"}
