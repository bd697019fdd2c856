"""Releases of a study, built and written, and what their files hold."""

from pathlib import Path

from django.core.files.storage import default_storage

from annotation.models import Project
from exports.models import Release
from exports.releases.lifecycle import release_build
from exports.releases.storage import write_release
from exports.selection.parameters import Parameters


def release(project: Project, version: str = "1.0", **choices) -> Release:
    """Build a release with these choices."""
    return release_build(project=project, version=version, parameters=Parameters.from_json(choices))


def released(project: Project, folder: Path, version: str = "1.0", **choices) -> Path:
    """Build a release, write it into a folder and return the folder."""
    write_release(release(project, version, **choices), folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files below a folder hold, by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def stored_files() -> list[str]:
    """Return the places of all files of releases in the storage."""
    found: list[str] = []

    def walk(folder: str) -> None:
        folders, files = default_storage.listdir(folder)
        found.extend(f"{folder}/{name}" for name in files)
        for name in folders:
            walk(f"{folder}/{name}")

    if default_storage.exists("releases"):
        walk("releases")
    return found
