"""Register the assist app with its kinds of task, and keep its database triggers in place."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class AssistConfig(AppConfig):
    name = "assist"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from assist.candidates.question_tasks import QUESTIONS, SLOTS
        from assist.filtering.context import CONTEXT
        from assist.runs.kinds import kind_register
        from assist.triggers import install_assist_triggers, lift_assist_triggers

        for kind in (CONTEXT, QUESTIONS, SLOTS):
            kind_register(kind)
        pre_migrate.connect(lift_assist_triggers, sender=self)
        post_migrate.connect(install_assist_triggers, sender=self)
