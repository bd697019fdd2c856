"""A version of a codebook whole: its TOML, and its guideline as annotators read it, in all its languages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from annotation.codebooks.definition import Codebook
from annotation.codebooks.toml_writer import codebook_toml
from annotation.codebooks.translations import codebook_in
from annotation.models import Codebook as Version
from exports.disclosure.texts_out import TextsOut


def version_files(version: Version, texts_out: TextsOut, *, toml: str, guideline: str) -> dict[str, str]:
    """Return the files of a version by name; `guideline` is the Markdown's without its ending."""
    definition = Codebook.from_json({**version.definition, "guideline": version.guideline})
    source = version.source
    if texts_out.quotes(source):
        source = codebook_toml(texts_out.cleaned(tomllib.loads(source)))
    files = {toml: source}
    for tag in (definition.language, *definition.languages):
        read = Codebook.from_json(texts_out.cleaned(codebook_in(definition, tag).to_json()))
        name = f"{guideline}.md" if tag == definition.language else f"{guideline}.{tag}.md"
        files[name] = guideline_markdown(read)
    return files


def guideline_markdown(codebook: Codebook) -> str:
    """Return what annotators read: the guideline, then each type or label with all that is said of it."""
    parts = [part for part in (codebook.guideline.strip("\n"), *_types(codebook), *_labels(codebook)) if part]
    return "\n\n".join(parts) + "\n"


def _types(codebook: Codebook) -> Iterator[str]:
    groups = {group.key: group.name for group in codebook.groups}
    for kind in codebook.types:
        group = f" ({groups[kind.group]})" if kind.group in groups else ""
        yield f"## {kind.code}: {kind.name}{group}"
        yield kind.description.strip()
        if kind.exemplar:
            # Underscores would be read as the beginning of bold words.
            yield f"> {kind.exemplar.replace('_', chr(92) + '_')}"
        yield kind.example.strip()
        yield kind.guideline.strip("\n")


def _labels(codebook: Codebook) -> Iterator[str]:
    for label in codebook.labels:
        yield f"## {label.code}: {label.name}"
        yield label.description.strip()
        if label.code == "IN":
            yield "\n".join(
                f"- **{reason.name}** ({reason.code}): {reason.description.strip()}"
                for reason in codebook.reasons
            )
        if label.code == "UN" and codebook.comment_starts:
            yield "Ready starts of the comment:"
            yield "\n".join(f"- {start.text}" for start in codebook.comment_starts)
