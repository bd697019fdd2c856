"""Imported judgements were stored with 0 seconds and the time of their import: both are unknown."""

from django.db import migrations

IMPORTED = "SELECT a.id FROM annotation_assignment a JOIN annotation_round r ON r.id = a.round_id WHERE r.imported"
FORGET = [
    *(
        f"UPDATE {table} SET active_seconds = NULLIF(active_seconds, 0), decided_at = NULL "
        f"WHERE assignment_id IN ({IMPORTED})"
        for table in ("annotation_typeannotation", "annotation_questionannotation")
    ),
    "UPDATE annotation_assignment SET judged_at = NULL "
    "WHERE round_id IN (SELECT id FROM annotation_round WHERE imported)",
    "UPDATE annotation_roundprogress SET judged_at = NULL "
    "WHERE round_id IN (SELECT id FROM annotation_round WHERE imported)",
]


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_key_revision'),
    ]

    operations = [migrations.RunSQL(FORGET, migrations.RunSQL.noop)]
