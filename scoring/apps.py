"""Register the scoring app and keep its database triggers in place."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from scoring.triggers import install_scoring_triggers, lift_scoring_triggers

        pre_migrate.connect(lift_scoring_triggers, sender=self)
        post_migrate.connect(install_scoring_triggers, sender=self)
