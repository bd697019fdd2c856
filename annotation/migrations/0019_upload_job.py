from django.db import migrations, models
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone

STOPPED = "The work stopped before it was done, and nothing was stored. Try again."
STATES = {
    "new": ("check", "queued"),
    "checking": ("check", "queued"),
    "checked": ("check", "done"),
    "queued": ("import", "queued"),
    "importing": ("import", "queued"),
    "done": ("import", "done"),
    "failed": ("check", "failed"),
}
"""What was done and how far it was, by the one word of before. No worker is at work while tables change."""


def carry_over(apps, schema_editor):
    apps.get_model("annotation", "Upload").objects.update(
        work=Case(*(When(state=before, then=Value(work)) for before, (work, _) in STATES.items())),
        state=Case(*(When(state=before, then=Value(state)) for before, (_, state) in STATES.items())),
        error=Case(
            When(Q(state="failed", error=""), then=Value(STOPPED)),
            default=F("error"),
            output_field=models.TextField(),
        ),
    )
    settle(schema_editor)


def carry_back(apps, schema_editor):
    apps.get_model("annotation", "Upload").objects.update(
        state=Case(
            When(work="check", state__in=["queued", "running"], then=Value("new")),
            When(work="check", state="done", then=Value("checked")),
            When(work="import", state__in=["queued", "running"], then=Value("queued")),
            When(work="import", state="done", then=Value("done")),
            default=Value("failed"),
        )
    )
    settle(schema_editor)


def settle(schema_editor):
    """Have PostgreSQL look at the keys of changed rows now: it alters no table while that is put off."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0018_unknown_times")]

    operations = [
        migrations.RemoveConstraint(model_name="upload", name="upload_state_known"),
        migrations.RemoveField(model_name="upload", name="attempt"),
        migrations.RemoveField(model_name="upload", name="heartbeat_at"),
        migrations.AddField(
            model_name="upload",
            name="work",
            field=models.CharField(
                choices=[("check", "to be checked"), ("import", "to be imported")],
                default="check",
                max_length=6,
            ),
        ),
        migrations.AddField(
            model_name="upload", name="language", field=models.CharField(blank=True, max_length=12)
        ),
        migrations.AddField(
            model_name="upload",
            name="lease_token",
            field=models.CharField(blank=True, db_column="attempt", max_length=32),
        ),
        migrations.AddField(model_name="upload", name="lease_until", field=models.DateTimeField(null=True)),
        migrations.AddField(
            model_name="upload", name="attempts", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="upload", name="progress_done", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="upload", name="progress_total", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="upload",
            name="enqueued_at",
            field=models.DateTimeField(auto_now_add=True, default=timezone.now),
            preserve_default=False,
        ),
        migrations.RunPython(carry_over, carry_back),
        migrations.AlterField(
            model_name="upload",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "waiting for a worker"),
                    ("running", "at work"),
                    ("done", "done"),
                    ("failed", "failed"),
                    ("cancelled", "cancelled"),
                ],
                default="queued",
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=~Q(state="running") | (~Q(lease_token="") & Q(lease_until__isnull=False)),
                name="upload_running_has_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(error=""), name="upload_failed_says_why"
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=Q(progress_done__lte=F("progress_total")), name="upload_progress_within_total"
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="upload_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=Q(work__in=["check", "import"]), name="upload_work_known"
            ),
        ),
    ]
