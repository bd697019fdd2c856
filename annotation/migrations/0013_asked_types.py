from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_account_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='asked',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name='rounditem',
            name='types',
            field=models.TextField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='rounditem',
            index=models.Index(condition=models.Q(('types__isnull', False)), fields=['round', 'types'], name='rounditem_by_types'),
        ),
        migrations.AddField(
            model_name='upload',
            name='asked',
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
