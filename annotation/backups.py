"""Backups of the whole installation, and when the last one was made."""

from datetime import datetime
from pathlib import Path

from annotation.models import Backup
from core.backups.backup import write_backup


def backup_make(path: Path) -> Backup:
    """Write everything into one archive and remember when. Raises Refused as `write_backup` does."""
    manifest = write_backup(path)
    return Backup.objects.create(
        made_at=datetime.fromisoformat(manifest.made_at),
        name=path.name[:255],
        size=path.stat().st_size,
        rows=manifest.rows,
        files=len(manifest.files),
    )


def last_backup() -> Backup | None:
    """Return the newest backup that was finished here, None before the first."""
    return Backup.objects.order_by("-made_at", "-id").first()
