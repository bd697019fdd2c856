"""Register the scoring app with its kinds of task, and keep its database triggers in place."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.database.triggers import keep_triggers
        from annotation.signals import item_erasing, project_deleting
        from assist.runs.kinds import kind_register
        from scoring.baselines.focus_task import FOCUS_ANSWERS
        from scoring.baselines.label_task import QUESTION_LABELS
        from scoring.baselines.question_task import THREE_QUESTIONS
        from scoring.systems.erasure import answers_erase, forget_project_submissions
        from scoring.triggers import TRIGGERS

        for kind in (FOCUS_ANSWERS, THREE_QUESTIONS, QUESTION_LABELS):
            kind_register(kind)
        item_erasing.connect(answers_erase, dispatch_uid="answers_erase")
        project_deleting.connect(forget_project_submissions, dispatch_uid="forget_project_submissions")
        keep_triggers(self, TRIGGERS)
