"""Read a file of items the way an import does."""

from pathlib import Path

from annotation.importing.files.rows import ItemRows
from annotation.importing.formats.item_formats import FORMATS, recognise


def read_items(
    path: Path, *, name: str | None = None, format: str | None = None, origin: str | None = None
) -> ItemRows:
    """Read a file in its format, recognised where none is given; `name` stands for the file's own."""
    name = name or path.name
    return FORMATS[format or recognise(path, name)](path, name=name, origin=origin)
