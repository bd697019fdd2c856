import annotation.models.constraints
import django.db.models.deletion
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0004_item_topic_index'),
        ('exports', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='RefinementRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('endpoint', models.CharField(max_length=500)),
                ('model', models.CharField(max_length=200)),
                ('prompt', models.TextField()),
                ('temperature', models.FloatField(null=True)),
                ('seed', models.BigIntegerField(null=True)),
                ('tokens_field', models.CharField(choices=[('max_tokens', 'max_tokens'), ('max_completion_tokens', 'max_completion_tokens')], default='max_tokens', max_length=24)),
                ('max_tokens', models.PositiveIntegerField()),
                ('timeout', models.PositiveIntegerField()),
                ('per_minute', models.PositiveIntegerField()),
                ('max_questions', models.PositiveIntegerField()),
                ('again', models.BooleanField(default=False)),
                ('sources', models.JSONField()),
                ('state', models.CharField(choices=[('queued', 'waiting for a worker'), ('running', 'asking'), ('done', 'done'), ('failed', 'stopped by an error'), ('cancelled', 'cancelled')], default='queued', max_length=9)),
                ('progress_done', models.PositiveIntegerField(default=0)),
                ('progress_total', models.PositiveIntegerField(default=0)),
                ('attempt', models.CharField(blank=True, max_length=32)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('enqueued_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('member', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refinement_runs', to='annotation.project')),
            ],
            options={
                'ordering': ['project', '-number'],
                'constraints': [
                    models.UniqueConstraint(fields=('project', 'number'), name='refinementrun_number_unique'),
                    models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'running'])), fields=('project',), name='refinementrun_one_at_a_time'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed', 'cancelled'])), name='refinementrun_state_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), models.Q(models.Q(('attempt', ''), _negated=True), ('lease_until__isnull', False)), _connector='OR'), name='refinementrun_running_has_lease'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='refinementrun_failed_says_why'),
                    models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ['queued', 'running'])), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'failed', 'cancelled'])), _connector='OR'), name='refinementrun_finished_has_a_time'),
                    models.CheckConstraint(condition=models.Q(('progress_done__lte', models.F('progress_total'))), name='refinementrun_progress_within_total'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuestionRefinement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type_code', models.CharField(max_length=8)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('text_sha256', models.CharField(max_length=64)),
                ('question_template', models.TextField()),
                ('state', models.CharField(choices=[('refined', 'refined'), ('refused', 'answer not usable'), ('failed', 'no answer')], max_length=8)),
                ('question', models.TextField(blank=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('model', models.CharField(blank=True, max_length=200)),
                ('tries', models.PositiveIntegerField()),
                ('answered_at', models.DateTimeField()),
                ('rejected_at', models.DateTimeField(null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refinements', to='annotation.item')),
                ('rejected_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refinements', to='exports.refinementrun')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [
                    models.Index(fields=['item', 'type_code', 'start', 'end'], name='refinement_span'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'item', 'type_code', 'start', 'end'), name='refinement_once_a_run'),
                    models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='refinement_span_not_empty'),
                    models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('state', 'refined'), models.Q(django.db.models.lookups.Exact(annotation.models.constraints.Trimmed(models.F('question'), models.Value('\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff')), models.Value('')), _negated=True)), models.Q(('question', ''), ('state__in', ['refused', 'failed']), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='refinement_question_or_reason'),
                    models.CheckConstraint(condition=models.Q(models.Q(('rejected_at__isnull', True), ('rejected_by__isnull', True)), models.Q(('rejected_at__isnull', False), ('state', 'refined')), _connector='OR'), name='refinement_rejected_was_refined'),
                ],
            },
        ),
    ]
