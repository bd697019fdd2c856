"""Where the references of a split come from: a release's files, or one benchmark file.

A release is anything with names of files and a way to read them: a folder, or what the database has stored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from annotation.codebooks.definition import FOCUS, Codebook
from annotation.codebooks.toml_reader import load_shipped, read_codebook, read_codebook_file
from exports.files.outputs import Places
from scoring.evaluation.faults import CannotScore, Findings
from scoring.evaluation.json_file import items_of
from scoring.evaluation.prediction_files import is_prediction_file, texts_of
from scoring.evaluation.references import Benchmark, read_benchmark

INTERNAL = "internal/"
PIECE = 1 << 20
SHIPPED_CODEBOOKS = ("focus", "cqs_gen")
DEVELOPMENT_SPLITS = (("validation", "valid", "val", "development", "dev"), ("train", "training"))
"""What the splits are called that answers may be chosen by: one of the first where there is one."""


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """The files of one release, public ones and those below internal/."""

    name: str
    names: Collection[str]
    read: Callable[[str], bytes]
    stream: Callable[[str], Iterable[bytes]] | None = None
    """Reads a file in pieces, where it need not be whole."""

    def pieces(self, name: str) -> Iterable[bytes]:
        """Give the bytes of a file from its beginning."""
        return self.stream(name) if self.stream is not None else [self.read(name)]

    @classmethod
    def of_folder(cls, folder: Path) -> ReleaseFiles:
        """Return those of a folder. Raises CannotScore where it holds no release."""
        if not folder.is_dir():
            raise CannotScore(f"{folder}: there is no such folder: name the folder of a release.")
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        if not {"release.json", "codebook.toml"} <= names:
            raise CannotScore(
                f"{folder}: has no release.json and codebook.toml: name the folder of a release."
            )
        return cls(
            folder.name,
            names,
            lambda name: (folder / name).read_bytes(),
            lambda name: pieces_of((folder / name).open("rb")),
        )


def benchmark_of_release(
    release: ReleaseFiles, handed_in: Sequence[bytes], *, split: str | None = None, system: str = ""
) -> Benchmark:
    """Return the references of a split, from below internal/ where they are withheld. Raises CannotScore.

    Without a split it is the one that has most of the items that were submitted.
    """
    codebook = read_codebook(release.read("codebook.toml").decode("utf-8"), "codebook.toml")
    stem = "focus" if codebook.protocol == FOCUS else "cqs_gen"
    pattern = re.compile(rf"{stem}(?:\.([^./]+))?\.json")
    splits = {
        found[1] or "": name
        for name in sorted(release.names)
        if (found := pattern.fullmatch(name)) is not None
    }
    if not splits:
        raise CannotScore(f"{release.name}: has no {stem}.json: is it whole?")
    chosen = _split(release, splits, handed_in, split)
    manifest = json.loads(release.read("release.json"))

    def read(name: str) -> Benchmark:
        public = splits[name]
        whole = f"{INTERNAL}{public}"
        place = whole if whole in release.names else public
        provenance = {
            "release": manifest.get("project"),
            "version": manifest.get("version"),
            "digest": manifest.get("digest"),
            "split": name or None,
            "file": public,
            "sha256": _sha256(release.pieces(place)),
        }
        return read_benchmark(
            lambda: release.pieces(place), place, codebook, provenance=provenance, own=_own(release, system)
        )

    def development() -> Benchmark | None:
        for called in DEVELOPMENT_SPLITS:
            for name in splits:
                if name.casefold() in called and name != chosen:
                    with suppress(CannotScore):  # withheld, and there is no internal/
                        return read(name)
        return None

    return replace(read(chosen), development=development)


def benchmark_of_file(path: Path, codebook: str) -> Benchmark:
    """Return the references of one file in the published shape. Raises CannotScore and CodebookError."""

    def read() -> Iterable[bytes]:
        try:
            return pieces_of(path.open("rb"))
        except OSError as problem:
            raise CannotScore(f"{path}: cannot be read: {problem.strerror}") from None

    provenance = {"file": path.name, "sha256": _sha256(read())}
    return read_benchmark(read, path.name, codebook_named(codebook), provenance=provenance)


def pieces_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Give an open file piece by piece, and close it."""
    with stream:
        while piece := stream.read(PIECE):
            yield piece


def _sha256(pieces: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def codebook_named(name: str) -> Codebook:
    """Return a codebook that ships with Elenchus, or that of a TOML file."""
    return load_shipped(name) if name in SHIPPED_CODEBOOKS else read_codebook_file(Path(name))


def file_bytes(path: Path) -> bytes:
    """Return the bytes of a file. Raises CannotScore where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as problem:
        raise CannotScore(f"{path}: cannot be read: {problem.strerror}") from None


def _split(
    release: ReleaseFiles, splits: Mapping[str, str], handed_in: Sequence[bytes], split: str | None
) -> str:
    shown = ", ".join(name for name in splits if name)
    if split is not None:
        part = Places.file_part(split)
        found = split if split in splits else part
        if found not in splits:
            there = f"there are {shown}" if shown else "it has no splits: leave --split out"
            raise CannotScore(f"{release.name}: has no split {split!r}; {there}.")
        return found
    if len(splits) == 1:
        return next(iter(splits))
    findings = Findings("")
    ids, texts = set[str](), set[str]()
    for data in handed_in:
        if is_prediction_file(data):
            texts |= texts_of(data)
        else:
            ids |= set(items_of(data, findings))
    fitting: dict[str, int] = {}
    for name, file in splits.items():
        items = items_of(release.read(file), Findings(file), limited=False)
        arguments = {str(entry.get("argument", "")).strip() for entry in items.values()} if texts else set()
        fitting[name] = len(ids & items.keys()) + len(texts & arguments)
    most, *others = sorted(fitting.values(), reverse=True)
    if findings.faults and not most:
        return next(iter(splits))  # whatever it is scored against, its faults are told
    if not most or others[0] == most:
        raise CannotScore(f"{release.name}: has the splits {shown}: say with --split which one to score.")
    return max(fitting, key=lambda name: fitting[name])


def _own(release: ReleaseFiles, system: str) -> dict[str, frozenset[str]]:
    """Return the ids of the references that the system itself asked, where the release knows them."""
    name = f"{INTERNAL}submissions/{Places.file_part(system)}.json"
    if not system or name not in release.names:
        return {}
    entries: Mapping[str, Any] = items_of(release.read(name), Findings(name), limited=False)
    ids = {str(question["id"]) for entry in entries.values() for question in entry["cqs"]}
    return {system: frozenset(ids)}
