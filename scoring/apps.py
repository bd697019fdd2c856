"""Register the scoring app, which has commands and no tables."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"
