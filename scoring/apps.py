"""Register the scoring app with its kinds of task, and keep its database triggers in place."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.signals import item_erasing, project_deleting
        from assist.runs.kinds import kind_register
        from scoring.baselines.focus_task import FOCUS_ANSWERS
        from scoring.baselines.question_task import THREE_QUESTIONS
        from scoring.systems.erasure import answers_erase, forget_project_submissions
        from scoring.triggers import install_scoring_triggers, lift_scoring_triggers

        for kind in (FOCUS_ANSWERS, THREE_QUESTIONS):
            kind_register(kind)
        item_erasing.connect(answers_erase, dispatch_uid="answers_erase")
        project_deleting.connect(forget_project_submissions, dispatch_uid="forget_project_submissions")
        pre_migrate.connect(lift_scoring_triggers, sender=self)
        post_migrate.connect(install_scoring_triggers, sender=self)
