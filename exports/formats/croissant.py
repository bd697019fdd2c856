"""Croissant 1.0 metadata (JSON-LD): what the files of a release are and which fields their records have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from exports.formats.longform import columns
from exports.records import Selection

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"

# The context that the Croissant 1.0 specification prescribes.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"string": "sc:Text", "int64": "sc:Integer", "bool": "sc:Boolean"}
_FORMATS = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/jsonlines",
    "md": "text/markdown",
    "parquet": "application/x-parquet",
    "py": "text/x-python",
    "tex": "text/x-tex",
    "toml": "application/toml",
}


def croissant(
    selection: Selection,
    *,
    version: str,
    description: str,
    licence: str,
    splits: Iterable[str],
    withheld: Iterable[str],
    files: Mapping[str, str],
) -> dict[str, Any]:
    """Return the metadata of a release. `files` maps the name of each file to its SHA-256.

    `splits` are as file names have them; of a withheld one only the fields of the items are described.
    """
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": selection.project.slug,
        "description": description,
        "version": version,
        "license": licence or "not stated",
    }
    if selection.parameters.citation:
        described["citeAs"] = selection.parameters.citation
    if selection.parameters.authors:
        described["creator"] = {"@type": "sc:Person", "name": selection.parameters.authors}
    described["distribution"] = [_file(name, digest) for name, digest in files.items()]
    described["recordSet"] = [_split(selection, split, withheld=split in withheld) for split in splits]
    if "judgements.parquet" in files:
        described["recordSet"].append(_judgements(selection))
    return described


def _file(name: str, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": _FORMATS.get(name.rpartition(".")[2], "text/plain"),
        "sha256": digest,
    }


def _split(selection: Selection, split: str, *, withheld: bool) -> dict[str, Any]:
    texts = selection.parameters.texts
    if selection.typology:
        text = "argument" if texts else "argument_sha256"
        single = {
            "argument_id": "The item's id.",
            text: "The argument.",
            "dataset": "Its source.",
            "topic": "Topic.",
        }
        lists = {"fsq_types": "Types of Socratic questions that apply, one entry a gold span."}
        if texts:
            lists["spans"] = "The gold spans, parallel to fsq_types."
    else:
        text = "intervention" if texts else "intervention_sha256"
        single = {"intervention_id": "The item's id.", text: "The intervention.", "dataset": "Its source."}
        lists = {"schemes": "Argumentation schemes, where they are known."}
    fields = [_field(f"data/{split}.jsonl", split, name, "sc:Text", text) for name, text in single.items()]
    if not withheld or not selection.typology:
        fields += [
            {**_field(f"data/{split}.jsonl", split, name, "sc:Text", text), "repeated": True}
            for name, text in lists.items()
        ]
    return {"@type": "cr:RecordSet", "@id": split, "name": split, "field": fields}


def _judgements(selection: Selection) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "judgements",
        "name": "judgements",
        "description": "One record a judgement, annotators by pseudonym.",
        "field": [
            _field("judgements.parquet", "judgements", name, _TYPES[kind], name.replace("_", " "))
            for name, kind in columns(selection)
        ],
    }


def _field(file: str, record_set: str, name: str, kind: str, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "description": description,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }
