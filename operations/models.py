"""Signs of life of the processes that make up an installation."""

from django.db import models
from django.db.models import Q


class Heartbeat(models.Model):
    """When a process of one role was last heard of, by the machine it runs on.

    A row and no key in a cache: it survives a restart of Redis, which is one of the things to be told apart.
    `code` says which code the process runs: see `code_sign`.
    """

    class Role(models.TextChoices):
        WEB = "web", "web server"
        WORKER = "worker", "worker"
        BEAT = "beat", "beat"

    role = models.CharField(max_length=6, choices=Role)
    node = models.CharField(max_length=255)
    at = models.DateTimeField()
    code = models.CharField(max_length=80)

    class Meta:
        ordering = ["role", "node"]
        constraints = [
            models.UniqueConstraint(fields=["role", "node"], name="heartbeat_one_a_node"),
            models.CheckConstraint(
                condition=Q(role__in=["web", "worker", "beat"]), name="heartbeat_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} on {self.node}"
