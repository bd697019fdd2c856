from django.db import migrations, models

# As annotation.database.counters has it, for the rows that are there already.
COUNT = [
    f"""
    UPDATE annotation_assignment SET (decided, active_seconds, judged_at) = (
        SELECT COALESCE(SUM(CASE WHEN j.{answer} IS NOT NULL OR j.cannot_judge THEN 1 ELSE 0 END), 0),
            COALESCE(SUM(j.active_seconds), 0), MAX(j.decided_at)
        FROM annotation_{kind} j WHERE j.assignment_id = annotation_assignment.id)
    WHERE EXISTS (SELECT 1 FROM annotation_{kind} j WHERE j.assignment_id = annotation_assignment.id)
    """
    for kind, answer in (("typeannotation", "applicable"), ("questionannotation", "label"))
] + [
    """
    UPDATE annotation_assignment SET questions = (
        SELECT COUNT(*) FROM annotation_question q WHERE q.item_id = annotation_assignment.item_id AND EXISTS (
            SELECT 1 FROM annotation_roundquestion rq
            WHERE rq.round_id = annotation_assignment.round_id AND rq.question_id = q.id))
    WHERE EXISTS (SELECT 1 FROM annotation_roundquestion rq WHERE rq.round_id = annotation_assignment.round_id)
    """
]


def count(apps, schema_editor):
    """Count what was judged so far."""
    if schema_editor.connection.vendor == "postgresql":
        # Until now the trigger looked at every update, and refuses those of former annotators' rows; it is
        # installed again after `migrate`.
        schema_editor.execute("DROP TRIGGER IF EXISTS assignment_fits ON annotation_assignment")
    for sql in COUNT:
        schema_editor.execute(sql)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0004_item_topic_index'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='item',
            name='item_topic',
        ),
        migrations.AddField(
            model_name='assignment',
            name='active_seconds',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='assignment',
            name='decided',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='assignment',
            name='judged_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='assignment',
            name='questions',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('released_at__isnull', True)), fields=['round', 'member', 'item', 'questions', 'decided', 'active_seconds', 'judged_at'], name='assignment_progress'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(fields=['project', 'id', 'brought_by'], name='item_listed'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(fields=['project', 'topic', 'id', 'brought_by'], name='item_of_topic'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('withdrawn_at__isnull', False)), fields=['project', 'id', 'brought_by'], name='item_withdrawn'),
        ),
        migrations.AddIndex(
            model_name='projectevent',
            index=models.Index(fields=['project', 'action'], name='projectevent_action'),
        ),
        migrations.AddIndex(
            model_name='resolution',
            index=models.Index(condition=models.Q(('in_guideline', True), ('superseded_at__isnull', True)), fields=['member'], name='resolution_in_guideline'),
        ),
        # The last: PostgreSQL makes no index in a transaction that has changed the table's rows.
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
