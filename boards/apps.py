"""Register the boards app and keep its database triggers in place."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class BoardsConfig(AppConfig):
    name = "boards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from boards.triggers import install_board_triggers, lift_board_triggers

        pre_migrate.connect(lift_board_triggers, sender=self)
        post_migrate.connect(install_board_triggers, sender=self)
