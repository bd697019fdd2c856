"""What beat sends again and again are tasks that exist."""

from django.conf import settings

from config.celery import app


def test_every_scheduled_task_is_registered():
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled == {
        "annotation.sweep_imports",
        "annotation.delete_projects",
        "agreement.sweep_reports",
        "agreement.refresh_live_reports",
        "exports.sweep_releases",
        "exports.sweep_refinements",
        "assist.sweep_runs",
        "scoring.sweep_evaluations",
        "boards.sweep_boards",
        "operations.prune",
    }
    assert scheduled <= set(app.tasks)


def test_sweeps_pass_by_all_that_waits():
    first = {name for name, entry in settings.CELERY_BEAT_SCHEDULE.items() if "sweep" in name}
    assert len(first) == 7
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert entry.get("options", {}).get("priority", app.conf.task_default_priority) == (
            0 if name in first else 5
        )
