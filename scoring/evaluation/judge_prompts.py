"""The prompts of the methods in which a language model judges a question. Pure.

The defaults are quoted from Calvo Figueras B, Agerri R (2025) Benchmarking Critical Questions Generation: A
Challenging Reasoning Task for Large Language Models, Figures 8 and 9, as its authors' program sends them.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext

from assist.asking.prompts import placeholder_missing, placeholder_problem, placeholders_filled

MODEL_REFERENCE, MODEL_LABEL = "model_reference", "model_label"
JUDGED = (MODEL_REFERENCE, MODEL_LABEL)

COMPARE = """\
You will be given a set of reference questions, each with an identifying ID, and a newly generated question. \
Your task is to determine if any of the reference questions are asking for the same information as the new \
question.

Here is the set of reference questions with their IDs:

<reference_questions>
{references}
</reference_questions>

Here is the newly generated question:

<new_question>
{question}
</new_question>

Compare the new question to each of the reference questions. Look for questions that are asking for the same \
information, even if they are worded differently. Consider the core meaning and intent of each question, not \
just the exact wording.

If you find a reference question that is asking for the same information as the new question, output only \
the ID of that reference question.

If none of the reference questions are asking for the same information as the new question, output exactly \
'Similar reference not found.' (without quotes).

Your final output should consist of only one of the following:
1. The ID of the most similar reference question
2. The exact phrase 'Similar reference not found.'

Do not include any explanation, reasoning, or additional text in your output."""

LABEL = """\
You are a fair judge assistant tasked with evaluating if a provided question is a useful critical question \
for a given text. Your role is to provide clear objective feedback based on specific criteria, ensuring each \
assessment reflects the absolute standards set for performance.

Here is the question you should evaluate:
<critical_question>
{question}
</critical_question>

And here is the text to which the question relates:
<text>
{text}
</text>

Guidelines for evaluation:
1. Carefully read both the question and the text.
2. Consider how the question relates to the arguments presented in the text.
3. Assess the question's usefulness in challenging or critically examining the text's content.
4. Determine which of the three labels (Useful, Unhelpful, or Invalid) best applies to the question.

Label criteria:
1. Useful: The question is both critical of and directly relevant to the arguments in the text. It \
challenges the text's content in a meaningful way.

2. Unhelpful: The question is critical and related to the text, but not likely to be very useful in \
challenging its arguments. This could be because:
   a) The answer is common sense
   b) The answer is well-known and not controversial
   c) The question is very complicated to understand or answer
   d) The text itself already answers the question
   Note: Do not use this label just because better questions could have been posed.

3. Invalid: The question is not appropriately critical in this context. This could be because:
   a) The question is unrelated to the text
   b) The question is too general and could apply to many texts
   c) The question introduces new concepts not mentioned in the text
   d) The question doesn't challenge any arguments in the text (e.g., it's a simple reading comprehension \
question or asks about the speaker's/reader's opinion)
   e) The question critiques an argument that the speaker wasn't actually making

Your task is to output only one of the three labels: Useful, Unhelpful, or Invalid. Do not include any \
comments, explanations, blank spaces, or new lines. Your entire output should consist of a single word - the \
chosen label."""

DEFAULT_PROMPTS = {MODEL_REFERENCE: COMPARE, MODEL_LABEL: LABEL}
_NEEDED = {MODEL_REFERENCE: ("references", "question"), MODEL_LABEL: ("text", "question")}
PLACEHOLDERS = ("references", "question", "text")


def prompt_problem(method: str, prompt: str) -> str:
    """Return what is wrong with a prompt for a method, in a sentence; empty where nothing is."""
    if problem := placeholder_problem(prompt, PLACEHOLDERS):
        return problem
    if missing := placeholder_missing(prompt, _NEEDED[method]):
        return gettext("Write {%(name)s} where it goes: %(method)s needs it.") % {
            "name": missing,
            "method": method,
        }
    return ""


def fill_prompt(prompt: str, *, question: str, text: str, references: Sequence[str]) -> str:
    """Put the values into a prompt, the references numbered from 0. Braces in the values are text.

    >>> fill_prompt("{references} ~ {question}", question="Why {x}?", text="", references=["Who?"])
    '0: Who? ~ Why {x}?'
    """
    values = {
        "question": question,
        "text": text,
        "references": "\n".join(f"{number}: {words}" for number, words in enumerate(references)),
    }
    return placeholders_filled(prompt, values)
