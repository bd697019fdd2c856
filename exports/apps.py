"""Register the exports app and keep its database triggers in place."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.database.triggers import keep_triggers
        from annotation.signals import item_erasing, items_held, project_deleting
        from exports.releases.holding import items_in_releases
        from exports.releases.take_down import forget_project_files, releases_take_down
        from exports.triggers import TRIGGERS

        items_held.connect(items_in_releases, dispatch_uid="items_in_releases")
        item_erasing.connect(releases_take_down, dispatch_uid="releases_take_down")
        project_deleting.connect(forget_project_files, dispatch_uid="forget_project_files")
        keep_triggers(self, TRIGGERS)
