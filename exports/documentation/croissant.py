"""Croissant 1.0 metadata (JSON-LD): what the files of a release are and which fields their records have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from exports.documentation.citation import author_names
from exports.documentation.front_matter import language_codes
from exports.files.vote_outputs import SOFT_LABELS
from exports.formats.longform import columns
from exports.formats.votes import share_columns
from exports.selection.selection import Selection

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
    "equivalentProperty": "cr:equivalentProperty",
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
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_LABELS = (
    "labels",
    "What was decided about each type.",
    {
        "code": ("$.code", "sc:Text", "The type's code."),
        "fsq_type": ("$.fsq_type", "sc:Text", "The type's name."),
        "applicable": ("$.applicable", "sc:Boolean", "Whether it applies; null where there is no majority."),
        "yes": ("$.votes.yes", "sc:Integer", "Annotators who said yes."),
        "no": ("$.votes.no", "sc:Integer", "Annotators who said no."),
        "adjudicated": ("$.adjudicated", "sc:Boolean", "Whether a lead decided."),
    },
)
_QUESTIONS = (
    "cqs",
    "The critical questions.",
    {
        "id": ("$.id", "sc:Text", "The question's id."),
        "cq": ("$.cq", "sc:Text", "The question."),
        "label": ("$.label", "sc:Text", "Useful, Unhelpful or Invalid."),
    },
)
_TYPES = {"string": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}
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
    citation: str,
    splits: Iterable[str],
    withheld: Iterable[str],
    files: Mapping[str, str],
) -> dict[str, Any]:
    """Return the metadata of a release. `files` maps the name of each file to its SHA-256.

    `splits` are as file names have them; of a withheld one only the fields of the items are described. Labels
    are nested fields. Croissant 1.0 has no list within a list, so each kind of span has a record set of its
    own, one record a span.
    """
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": selection.project.slug,
        "description": description,
        "version": version,
        "license": licence or "not stated",
        "citeAs": citation,
    }
    if selection.parameters.published:
        described["datePublished"] = selection.parameters.published
    if codes := language_codes(selection.project.languages):
        described["inLanguage"] = codes
    if authors := author_names(selection.parameters.authors):
        described["creator"] = [{"@type": "sc:Person", "name": name} for name in authors]
    record_sets = [
        record_set
        for split in splits
        for record_set in _split(selection, split, withheld=split in withheld, files=files)
    ]
    described["distribution"] = [_file(name, digest) for name, digest in files.items()]
    # A reader takes all fields of one file object as columns of one length: each kind of span has its own.
    for record_set in record_sets:
        source = record_set["field"][0]["source"]["fileObject"]["@id"]
        if source not in files:
            name = source.partition("#")[0]
            described["distribution"].append({**_file(name, files[name]), "@id": source})
    described["recordSet"] = record_sets
    if "judgements.parquet" in files:
        described["recordSet"].append(_judgements(selection))
    if SOFT_LABELS in files:
        described["recordSet"].append(_soft_labels(selection))
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


def _split(
    selection: Selection, split: str, *, withheld: bool, files: Mapping[str, str]
) -> list[dict[str, Any]]:
    texts = selection.parameters.texts
    if selection.typology:
        text = "argument" if texts else "argument_sha256"
        single = {
            "argument_id": "The item's id.",
            text: "The argument.",
            "dataset": "Its source.",
            "topic": "Topic.",
        }
        lists = {"fsq_types": "Types that apply, one entry a gold span."}
        if texts:
            lists["spans"] = "The gold spans, parallel to fsq_types."
    else:
        text = "intervention" if texts else "intervention_sha256"
        single = {"intervention_id": "The item's id.", text: "The intervention.", "dataset": "Its source."}
        lists = {"schemes": "Argumentation schemes, where they are known."}
    file = f"data/{split}.jsonl"
    fields = [_field(file, split, name, "sc:Text", text) for name, text in single.items()]
    if not withheld or not selection.typology:
        fields += [
            {**_field(file, split, name, "sc:Text", text), "repeated": True} for name, text in lists.items()
        ]
    if not withheld:
        fields.append(_nested(file, split, *(_LABELS if selection.typology else _QUESTIONS)))
    items = {"@type": "cr:RecordSet", "@id": split, "name": split, "field": fields}
    if withheld or not selection.typology:
        return [items]
    whole = next(name for name in (f"focus.{split}.json", "focus.json") if name in files)
    return [items, *(_spans(whole, split, kind, texts=texts) for kind in ("gold", "disagreement"))]


def _nested(
    file: str, record_set: str, name: str, description: str, parts: Mapping[str, tuple[str, str, str]]
) -> dict[str, Any]:
    """Describe a list of objects; `parts` are path within the object, kind and description by name."""
    within = f"{record_set}/{name}"
    return {
        "@type": "cr:Field",
        "@id": within,
        "name": name,
        "description": description,
        "repeated": True,
        "subField": [
            {
                **_field(file, within, part, kind, text),
                "source": {
                    "fileObject": {"@id": file},
                    "extract": {"column": name},
                    "transform": {"jsonPath": path},
                },
            }
            for part, (path, kind, text) in parts.items()
        ],
    }


def _spans(file: str, split: str, kind: str, *, texts: bool) -> dict[str, Any]:
    record_set, each = f"{split}_{kind}_spans", f"$.*.labels[*].{kind}_spans[*]"
    file = f"{file}#{kind}_spans"
    label = f"{each}.`parent`.`parent`"
    parts = {
        "argument_id": (f"{label}.`parent`.`parent`.argument_id", "sc:Text", "The item's id."),
        "code": (f"{label}.code", "sc:Text", "The type's code."),
        "fsq_type": (f"{label}.fsq_type", "sc:Text", "The type's name."),
        "start": (f"{each}.start", "sc:Integer", "Where it starts in the argument, in code points."),
        "end": (f"{each}.end", "sc:Integer", "Where it ends, half open."),
        "support": (f"{each}.support", "sc:Integer", "How many annotators chose it."),
    }
    if texts:
        parts["text"] = (f"{each}.text", "sc:Text", "The words of the span.")
        if kind == "gold":
            parts["question"] = (f"{each}.question", "sc:Text", "The question about it.")
    return {
        "@type": "cr:RecordSet",
        "@id": record_set,
        "name": record_set,
        "description": f"One record a {kind} span.",
        "field": [
            {
                **_field(file, record_set, name, data_type, text),
                "source": {"fileObject": {"@id": file}, "extract": {"jsonPath": path}},
            }
            for name, (path, data_type, text) in parts.items()
        ],
    }


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


def _soft_labels(selection: Selection) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "soft_labels",
        "name": "soft_labels",
        "description": "One record a unit that somebody voted on: the shares of its votes.",
        "field": [
            _field(SOFT_LABELS, "soft_labels", name, _TYPES[kind], text)
            for name, kind, text in share_columns(selection)
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
