"""Versions of a project's codebook."""

from django.db import models
from django.db.models import Q

from annotation.models.constraints import not_blank
from annotation.models.project import Project


class Codebook(models.Model):
    """One version of types or labels with the guideline; immutable once a round uses it.

    `source` is the TOML as it was read, `definition` what `annotation.codebooks.reader` made of it.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="codebooks")
    version = models.PositiveIntegerField()
    source = models.TextField()
    definition = models.JSONField()
    guideline = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "version"]
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="codebook_version_unique"),
            models.CheckConstraint(condition=Q(version__gte=1), name="codebook_version_positive"),
            models.CheckConstraint(condition=not_blank("source"), name="codebook_source_not_blank"),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"
