from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0010_screened_upload'),
    ]

    operations = [
        migrations.RenameField(
            model_name='round',
            old_name='opening_at',
            new_name='claimed_at',
        ),
        migrations.AddField(
            model_name='round',
            name='claimed_for',
            field=models.CharField(blank=True, choices=[('opening', 'being opened'), ('drawing', 'being drawn')], editable=False, max_length=8),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('claimed_for__in', ['', 'opening', 'drawing'])), name='round_work_known'),
        ),
    ]
