"""Load the sample data of the demo."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from annotation.management.script import ScriptCommand
from annotation.sample.loader import sample_load


class Command(ScriptCommand):
    help = "Load a sample project of each protocol with a closed and an open round; twice changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.SAMPLE_LOGINS_ALLOWED:
            raise CommandError(
                "The sample comes with log-ins that everybody knows, so it is loaded only in the embedded "
                "mode on your own machine."
            )
        for project in sample_load():
            self.stdout.write(f"Loaded the sample project “{project.name}”.")
