"""Projects, who takes part in them, and what was done in them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.constraints import not_blank


class Protocol(models.TextChoices):
    """The two shapes of judgement: a type of a typology with a span, or a label of a question."""

    FOCUS = "focus", "FOCUS (types and spans)"
    CQS_GEN = "cqs_gen", "CQs-Gen (useful, unhelpful or invalid questions)"


class Project(models.Model):
    """One study: its items are judged under one protocol.

    `erases_judgements` is whether the people were promised that what they judged goes with them when they are
    erased. The project and all in it are deleted once `deletion_due_at` is past.
    """

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    protocol = models.CharField(max_length=16, choices=Protocol)
    licence = models.CharField(max_length=200, blank=True)
    languages = models.CharField(max_length=200, blank=True)
    contact = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    erases_judgements = models.BooleanField(default=False)
    deletion_due_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(protocol__in=Protocol.values), name="project_protocol_known"),
            models.CheckConstraint(condition=not_blank("name"), name="project_name_not_blank"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's place in a project; judgements point here, and exports only ever show the pseudonym.

    `user` is empty for annotators whose judgements were brought in from elsewhere; `private_name` is
    the name their file gave them and never leaves the project. `left_out_at` says since when, by a lead's
    choice after a withdrawal from the study, their judgements are in no figure and no release.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    pseudonym = models.CharField(max_length=40)
    private_name = models.CharField(max_length=200, blank=True)
    is_annotator = models.BooleanField(default=False)
    is_lead = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    background = models.TextField(blank=True)
    joined_at = models.DateTimeField(auto_now_add=True)
    left_out_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_one_per_user"),
            models.UniqueConstraint(fields=["project", "pseudonym"], name="membership_pseudonym_unique"),
            models.UniqueConstraint(
                fields=["project", "private_name"],
                condition=~Q(private_name=""),
                name="membership_private_name_unique",
            ),
            models.CheckConstraint(condition=not_blank("pseudonym"), name="membership_pseudonym_not_blank"),
            models.CheckConstraint(
                condition=Q(is_annotator=True) | Q(is_lead=True), name="membership_has_a_role"
            ),
            models.CheckConstraint(
                condition=Q(left_out_at__isnull=True) | Q(is_active=False),
                name="membership_left_out_is_inactive",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class ProjectEvent(models.Model):
    """The audit log of a project: who did what when. Append-only; it never holds a judgement."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="events")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=60)
    details = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["project", "-id"], name="projectevent_newest"),
            models.Index(fields=["project", "action"], name="projectevent_action"),
        ]

    def __str__(self) -> str:
        return f"{self.action} at {self.created_at:%Y-%m-%d %H:%M}"


class Codebook(models.Model):
    """One version of types or labels with the guideline; immutable once a round uses it.

    `source` is the TOML as it was read, `definition` what `annotation.codebooks.toml_reader` made of it.
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
