import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=40)),
                ('parameters', models.JSONField()),
                ('state', models.CharField(choices=[('queued', 'waiting for a worker'), ('running', 'being built'), ('done', 'built'), ('failed', 'failed')], default='queued', max_length=8)),
                ('progress_done', models.PositiveIntegerField(default=0)),
                ('progress_total', models.PositiveIntegerField(default=0)),
                ('attempt', models.CharField(blank=True, max_length=32)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('files', models.JSONField(default=list)),
                ('counts', models.JSONField(default=dict)),
                ('card', models.TextField(blank=True)),
                ('is_public', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('enqueued_at', models.DateTimeField(auto_now_add=True)),
                ('built_at', models.DateTimeField(null=True)),
                ('member', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='annotation.project')),
            ],
            options={
                'ordering': ['project', '-id'],
                'constraints': [models.UniqueConstraint(fields=('project', 'version'), name='release_version_unique'), models.CheckConstraint(condition=models.Q(('version', ''), _negated=True), name='release_version_not_empty'), models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed'])), name='release_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), models.Q(models.Q(('attempt', ''), _negated=True), ('lease_until__isnull', False)), _connector='OR'), name='release_running_has_lease'), models.CheckConstraint(condition=models.Q(models.Q(('built_at__isnull', False), ('state', 'done'), models.Q(('digest', ''), _negated=True), models.Q(('card', ''), _negated=True)), models.Q(models.Q(('state', 'done'), _negated=True), ('built_at__isnull', True), ('digest', '')), _connector='OR'), name='release_done_is_whole'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='release_failed_says_why'), models.CheckConstraint(condition=models.Q(('is_public', False), ('state', 'done'), _connector='OR'), name='release_public_is_done'), models.CheckConstraint(condition=models.Q(('progress_done__lte', models.F('progress_total'))), name='release_progress_within_total')],
            },
        ),
    ]
