"""The pages: they import the other apps, and nothing imports them."""

from django.apps import AppConfig


class FrontendConfig(AppConfig):
    name = "frontend"
    verbose_name = "Pages"
