"""What a release says about itself: release.json, the codebook as it was used, and SHA256SUMS."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exports.records import Selection

if TYPE_CHECKING:
    from exports.building import Built, BuiltFile

SUMS = "SHA256SUMS"


def documents_write(selection: Selection, version: str, built: Built, directory: Path) -> None:
    """Write the data card, release.json and the files of the codebook."""
    (directory / "README.md").write_bytes(built.card.encode())
    codebook = selection.project.codebooks.get(version=selection.codebook_version)
    (directory / "codebook.toml").write_bytes(codebook.source.encode())
    (directory / "guideline.md").write_bytes(codebook.guideline.encode())
    text = json.dumps(manifest(selection, version, built), ensure_ascii=False, indent=2) + "\n"
    (directory / "release.json").write_bytes(text.encode())


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
                "imported": row.imported,
                "reopened": row.reopened,
            }
            for row in selection.rounds
        ],
        "guideline_version": selection.codebook_version,
        "splits": {split: number for split, number in built.splits.items() if split},
        "counts": built.counts,
        "labels": built.labels,
        "labels_by_source": {"as_annotated": built.labels_before, "as_released": built.labels_after},
    }


def sums_text(files: Iterable[BuiltFile]) -> str:
    """Return the lines that `sha256sum --check` reads, by name."""
    return "".join(f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda file: file.name))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
