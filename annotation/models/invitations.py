"""Invitations: how people come into a project."""

from django.db import models
from django.db.models import Q

from annotation.models.project import Membership, Project


class Invitation(models.Model):
    """A link that lets one person in, once, until it expires or is revoked.

    Only the SHA-256 of the link's token is stored: whoever reads the database cannot join with it.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=200, blank=True)
    is_annotator = models.BooleanField(default=True)
    is_lead = models.BooleanField(default=False)
    invited_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_annotator=True) | Q(is_lead=True), name="invitation_has_a_role"
            ),
            models.CheckConstraint(
                condition=Q(used_at__isnull=True) | Q(revoked_at__isnull=True),
                name="invitation_used_or_revoked",
            ),
            models.CheckConstraint(
                condition=Q(used_by__isnull=True) | Q(used_at__isnull=False),
                name="invitation_used_by_says_when",
            ),
        ]

    def __str__(self) -> str:
        return self.note or f"invitation {self.pk}"
