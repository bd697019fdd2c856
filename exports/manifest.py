"""What a release says about itself: release.json, the codebook as it was used, and SHA256SUMS."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exports.card import citation_of, description, licence_of
from exports.formats.croissant import croissant
from exports.formats.schemas import (
    cqs_gen_schema,
    cqs_gen_submission_schema,
    focus_schema,
    focus_submission_schema,
)
from exports.outputs import Places
from exports.records import Selection
from exports.sums import Sums

if TYPE_CHECKING:
    from exports.building import Built, BuiltFile

SUMS = "SHA256SUMS"
SHIPPED = Path(__file__).with_name("shipped")


def documents_write(selection: Selection, version: str, built: Built, sums: Sums) -> None:
    """Write what stands beside the data: card, manifest, codebook, schema, scripts, Croissant."""
    directory = sums.directory
    texts = selection.parameters.texts
    codebook = selection.project.codebooks.get(version=selection.codebook_version)
    shape = "focus" if selection.typology else "cqs_gen"
    if selection.typology:
        refined = selection.parameters.refined_questions
        schema = focus_schema(
            selection.codebook, texts=texts, refined=refined, some_asked=selection.asks_some
        )
        handed_in = focus_submission_schema(selection.codebook)
    else:
        schema, handed_in = cqs_gen_schema(texts=texts), cqs_gen_submission_schema()
    documents = {
        "README.md": built.card,
        "codebook.toml": codebook.source,
        "guideline.md": codebook.guideline,
        "release.json": _json(manifest(selection, version, built)),
        f"schemas/{shape}.schema.json": _json(schema),
        "schemas/submission.schema.json": _json(handed_in),
        "scripts/score.py": (SHIPPED / "score.py").read_text(encoding="utf-8"),
    }
    for version_before in selection.earlier_guidelines:
        before = selection.project.codebooks.get(version=version_before)
        documents[f"guidelines/version-{version_before}.md"] = before.guideline
    if not texts:
        documents["scripts/join_texts.py"] = (SHIPPED / "join_texts.py").read_text(encoding="utf-8")
    for name, text in documents.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    described = croissant(
        selection,
        version=version,
        description=description(selection),
        licence=licence_of(selection),
        citation=citation_of(selection, version),
        splits=[Places.file_part(split) for split in built.splits],
        withheld=[Places.file_part(split) for split in selection.parameters.withheld],
        files=_data_files(sums),
    )
    (directory / "croissant.json").write_bytes(_json(described).encode())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _data_files(sums: Sums) -> dict[str, str]:
    directory = sums.directory
    patterns = ("data/*.jsonl", "focus*.json", "judgements.*")
    paths = [path for pattern in patterns for path in sorted(directory.glob(pattern))]
    names = [path.relative_to(directory).as_posix() for path in paths]
    return {name: sums.sha256(name) for name in names}


def manifest(selection: Selection, version: str, built: Built) -> dict[str, Any]:
    """Return what the release was built from, and its counts."""
    return {
        "project": selection.project.slug,
        "version": version,
        "protocol": selection.project.protocol,
        "digest": built.digest,
        "parameters": selection.parameters.to_json(),
        "rounds": [
            {
                "number": row.number,
                "name": row.name,
                "purpose": row.purpose,
                "guideline_version": row.codebook_version,
                "annotators_an_item": row.overlap,
                "imported": row.imported,
                "reopened": row.reopened,
                **({"types": list(row.types)} if row.types else {}),
                **({"asked": row.asked_by} if row.asked_by else {}),
            }
            for row in selection.rounds
        ],
        "guideline_version": selection.codebook_version,
        "splits": {split: number for split, number in built.splits.items() if split},
        "counts": built.counts,
        "labels": built.labels,
        "labels_by_source": {"as_annotated": built.labels_before, "as_released": built.labels_after},
        **({"refinements": built.refinements} if selection.parameters.refined_questions else {}),
    }


def sums_text(files: Iterable[BuiltFile]) -> str:
    """Return the lines that `sha256sum --check` reads, by name."""
    return "".join(f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda file: file.name))
