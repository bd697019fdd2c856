"""A board to take away: files, figures and settings, and how to make each figure again without a database.

What a release has below `internal/` is in it only where it is asked for.
"""

from __future__ import annotations

import json
import zipfile
from typing import IO, Any

from annotation.models import Membership, ProjectEvent
from boards.life.shown import lead_rows, row_json, trivial_json
from boards.life.versions import find_trivial_files, methods_of
from boards.models import Board, BoardVersion
from exports.releases.reader_access import refuse_release_while_judging
from scoring.systems.storage import read_submitted, release_files

_README = """\
{title}

`board.json` has the settings of the board, version {version}, and every entry with its figures; `entries/`
the files as they were handed in, `trivial/` those of the trivial rows.

The figures are made again on any machine with this program and no database. RELEASE is the folder of release
{release} of {project}{internal}:

    sh reproduce.sh RELEASE > figures.txt

It prints, one after another, what `manage.py score --release` says of each entry: `score` (or `micro/f1`) is
the figure that ranks, beside it its interval, the share of NAE, the labels and the diversity. Of an entry of
several runs the figure is the mean in `together`.
"""


def board_export(
    *,
    board: Board,
    version: BoardVersion,
    out: IO[bytes],
    internal: bool = False,
    by: Membership | None = None,
) -> None:
    """Write a version of a board as a ZIP. Raises Refused for a damaged file, and while a lead judges."""
    if by is not None:
        refuse_release_while_judging(version.release, by)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = [
            "#!/bin/sh",
            "set -e",
            'HERE="$(cd "$(dirname "$0")" && pwd)"',
            'SCORE="${SCORE:-python manage.py score}"',
        ]
        entries = []
        for row in sorted(lead_rows(version), key=lambda row: row.entry.pk):
            entry = row.entry
            names, sha256 = [], []
            for file in entry.submission.files.order_by("run"):
                names.append(f"entries/{entry.pk}/run{file.run}{_ending(file.name)}")
                sha256.append(file.sha256)
                archive.writestr(names[-1], read_submitted(file))
            told = row_json(row) if row.figures else {"system": entry.name, "team": entry.team.name}
            entries.append(
                {
                    "entry": entry.pk,
                    **told,
                    "state": row.placing.state,
                    "files": names,
                    "sha256": sha256,
                    "is_better": row.placing.is_better,
                    "withdrawn": entry.withdrawn_at is not None,
                    "hidden": entry.hidden_reason or None,
                    "may_be_shown": entry.may_be_shown,
                    "counted": entry.slot is not None,
                }
            )
            if row.figures is not None:
                lines.append(_command(version, names))
        for kind, data in find_trivial_files(version, internal=internal).items():
            name = f"trivial/{kind}.json"
            archive.writestr(name, data)
            lines.append(_command(version, [name]))
        archive.writestr("board.json", json.dumps(_settings(board, version, entries), indent=2))
        archive.writestr("reproduce.sh", "\n".join(lines) + "\n")
        archive.writestr("README.md", _readme(board, version, internal))
        if internal:
            files = release_files(version.release)
            for file in version.release.files:
                if not file["archive"]:
                    archive.writestr(f"release/{file['name']}", files.read(file["name"]))
    ProjectEvent.objects.create(
        project=board.project,
        member=by,
        action="board exported",
        details={"board": board.name, "version": version.number, "internal": internal},
    )


def _command(version: BoardVersion, names: list[str]) -> str:
    """Return the command that scores files as the board did."""
    parts = ['$SCORE --release "$1"', *(f'"$HERE/{name}"' for name in names)]
    if version.split:
        parts.append(f"--split {version.split}")
    if version.scope:
        parts.append(f"--scope {version.scope}")
    else:
        parts += [f"--method {method}" for method in methods_of(version)]
    parts.append(f"--replicates {version.replicates} --seed {version.seed} --json")
    return " ".join(parts)


def _settings(board: Board, version: BoardVersion, entries: list[dict[str, Any]]) -> dict[str, Any]:
    names = (
        "name",
        "title",
        "description",
        "state",
        "feedback",
        "entrance",
        "per_day",
        "in_all",
        "most_runs",
    )
    return {
        "project": board.project.slug,
        **{name: getattr(board, name) for name in names},
        "closes_at": board.closes_at.isoformat() if board.closes_at else None,
        "version": version.number,
        "release": version.release.version,
        "split": version.split or None,
        "methods": version.methods,
        "scope": version.scope or None,
        "replicates": version.replicates,
        "seed": version.seed,
        "engine": version.engine,
        "facts": version.facts,
        "entries": entries,
        "trivial": [trivial_json(row) for row in version.trivial or ()],
    }


def _readme(board: Board, version: BoardVersion, internal: bool) -> str:
    where = ", here in `release/`" if internal else " with its `internal/`, where references were withheld"
    return _README.format(
        title=f"# {board.title}",
        version=version.number,
        release=version.release.version,
        project=board.project.slug,
        internal=where,
    )


def _ending(name: str) -> str:
    return ".csv" if name.lower().endswith(".csv") else ".json"


def export_name(board: Board, version: BoardVersion) -> str:
    """Return what the ZIP of a board is called."""
    return f"board-{board.project.slug}-{board.name}-{version.number}.zip"
