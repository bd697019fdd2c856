"""How the fields of every form are drawn, those of the log-in pages among them.

See docs/decisions/leads.md.
"""

from typing import Any

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest


class WholeTexts(DjangoTemplates):
    """Leaves `maxlength` out: with it a browser cuts what is pasted and says nothing.

    The whole text arrives, and the form comes back with it and with how long it is and may be.
    """

    def render(self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None) -> str:
        if "widget" in context:
            context["widget"]["attrs"].pop("maxlength", None)
        return super().render(template_name, context, request)
