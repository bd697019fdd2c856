"""A sign that tells whether anything of a project has changed."""

from django.db.models import Count, Max

from annotation.models import Project


def project_stamp(project: Project) -> str:
    """Return a sign of change: the judgements of closed rounds, the decisions, the items and the annotators
    change only with an entry in the project's log, which only grows."""
    told = project.events.aggregate(last=Max("id"), n=Count("id"))
    return f"{told['last']}.{told['n']}"
