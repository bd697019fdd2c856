"""The topics of a project's items, for choosing one."""

from django.db import connection

from annotation.models import Project

OFFERED = 200

# From topic to topic along the index: SELECT DISTINCT would look at every item.
_TOPICS = """
WITH RECURSIVE found(topic) AS (
    SELECT MIN(topic) FROM annotation_item WHERE project_id = %s AND topic > ''
    UNION ALL
    SELECT (SELECT MIN(i.topic) FROM annotation_item i WHERE i.project_id = %s AND i.topic > found.topic)
    FROM found WHERE found.topic IS NOT NULL
)
SELECT topic FROM found WHERE topic IS NOT NULL LIMIT %s
"""


def topics_of(project: Project) -> list[str]:
    """Return the first topics of a project's items in the database's order, each once, at most OFFERED."""
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS, [project.pk, project.pk, OFFERED])
        return [topic for (topic,) in cursor.fetchall()]
