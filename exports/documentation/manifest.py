"""What a release says about itself: release.json, the codebook as it was used, and SHA256SUMS."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection
from pathlib import Path
from statistics import median
from typing import Any, cast

from annotation.models import Codebook as Version
from core.csv_safety import made_safe
from exports.disclosure.disclosure import Disclosure, texts_of
from exports.disclosure.small_cells import hidden_parts
from exports.documentation.card import LISTED, citation_of, description, licence_of
from exports.documentation.contents import AnnotatorsAnItem, Built, BuiltFile, Manifest, ManifestType
from exports.documentation.croissant import croissant
from exports.documentation.guideline_files import version_files
from exports.documentation.json_schemas import (
    cqs_gen_schema,
    cqs_gen_submission_schema,
    focus_schema,
    focus_submission_schema,
)
from exports.files.checksums import Sums
from exports.files.outputs import INTERNAL, Places
from exports.files.vote_outputs import MATRIX, SOFT_LABELS, SPANS, TEXTS
from exports.formats.longform import csv_line
from exports.selection.parameters import CREDITS
from exports.selection.selection import Selection

SUMS = "SHA256SUMS"
SHIPPED = Path(__file__).parents[1] / "shipped"


def write_documents(
    selection: Selection,
    disclosure: Disclosure,
    version: str,
    built: Built,
    sums: Sums,
) -> None:
    """Write what stands beside the data: card, manifest, codebooks, schema, scripts, Croissant.

    `selection` and `built` are as everybody may see them, `disclosure` knows what they quote. Where labels
    are withheld the digest and the counts of the whole release go below `internal/`.
    """
    directory = sums.directory
    texts = selection.parameters.texts
    shape = "focus" if selection.typology else "cqs_gen"
    if selection.typology:
        refined = selection.parameters.refined_questions
        schema = focus_schema(
            selection.codebook, texts=texts, refined=refined, some_asked=selection.asks_some
        )
        handed_in = focus_submission_schema(selection.codebook)
    else:
        schema, handed_in = cqs_gen_schema(texts=texts), cqs_gen_submission_schema()
    versions = versions_used(selection)
    newest = versions[selection.codebook_version]
    documents = {
        "README.md": built.card,
        "release.json": _json(manifest(selection, version, built)),
        f"schemas/{shape}.schema.json": _json(schema),
        "schemas/submission.schema.json": _json(handed_in),
        "scripts/score.py": (SHIPPED / "score.py").read_text(encoding="utf-8"),
        **version_files(newest, disclosure.texts_out, toml="codebook.toml", guideline="guideline"),
    }
    for before in selection.earlier_guidelines:
        stem = f"guidelines/version-{before}"
        documents |= version_files(
            versions[before], disclosure.texts_out, toml=f"{stem}.toml", guideline=stem
        )
    if annotators := annotators_csv(built):
        documents["annotators.csv"] = annotators
    if selection.parameters.withheld:
        inside = built.inside
        whole = {"digest": inside.digest, "counts": inside.counts, "labels": inside.labels}
        documents[f"{INTERNAL}/release.json"] = _json(whole)
    if not texts:
        documents["scripts/join_texts.py"] = (SHIPPED / "join_texts.py").read_text(encoding="utf-8")
    for name, text in documents.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
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


def disclosure_knowing(selection: Selection, disclosure: Disclosure, built: Built) -> Disclosure:
    """Return the rule with what the documents would quote."""
    project, versions = selection.project, versions_used(selection).values()
    return disclosure.knowing(
        lambda: texts_of(selection),
        [project.name, project.licence, project.languages, project.contact],
        [getattr(selection.parameters, name) for name in CREDITS],
        [tomllib.loads(row.source) for row in versions],
        [row.guideline for row in versions],
        [row.definition for row in versions],
        [background for _, _, background in built.annotators],
        [place for *place, _ in built.sources],
        [built.labels_before, built.labels_after, built.labels_by_split],
    )


def versions_used(selection: Selection) -> dict[int, Version]:
    """Return the versions of the codebook that the rounds were annotated under."""
    used = (selection.codebook_version, *selection.earlier_guidelines)
    return {row.version: row for row in selection.project.codebooks.filter(version__in=used)}


def annotators_csv(built: Built) -> str:
    """Return every annotator in a table, where they are too many for the data card; else ""."""
    if len(built.annotators) <= LISTED:
        return ""
    lines = [csv_line(["annotator", "judgements", "background"])]
    for name, number, background in built.annotators:
        lines.append(csv_line([made_safe(name), number, made_safe(background)]))
    return "".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _data_files(sums: Sums) -> dict[str, str]:
    directory = sums.directory
    patterns = ("data/*.jsonl", "focus*.json", "judgements.*", SOFT_LABELS, MATRIX, SPANS, TEXTS)
    paths = [path for pattern in patterns for path in sorted(directory.glob(pattern))]
    names = [path.relative_to(directory).as_posix() for path in paths]
    return {name: sums.sha256(name) for name in names}


def manifest(selection: Selection, version: str, built: Built) -> Manifest:
    """Return what the release was built from, and its counts."""
    told = {
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
                "annotators_an_item": annotators_an_item(selection, built, row.number),
                "imported": row.imported,
                "reopened": row.reopened,
                **({"types": list(row.types)} if row.types else {}),
                **({"asked": row.asked_by} if row.asked_by else {}),
            }
            for row in selection.rounds
        ],
        "guideline_version": selection.codebook_version,
        **({"types": _types(selection)} if selection.typology else {}),
        "splits": {split: number for split, number in built.splits.items() if split},
        "counts": built.counts,
        "labels": built.labels,
        **({"labels_by_split": built.labels_by_split} if any(built.splits) else {}),
        "labels_by_source": {"as_annotated": built.labels_before, "as_released": built.labels_after},
        **({"refinements": built.refinements} if selection.parameters.refined_questions else {}),
        **({"filters": built.filters} if built.filters else {}),
    }
    return cast(Manifest, told)  # some keys are not always there


def _types(selection: Selection) -> list[ManifestType]:
    """Return what each type may be called, which `scripts/score.py` reads."""
    return [
        {"code": kind.code, "name": kind.name, "aliases": list(kind.aliases)}
        for kind in selection.codebook.types
    ]


def annotators_an_item(selection: Selection, built: Built, round: int) -> AnnotatorsAnItem:
    """Return by how many annotators the items of a round were judged: the median, and items by number.

    Where labels or texts are kept back a number of few items is null.
    """
    found = built.annotators_an_item.get(round, {})
    numbers = [number for number, items in found.items() for _ in range(items)]
    hidden = [False] * len(found)
    if found and (selection.parameters.withheld or not selection.parameters.texts):
        hidden = hidden_parts(list(found.values()), selection.parameters.min_cell).tolist()
    items = zip(found.items(), hidden, strict=True)
    return {
        "median": float(median(numbers)) if numbers else None,
        "items": {str(number): None if few else count for (number, count), few in items},
    }


def sums_text(files: Collection[BuiltFile]) -> str:
    """Return the lines that `sha256sum --check` reads, by name."""
    return "".join(f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda file: file.name))
