"""What keeps an installation: its backups, and the door by which something is erased."""

from django.db import models
from django.db.models import Q


class Backup(models.Model):
    """An archive that `manage.py backup` finished: `made_at` is the moment of which it is.

    `name` is that of the file alone; `rows` and `files` are how many are in it, `size` its bytes.
    """

    made_at = models.DateTimeField()
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    rows = models.PositiveBigIntegerField()
    files = models.PositiveIntegerField()

    class Meta:
        ordering = ["-made_at", "-id"]

    def __str__(self) -> str:
        return self.name


class ErasureDoor(models.Model):
    """While a row of this is there, triggers let pass what its kind of erasure changes; see
    `annotation.database.erasure`.

    It is made and taken away in one transaction: nobody else ever sees a row of this table.
    """

    class Kind(models.TextChoices):
        PERSON = "person", "person"
        ITEM = "item", "item"
        PROJECT = "project", "project"

    kind = models.CharField(max_length=8, choices=Kind)
    target = models.BigIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["person", "item", "project"]), name="erasuredoor_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"
