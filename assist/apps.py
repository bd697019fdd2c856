"""Register the assist app with its kinds of task, and keep its database triggers in place."""

from django.apps import AppConfig


class AssistConfig(AppConfig):
    name = "assist"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.database.triggers import keep_triggers
        from annotation.signals import (
            filters_asked,
            import_undoing,
            item_erasing,
            suggestions_asked,
            suggestions_read,
        )
        from assist.candidates.question_tasks import QUESTIONS, SLOTS
        from assist.filtering.context import CONTEXT
        from assist.filtering.marking import filtered_condition
        from assist.runs.erasure import forget_item_words
        from assist.runs.holding import refuse_undoing
        from assist.runs.kinds import kind_register
        from assist.runs.suggestions import answers_suggested, run_suggesting
        from assist.triggers import TRIGGERS

        for kind in (CONTEXT, QUESTIONS, SLOTS):
            kind_register(kind)
        item_erasing.connect(forget_item_words, dispatch_uid="assist_item_words_forget")
        import_undoing.connect(refuse_undoing, dispatch_uid="assist_import_held")
        suggestions_asked.connect(run_suggesting, dispatch_uid="assist_run_suggesting")
        suggestions_read.connect(answers_suggested, dispatch_uid="assist_answers_suggested")
        filters_asked.connect(filtered_condition, dispatch_uid="assist_filtered_items")
        keep_triggers(self, TRIGGERS)
