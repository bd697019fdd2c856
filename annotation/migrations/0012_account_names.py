"""What tells accounts apart, in a table of its own; accounts of before that look alike are named."""

import unicodedata

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def key_of(text):
    # As annotation.accounts has it today: a migration keeps what it did.
    stored = unicodedata.normalize("NFKC", text).strip()
    return unicodedata.normalize("NFKC", stored.casefold()).strip()


def keep_keys(apps, schema_editor):
    using = schema_editor.connection.alias
    users = apps.get_model(settings.AUTH_USER_MODEL).objects.using(using)
    rows, names, emails = [], {}, {}
    for pk, username, email in list(users.order_by("pk").values_list("pk", "username", "email")):
        name, address = key_of(username), key_of(email or "") or None
        if name in names:
            print(
                f"\n  The accounts “{names[name]}” and “{username}” look alike. Both log in by their names exactly "
                "as they are written here; rename or deactivate one on the admin pages."
            )
        if address and address in emails:
            print(
                f"\n  The accounts “{emails[address]}” and “{username}” have one e-mail address ({email}): give "
                "one of them another address on the admin pages."
            )
        small = unicodedata.normalize("NFKC", email or "").strip().lower()
        if small != (email or ""):
            # Log-in and password reset look for small letters: such an address led nobody in.
            users.filter(pk=pk).update(email=small)
        rows.append((pk, None if name in names else name, None if address in emails else address))
        names.setdefault(name, username)
        if address:
            emails.setdefault(address, username)
    model = apps.get_model("annotation", "AccountName")
    model.objects.using(using).bulk_create(
        [model(user_id=pk, name_key=name, email_key=address) for pk, name, address in rows], batch_size=500
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0011_draft_work"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AccountName",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name_key", models.TextField(null=True, unique=True)),
                ("email_key", models.TextField(null=True, unique=True)),
            ],
        ),
        migrations.RunPython(keep_keys, migrations.RunPython.noop),
    ]
