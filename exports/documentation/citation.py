"""How a finished release is named, cited and described to those who look for it. Pure.

All of it is read from what the release keeps, never from the project of today: a citation outlives both the
project's name and the choices that today's code knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any

from exports.documentation.contents import StoredFile
from exports.models import Release

_FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)

_BIBTEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    character: f"\\{character}" for character in "&%$#_{}"
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What a citation of a release is made of; `licence` and `citation` are empty where nobody said."""

    key: str
    name: str
    version: str
    description: str
    authors: tuple[str, ...]
    year: str
    licence: str
    citation: str
    published: str = ""


def reference_of(release: Release) -> Reference:
    """Read from a release how it is cited."""
    built = release.built_at.date().isoformat() if release.built_at else ""
    published = str(release.parameters.get("published") or "")
    return Reference(
        key=f"{release.project.slug}-{release.version}",
        name=release.name,
        version=release.version,
        description=release.description,
        authors=author_names(str(release.parameters.get("authors") or "")),
        year=(published or built)[:4],
        licence=release.licence,
        citation=str(release.parameters.get("citation") or "").strip(),
        published=published,
    )


def card_body(card: str) -> str:
    """Return a data card without the front matter that only dataset hubs read."""
    return _FRONT_MATTER.sub("", card)


def author_names(authors: str) -> tuple[str, ...]:
    """Tell the authors apart: by semicolons where there are any, else by the word and, and by commas.

    A comma that leaves a part of one word is within a name, family name first: then commas part nothing.

    >>> author_names("Ann Other, Ben Wu and Cleo Day")
    ('Ann Other', 'Ben Wu', 'Cleo Day')
    >>> author_names("Other, Ann; Institute of Arts and Sciences")
    ('Other, Ann', 'Institute of Arts and Sciences')
    """
    names = authors.split(";")
    if len(names) == 1:
        names = re.split(r"\n|(?:,\s*)?\band\s", authors)
        parts = [part for name in names for part in name.split(",") if part.strip()]
        if all(" " in part.strip() for part in parts):
            names = parts
    return tuple(" ".join(name.split()) for name in names if name.strip())


def citation_text(reference: Reference, address: str) -> str:
    """Return how to cite a release: as its lead wrote it, else put together from what is known.

    In English for everybody, as the data card is: whoever reads the page in another language cites the same.
    """
    return reference.citation or (
        f"{make_citation(reference.authors, reference.year, reference.name, reference.version)} {address}"
    )


def make_citation(authors: Sequence[str], year: str, name: str, version: str) -> str:
    """Return a citation that nobody wrote, as far as it is known.

    >>> make_citation(["Ann Other", "Ben Wu"], "2025", "Talk", "1.0"), make_citation([], "", "Talk", "1.0")
    ('Ann Other; Ben Wu (2025). Talk, version 1.0.', 'Talk, version 1.0.')
    """
    told, title = f" ({year})" if year else "", f"{name}, version {version}"
    return f"{'; '.join(authors)}{told}. {title}." if authors else f"{title}{told}."


def bibtex(reference: Reference, address: str) -> str:
    """Return a BibTeX entry of a release.

    >>> print(bibtex(Reference("t-1.0", "R&D talk", "1.0", "", ("Ann Other",), "2025", "", ""), "https://x.org/1"))
    @misc{t-1.0,
      author = {Ann Other},
      title = {{R\\&D talk, version 1.0}},
      year = {2025},
      version = {1.0},
      url = {https://x.org/1}
    }
    """
    fields = {
        "author": " and ".join(_author(name) for name in reference.authors),
        "title": f"{{{_escaped(reference.name)}, version {_escaped(reference.version)}}}",
        "year": reference.year,
        "version": _escaped(reference.version),
        "url": address,
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{{reference.key},\n{lines}\n}}"


def describe_dataset(
    reference: Reference, release: Release, address: str, files: list[StoredFile]
) -> dict[str, Any]:
    """Return a release as a Dataset of schema.org, which search engines for data read."""
    described: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{reference.name}, version {reference.version}",
        "description": reference.description,
        "version": reference.version,
        "url": address,
        "isAccessibleForFree": True,
        "license": reference.licence,
        "creator": [{"@type": "Person", "name": name} for name in reference.authors],
        "citation": reference.citation,
        "dateCreated": release.built_at.date().isoformat() if release.built_at else "",
        "datePublished": reference.published,
        "distribution": [
            {
                "@type": "DataDownload",
                "name": file["name"],
                "contentUrl": f"{address}files/{file['name']}",
                "encodingFormat": guess_type(file["name"])[0] or "application/octet-stream",
                "contentSize": f"{file['size']} B",
                "sha256": file["sha256"],
            }
            for file in files
        ],
    }
    return {key: value for key, value in described.items() if value}


def _escaped(text: str) -> str:
    return "".join(_BIBTEX.get(character, character) for character in text)


def _author(name: str) -> str:
    # Within a name BibTeX takes the word for the end of it.
    return f"{{{_escaped(name)}}}" if re.search(r"\sand\s", name) else _escaped(name)
