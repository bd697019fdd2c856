import json
import re

from django.db import migrations, models

NAME = re.compile(r"^pretty_name: (.+)$", re.MULTILINE)
LICENCE = re.compile(r"^- Licence: (.+)$", re.MULTILINE)
DESCRIPTION = re.compile(r"^# .+\n\n(.+)$", re.MULTILINE)


def read_from_the_card(apps, schema_editor):
    """Keep what releases were built with, which until now stood in their cards alone."""
    releases = apps.get_model("exports", "Release").objects.filter(state="done").select_related("project")
    for release in releases:
        name, licence = NAME.search(release.card), LICENCE.search(release.card)
        description = DESCRIPTION.search(release.card)
        stated = licence[1] if licence and licence[1] != "not stated" else ""
        release.name = json.loads(name[1]) if name else release.project.name
        # What the card does to a text so that it stays in its line is taken back.
        plain = stated.replace("&lt;", "<").replace("\\|", "|").replace("\\\\", "\\")
        release.licence = release.parameters.get("licence") or plain
        release.description = description[1] if description else ""
        release.save(update_fields=["name", "licence", "description"])


class Migration(migrations.Migration):

    dependencies = [
        ('exports', '0003_release_cancelled'),
    ]

    operations = [
        migrations.AddField(
            model_name='release',
            name='name',
            field=models.TextField(blank=True, default=''),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='release',
            name='licence',
            field=models.TextField(blank=True, default=''),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='release',
            name='description',
            field=models.TextField(blank=True, default=''),
            preserve_default=False,
        ),
        migrations.RunPython(read_from_the_card, migrations.RunPython.noop),
    ]
