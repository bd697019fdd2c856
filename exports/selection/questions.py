"""Questions of exemplars and spans, by the name under which releases know them."""

from annotation.codebooks.exemplar_questions import question_from_exemplar

__all__ = ["question_from_exemplar"]
