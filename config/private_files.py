"""What the embedded mode keeps on disk is for its owner alone: texts, judgements, sessions."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

DATABASE = "elenchus.sqlite3"


def make_folder_private(folder: Path) -> None:
    """Make the folder, or take from others the rights to one that Elenchus has used before.

    A folder that was there already and has other things in it stays as whoever made it wants it.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    elif (folder / DATABASE).exists() and folder.stat().st_mode & 0o077:
        with suppress(OSError):  # not ours
            folder.chmod(0o700)


def make_database_private(sender: Any, connection: Any, **options: Any) -> None:
    """Leave an SQLite database to its owner; its write-ahead log takes over the rights of the file."""
    if connection.vendor != "sqlite":
        return
    name = str(connection.settings_dict["NAME"])
    for file in (name, f"{name}-wal", f"{name}-shm"):
        with suppress(OSError):  # in memory, not there, or not ours
            if os.stat(file).st_mode & 0o077:
                os.chmod(file, 0o600)
