import annotation.models.constraints
import django.db.models.deletion
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0019_upload_job'),
        ('exports', '0007_one_job_engine'),
    ]

    operations = [
        migrations.CreateModel(
            name='ErrorTag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=80)),
                ('word_key', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='error_tags', to='annotation.project')),
            ],
            options={
                'ordering': ['project', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('progress_done', models.PositiveIntegerField(default=0)),
                ('progress_total', models.PositiveIntegerField(default=0)),
                ('lease_token', models.CharField(blank=True, db_column='attempt', max_length=32)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
                ('enqueued_at', models.DateTimeField(auto_now_add=True)),
                ('method', models.CharField(max_length=40)),
                ('threshold', models.FloatField(null=True)),
                ('scope', models.CharField(blank=True, max_length=8)),
                ('replicates', models.PositiveIntegerField(default=1000)),
                ('seed', models.PositiveBigIntegerField(default=1)),
                ('parameters', models.JSONField(default=dict)),
                ('parameters_digest', models.CharField(max_length=64)),
                ('engine', models.PositiveIntegerField()),
                ('release_digest', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('queued', 'waiting for a worker'), ('running', 'being scored'), ('done', 'done'), ('failed', 'stopped by an error'), ('cancelled', 'cancelled')], default='queued', max_length=9)),
                ('figures', models.JSONField(default=None, null=True)),
                ('headline', models.JSONField(default=None, null=True)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('member', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.PositiveIntegerField()),
                ('item', models.CharField(max_length=200)),
                ('position', models.PositiveIntegerField()),
                ('unit', models.CharField(max_length=40)),
                ('place', models.PositiveIntegerField()),
                ('given', models.TextField(blank=True)),
                ('start', models.PositiveIntegerField(null=True)),
                ('end', models.PositiveIntegerField(null=True)),
                ('references', models.JSONField(default=dict)),
                ('similarity', models.FloatField(null=True)),
                ('label', models.CharField(max_length=24)),
                ('is_right', models.BooleanField(null=True)),
                ('evaluation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='scoring.evaluation')),
            ],
            options={
                'ordering': ['evaluation', 'run', 'position', 'place'],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(blank=True, max_length=60)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='exports.release')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='evaluation',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='scoring.submission'),
        ),
        migrations.CreateModel(
            name='SubmissionFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.PositiveIntegerField()),
                ('name', models.CharField(max_length=255)),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField()),
                ('storage', models.CharField(max_length=300)),
                ('items_missing', models.PositiveIntegerField(default=0)),
                ('notes', models.JSONField(default=list)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='files', to='scoring.submission')),
            ],
            options={
                'ordering': ['submission', 'run'],
            },
        ),
        migrations.CreateModel(
            name='System',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('name_key', models.TextField()),
                ('description', models.TextField(blank=True)),
                ('link', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='systems', to='annotation.project')),
            ],
            options={
                'ordering': ['project', 'name_key'],
            },
        ),
        migrations.AddField(
            model_name='submission',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='scoring.system'),
        ),
        migrations.CreateModel(
            name='TaggedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.PositiveIntegerField()),
                ('item', models.CharField(max_length=200)),
                ('unit', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('member', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tagged_answers', to='scoring.submission')),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='scoring.errortag')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddConstraint(
            model_name='errortag',
            constraint=models.UniqueConstraint(fields=('project', 'word_key'), name='errortag_word_unique'),
        ),
        migrations.AddConstraint(
            model_name='errortag',
            constraint=models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(annotation.models.constraints.Trimmed(models.F('word'), models.Value('\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff')), models.Value('')), _negated=True), name='errortag_word_not_blank'),
        ),
        migrations.AddIndex(
            model_name='answer',
            index=models.Index(fields=['evaluation', 'run', 'label', 'position', 'place'], name='answer_by_label'),
        ),
        migrations.AddIndex(
            model_name='answer',
            index=models.Index(fields=['evaluation', 'run', 'is_right', 'position', 'place'], name='answer_by_right'),
        ),
        migrations.AddConstraint(
            model_name='answer',
            constraint=models.UniqueConstraint(fields=('evaluation', 'run', 'position', 'place'), name='answer_place_unique'),
        ),
        migrations.AddConstraint(
            model_name='answer',
            constraint=models.CheckConstraint(condition=models.Q(('run__gte', 1)), name='answer_run_from_one'),
        ),
        migrations.AddConstraint(
            model_name='answer',
            constraint=models.CheckConstraint(condition=models.Q(('label', ''), _negated=True), name='answer_has_a_label'),
        ),
        migrations.AddConstraint(
            model_name='answer',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('end__isnull', True), ('start__isnull', True)), ('start__lt', models.F('end')), _connector='OR'), name='answer_span_not_empty'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), models.Q(models.Q(('lease_token', ''), _negated=True), ('lease_until__isnull', False)), _connector='OR'), name='evaluation_running_has_lease'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='evaluation_failed_says_why'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(('progress_done__lte', models.F('progress_total'))), name='evaluation_progress_within_total'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.UniqueConstraint(fields=('submission', 'method', 'parameters_digest', 'engine'), name='evaluation_once'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed', 'cancelled'])), name='evaluation_state_known'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('figures__isnull', False), ('finished_at__isnull', False), ('headline__isnull', False), ('reason', ''), ('state', 'done')), models.Q(models.Q(('state', 'done'), _negated=True), ('figures__isnull', True), ('finished_at__isnull', True), ('headline__isnull', True)), _connector='OR'), name='evaluation_done_has_figures'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('method', ''), _negated=True), models.Q(('parameters_digest', ''), _negated=True), models.Q(('release_digest', ''), _negated=True)), name='evaluation_says_how'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(('engine__gte', 1)), name='evaluation_engine_from_one'),
        ),
        migrations.AddConstraint(
            model_name='submissionfile',
            constraint=models.UniqueConstraint(fields=('submission', 'run'), name='submissionfile_run_unique'),
        ),
        migrations.AddConstraint(
            model_name='submissionfile',
            constraint=models.CheckConstraint(condition=models.Q(('run__gte', 1)), name='submissionfile_run_from_one'),
        ),
        migrations.AddConstraint(
            model_name='submissionfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('sha256', ''), _negated=True), models.Q(('storage', ''), _negated=True), models.Q(('name', ''), _negated=True)), name='submissionfile_is_stored'),
        ),
        migrations.AddConstraint(
            model_name='system',
            constraint=models.UniqueConstraint(fields=('project', 'name_key'), name='system_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='system',
            constraint=models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(annotation.models.constraints.Trimmed(models.F('name'), models.Value('\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff')), models.Value('')), _negated=True), name='system_name_not_blank'),
        ),
        migrations.AddConstraint(
            model_name='system',
            constraint=models.CheckConstraint(condition=models.Q(('link', ''), ('link__startswith', 'https://'), ('link__startswith', 'http://'), _connector='OR'), name='system_link_is_of_the_web'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('system', 'release', 'split', 'digest'), name='submission_files_once'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('digest', ''), _negated=True), name='submission_has_a_digest'),
        ),
        migrations.AddConstraint(
            model_name='taggedanswer',
            constraint=models.UniqueConstraint(fields=('submission', 'run', 'item', 'unit', 'tag'), name='taggedanswer_once'),
        ),
    ]
