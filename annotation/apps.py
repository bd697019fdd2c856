"""Register the annotation app and keep its database triggers in place."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class AnnotationConfig(AppConfig):
    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.database_rules import install_annotation_triggers, lift_annotation_triggers

        pre_migrate.connect(lift_annotation_triggers, sender=self)
        post_migrate.connect(install_annotation_triggers, sender=self)
