"""Register the exports app and keep its database triggers in place."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ExportsConfig(AppConfig):
    name = "exports"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from exports.triggers import install_export_triggers, lift_export_triggers

        pre_migrate.connect(lift_export_triggers, sender=self)
        post_migrate.connect(install_export_triggers, sender=self)
