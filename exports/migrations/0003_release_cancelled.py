from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exports', '0002_question_refinements'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='release',
            name='release_state_known',
        ),
        migrations.AlterField(
            model_name='release',
            name='state',
            field=models.CharField(choices=[('queued', 'waiting for a worker'), ('running', 'being built'), ('done', 'built'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=9),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed', 'cancelled'])), name='release_state_known'),
        ),
    ]
