"""What the tests of assistants share: runs over a study, asked of the fake model."""

from assist.runs.parameters import run_choices
from assist.runs.runs import run_request
from assist.runs.worker import run_work
from tests.exports.endpoint import Clock, saying

SOURCES = [["test", ""]]
TEXTS = (
    "Parks make people happy because they can rest. {braces}",
    "That is what he said.",
    "Taxes fell, so jobs came back.",
)


def said_by_text(**words):
    """Return what the fake says: the words of the first name that is in the prompt, else `otherwise`."""

    def reply(asked):
        found = next((said for part, said in words.items() if part in asked.prompt), words["otherwise"])
        return found if isinstance(found, tuple) else saying(found)

    return reply


def choices(made, endpoint, task="context", **given):
    asked = {"task": task, "endpoint": endpoint.url, "model": "tiny", "sources": SOURCES, **given}
    return run_choices(made.project, asked)


def request(made, endpoint, task="context", **given):
    return run_request(project=made.project, choices=choices(made, endpoint, task, **given), by=made.lead)


def work(run, clock=None):
    while run_work(run_id=run.pk, timing=(clock or Clock()).timing):
        pass
    run.refresh_from_db()
    return run


def asked(made, endpoint, task="context", clock=None, **given):
    return work(request(made, endpoint, task, **given), clock)


def answers(run):
    return [
        (row.item.external_id, row.state, row.label or row.problem)
        for row in run.answers.order_by("item", "pk")
    ]
