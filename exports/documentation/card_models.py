"""What language models had part in: refined questions, filtered texts, suggestions to annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exports.documentation.markdown import cell, table
from exports.selection.selection import Selection

if TYPE_CHECKING:
    from exports.documentation.contents import Built


def refinements_text(built: Built) -> str:
    """Say which questions a language model put into other words, and how it was asked."""
    lines = [
        "## Refined questions",
        "",
        f"Every gold span has its `question`, the exemplar of its type filled with the span. "
        f"{built.counts['questions_refined']} of {built.counts['gold_spans']} also have a "
        "`question_refined`: the same question as a language model put it, with the number of its run as "
        "`refinement_run`; the others have `null`. Answers were checked for their form alone (one sentence "
        "that ends with a question mark); those that a lead rejected are left out.",
        "",
    ]
    lines += table(
        ["run", "endpoint", "model", "answered as", "days", "temperature", "seed", "questions"],
        (
            (
                run["run"],
                run["endpoint"],
                run["model"],
                ", ".join(run["answered_as"]),
                " to ".join(dict.fromkeys((run["first_day"], run["last_day"]))),
                "not sent" if run["temperature"] is None else f"{run['temperature']:g}",
                "not sent" if run["seed"] is None else run["seed"],
                run["questions"],
            )
            for run in built.refinements
        ),
    )
    prompts: dict[str, list[str]] = {}
    for run in built.refinements:
        prompts.setdefault(run["prompt"], []).append(str(run["run"]))
    for prompt, numbers in prompts.items():
        lines += [f"Prompt of run {', '.join(numbers)}:", "", "```", prompt.replace("```", "'''"), "```", ""]
    return "\n".join(lines)


def filters_text(built: Built) -> str:
    """Say which language model looked for texts without enough context, and how many were left out for it."""
    if not built.filters:
        return ""
    left_out = sum(found["left_out"] for found in built.filters)
    lines = [
        "## Filtered texts",
        "",
        "A language model was asked whether each text can be understood on its own. Texts that it found "
        f"insufficient were marked and left out of annotation: {left_out} of them are not in this release.",
        "",
        *table(
            ["run", "endpoint", "model", "temperature", "seed", "prompt (SHA-256)", "left out", "released"],
            (
                (
                    found["run"],
                    found["endpoint"],
                    found["model"],
                    "not sent" if found["temperature"] is None else f"{found['temperature']:g}",
                    "not sent" if found["seed"] is None else found["seed"],
                    f"`{found['prompt_sha256']}`",
                    found["left_out"],
                    found["released"],
                )
                for found in built.filters
            ),
        ),
    ]
    return "\n".join(lines)


def suggestion_lines(selection: Selection) -> list[str]:
    """Return a sentence for each round in which annotators saw what a language model suggested."""
    where = {"half": "half of the units, drawn at random", "all": "every unit that it had answered"}
    return [
        line
        for name, model, shown in selection.suggested
        for line in (
            f"In {cell(name)}, annotators were shown before they answered what the language model "
            f"{cell(model)} suggested, marked as such, at {where[shown]}: labels and agreement may lean "
            "towards it.",
            "",
        )
    ]
