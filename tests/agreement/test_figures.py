"""The TypedDicts of a report are what real reports hold: no key more, no key fewer."""

import types
from typing import Any, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from django.core.management import call_command

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.models import AgreementReport
from agreement.report.figures import ReportFigures
from annotation.models import Round
from tests.agreement.small_encoder import encoder_folder


def drift(value: Any, hint: Any, place: str = "report") -> list[str]:
    """Return where plain data is not what its TypedDict says, keys and types."""
    if get_origin(hint) is NotRequired:
        hint = get_args(hint)[0]
    if hint is Any:
        return []
    if is_typeddict(hint):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no object"]
        hints = get_type_hints(hint)
        missing = [f"{place}.{key}: is missing" for key in sorted(hint.__required_keys__ - set(value))]
        unknown = [f"{place}.{key}: is not declared" for key in sorted(set(value) - set(hints))]
        inside = [drift(value[key], hints[key], f"{place}.{key}") for key in hints if key in value]
        return [*missing, *unknown, *(found for each in inside for found in each)]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        each = [drift(value, choice, place) for choice in arguments]
        return min(each, key=len)
    if origin is dict:
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no object"]
        return [
            found for key, entry in value.items() for found in drift(entry, arguments[1], f"{place}.{key}")
        ]
    if origin is list:
        if not isinstance(value, list):
            return [f"{place}: {value!r} is no list"]
        return [
            found for at, entry in enumerate(value) for found in drift(entry, arguments[0], f"{place}[{at}]")
        ]
    # Canonical JSON writes a whole number without its point.
    fits = isinstance(value, hint) or (hint is float and type(value) is int)
    return [] if fits else [f"{place}: {value!r} is no {hint.__name__}"]


@pytest.mark.django_db
def test_the_figures_of_both_protocols_have_the_keys_that_their_types_declare(settings, tmp_path):
    call_command("load_sample", verbosity=0)
    settings.ENCODER = str(encoder_folder(tmp_path))
    AgreementReport.objects.all().delete()
    reports = []
    for round in Round.objects.filter(status=Round.Status.CLOSED).exclude(purpose=Round.Purpose.TRAINING):
        report = report_request(round=round, parameters={"replicates": 100})
        assert report_compute(report_id=report.id)
        report.refresh_from_db()
        reports.append(report)
    assert {report.figures["protocol"] for report in reports} == {"focus", "cqs_gen"}
    assert any("encoder" in report.figures for report in reports)
    kinds = {section["kind"] for report in reports for section in report.figures["sections"]}
    assert kinds == {"type", "group", "all", "labels", "useful", "reasons"}
    assert [found for report in reports for found in drift(report.figures, ReportFigures)] == []


def test_a_key_more_a_key_fewer_and_another_type_are_found():
    class Inner(TypedDict):
        n: int
        value: float | None

    class Outer(TypedDict):
        rows: list[Inner]
        note: NotRequired[str]

    assert drift({"rows": [{"n": 1, "value": None}, {"n": 2, "value": 1}]}, Outer) == []
    assert drift({"rows": [{"n": 1}], "more": 1}, Outer) == [
        "report.more: is not declared",
        "report.rows[0].value: is missing",
    ]
    assert drift({"rows": [{"n": "1", "value": 0.5}], "note": None}, Outer) == [
        "report.rows[0].n: '1' is no int",
        "report.note: None is no str",
    ]
