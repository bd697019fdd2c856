"""Register the boards app and keep its database triggers in place."""

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "boards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.database.triggers import keep_triggers
        from annotation.signals import account_erasing, own_data_asked
        from boards.life.erasure import forget_account, own_rows
        from boards.triggers import TRIGGERS

        account_erasing.connect(forget_account, dispatch_uid="boards_account_forget")
        own_data_asked.connect(own_rows, dispatch_uid="boards_own_rows")
        keep_triggers(self, TRIGGERS)
