"""Say what is in a codebook, or everything that is wrong with it."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.codebooks.definition import Codebook
from annotation.codebooks.toml_reader import SHIPPED, CodebookError, load_shipped, read_codebook_file
from annotation.codebooks.translations import translation_states


class Command(BaseCommand):
    help = "Validate a codebook file, or one that ships, and print a summary. Needs no database."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "codebook", metavar="FILE|NAME", help=f"a TOML file, or one of {', '.join(SHIPPED)}"
        )

    def handle(self, *args: object, codebook: str, **options: object) -> None:
        try:
            found = load_shipped(codebook) if codebook in SHIPPED else read_codebook_file(Path(codebook))
        except CodebookError as error:
            raise CommandError("\n".join(f"{codebook}: {problem}" for problem in error.problems)) from None
        except OSError as error:
            raise CommandError(f"{codebook}: {error.strerror}") from None
        self.stdout.write(summary(found))


def summary(codebook: Codebook) -> str:
    """Describe a codebook in a few lines: protocol, language, then its types or its labels and reasons."""
    lines = [codebook.title, f"protocol {codebook.protocol}, language {codebook.language}"]
    names = {group.key: group.name for group in codebook.groups}
    for entry in codebook.types:
        group = f" ({names[entry.group]})" if entry.group else ""
        lines.append(
            f"type {entry.code}: {entry.name}{group}, {'with span' if entry.span else 'without span'}"
        )
    if codebook.derived_none:
        lines.append(f"derived {codebook.derived_none.code}: {codebook.derived_none.name}")
    lines += [f"label {label.code}: {label.name}" for label in codebook.labels]
    for reason in codebook.reasons:
        edited = ", may carry an edited question" if reason.edited_question else ""
        lines.append(f"reason {reason.code}: {reason.name}{edited}")
    lines += [f"comment start {start.key}: {start.text}" for start in codebook.comment_starts]
    for state in translation_states([codebook]):
        done = state.total - len(state.missing)
        lines.append(f"translation {state.language}: {done} of {state.total} texts")
    return "\n".join(lines)
