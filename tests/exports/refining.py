"""What the tests of refinement share: a study with gold spans, and runs over it."""

from exports.models import QuestionRefinement
from exports.refinement import worker as work
from exports.refinement.parameters import refinement_choices
from exports.refinement.runs import refinement_request
from exports.refinement.worker import refinement_work
from tests.exports.endpoint import Clock
from tests.factories import close, focus_study, judge, yes

SOURCES = [["test", ""]]
TEXTS = ("Parks make people happy. {type}", "The tax is the cause.", "Everyone's grades fell.")


def gold_study():
    """Three items, each with one gold span of “Lacks Evidence”."""
    made = focus_study(annotators=2, items=3, texts=TEXTS, slug="s")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:12])] * 2})
    close(made)
    return made


def request(made, asked, /, **choices):
    given = {"endpoint": asked.url, "model": "tiny", "sources": SOURCES, "prompt": "{question}", **choices}
    return refinement_request(
        project=made.project, choices=refinement_choices(given), texts_may_leave=True, by=made.lead
    )


def refine(made, endpoint, clock=None, **choices):
    run = request(made, endpoint, **choices)
    assert refinement_work(run_id=run.pk, timing=(clock or Clock()).timing) is False
    run.refresh_from_db()
    return run


def rows(**filters):
    return list(QuestionRefinement.objects.filter(**filters).order_by("pk"))


def acts_meanwhile(monkeypatch):
    """Let something happen while a question is under way, here and not in the endpoint's thread."""
    real, acts = work.ask_endpoint, []

    def answer(*arguments, **options):
        found = real(*arguments, **options)
        act = acts.pop(0) if acts else None
        if act:
            act()
        return found

    monkeypatch.setattr(work, "ask_endpoint", answer)
    return acts.extend
