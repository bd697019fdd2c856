"""The command validate_codebook, as a person at the terminal meets it. No database is touched."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from annotation.management.commands.validate_codebook import Command
from tests.annotation.test_codebooks import TYPOLOGY


def run(argument: str) -> str:
    out = StringIO()
    call_command(Command(), argument, stdout=OutputWrapper(out))
    return out.getvalue()


def test_a_shipped_codebook_is_summed_up_by_its_name():
    assert run("context_sufficiency") == (
        "Context sufficiency: can this text be annotated?\n"
        "protocol focus, language en\n"
        "type CTX: Context Sufficient, without span\n"
        "type TOP: Topic Related, without span\n"
        "translation es: 10 of 10 texts\n"
        "translation ja: 10 of 10 texts\n"
    )


def test_types_are_shown_with_their_group_and_span(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TYPOLOGY, encoding="utf-8")
    assert run(str(path)) == (
        "T\nprotocol focus, language en\ntype AA: Alpha (One), with span\ntype BB: Beta (One), without span\n"
        "derived NONE: None of the Above\n"
    )


def test_labels_and_reasons_are_shown_for_question_codebooks():
    lines = run("cqs_gen").splitlines()
    assert "label UN: Unhelpful" in lines
    assert "reason NC: New Concept, may carry an edited question" in lines
    assert "reason NCR: Not Critical" in lines


def test_every_problem_of_a_broken_file_is_listed_behind_the_path_that_was_given(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TYPOLOGY.replace('title = "T"', "").replace("Why _____?", "Why?"), encoding="utf-8")
    with pytest.raises(CommandError) as raised:
        run(str(path))
    assert str(raised.value) == f"{path}: title: is missing\n{path}: types[0].exemplar: has no blank _____"
    assert raised.value.returncode == 1


def test_a_file_that_is_not_there_is_an_error_with_its_path(tmp_path):
    with pytest.raises(CommandError, match=r"absent\.toml: No such file or directory"):
        run(str(tmp_path / "absent.toml"))


def test_the_command_runs_without_system_checks():
    assert Command.requires_system_checks == []
