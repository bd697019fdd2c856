"""Register the agreement app and listen for the one signal that annotation sends."""

from django.apps import AppConfig


class AgreementConfig(AppConfig):
    name = "agreement"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from agreement.adjudication.erasure import spans_erase
        from agreement.tasks import report_start_on_closing
        from annotation.signals import item_erasing, round_closed

        round_closed.connect(report_start_on_closing, dispatch_uid="agreement.report_on_closing")
        item_erasing.connect(spans_erase, dispatch_uid="spans_erase")
