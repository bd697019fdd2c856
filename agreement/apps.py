"""Register the agreement app and listen for the one signal that annotation sends."""

from django.apps import AppConfig


class AgreementConfig(AppConfig):
    name = "agreement"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from agreement.tasks import report_start_on_closing
        from annotation.signals import round_closed

        round_closed.connect(report_start_on_closing, dispatch_uid="agreement.report_on_closing")
