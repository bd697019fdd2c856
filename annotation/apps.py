"""Register the annotation app, keep its database triggers in place and the rule for names of accounts."""

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate, post_save, pre_migrate, pre_save


class AnnotationConfig(AppConfig):
    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.accounts import check_account, store_account_name
        from annotation.database.install import TRIGGERS, drop_words_index_before, make_words_index_again
        from annotation.database.triggers import keep_triggers
        from annotation.items.item_stretches import forget_project_stretches
        from annotation.signals import project_deleting

        post_migrate.connect(make_words_index_again, sender=self)
        keep_triggers(self, TRIGGERS)
        pre_migrate.connect(drop_words_index_before, sender=self)
        project_deleting.connect(forget_project_stretches, dispatch_uid="forget_project_stretches")
        pre_save.connect(check_account, sender=settings.AUTH_USER_MODEL)
        post_save.connect(store_account_name, sender=settings.AUTH_USER_MODEL)
