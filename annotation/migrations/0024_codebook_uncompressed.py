"""Codebooks lie in PostgreSQL as they are: each judgement is compared with its types, which took longer to
unpack than to read."""

from django.db import migrations


def set_storage(editor, kind):
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE annotation_codebook ALTER COLUMN definition SET STORAGE {kind}")
        # What is stored is packed anew only where it is another value.
        editor.execute("UPDATE annotation_codebook SET definition = definition::text::jsonb")


def unpack(apps, editor):
    set_storage(editor, "EXTERNAL")


def pack(apps, editor):
    set_storage(editor, "EXTENDED")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0023_suggestions")]
    operations = [migrations.RunPython(unpack, pack)]
