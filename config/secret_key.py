"""The embedded mode's own secret key."""

import contextlib
import os
import secrets
from pathlib import Path


def read_or_create_secret_key(file: Path) -> str:
    """Return the key in the file, which is made on the first call and readable by its owner only."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
            handle.write(secrets.token_urlsafe(50))
        # A link fails where another process was first: then both read the same key.
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
        draft.unlink()
    return file.read_text(encoding="utf-8").strip()
