"""Boards for tests: a release with references kept back, people, teams, and files that fit."""

import json
from collections.abc import Sequence
from typing import Any

from boards.life.boards import board_create, board_switch
from boards.life.entries import entry_hand_in
from boards.life.placings import placing_run, standing_refresh
from boards.life.teams import team_create
from boards.life.versions import version_create, version_run
from boards.models import Board, Placing, Team
from exports.models import Release
from scoring.systems.submissions import HandedIn
from tests import factories
from tests.factories import UNHELPFUL, USEFUL, Study, close, invalid, judge_question, open_round, study
from tests.factories.releases import release

WORDS = ("Who measured the noise", "What else was tried", "Why should that follow")
"""How the references of each item begin; the label follows: Useful, Invalid, Unhelpful."""


def reference(item: str, at: int) -> str:
    """Return a withheld question: its words are nowhere else."""
    return f"{WORDS[at]} in {item}xq?"


def questions_study(slug: str = "ask", items: int = 4) -> tuple[Study, Release]:
    """Release items with three references each: half are validation, the rest a test split that is kept."""
    made = study("cqs_gen", annotators=1, items=items, questions=3, slug=slug)
    for number, item in enumerate(made.items):
        item.split = "validation" if number < items // 2 else "test"
        item.save(update_fields=["split"])
        for at, question in enumerate(item.questions.order_by("position")):
            question.text = reference(item.external_id, at)
            question.save(update_fields=["text"])
    open_round(made)
    for item in made.items:
        rows = zip(item.questions.order_by("position"), [USEFUL, invalid(), UNHELPFUL], strict=True)
        for question, answer in rows:
            judge_question(made, question, [answer])
    close(made)
    return made, release(made.project, withheld=["test"], agreement=False, judgements=False)


def test_items(made: Study) -> list[str]:
    """Return the ids of the split that is ranked."""
    return [item.external_id for item in made.items if item.split == "test"]


test_items.__test__ = False  # type: ignore[attr-defined]


def asked(made: Study, right: int = 0, tag: str = "") -> dict[str, Any]:
    """Return a whole file in which so many questions are useful references, the others nobody's."""
    found: dict[str, Any] = {}
    for item in test_items(made):
        texts = [f"Plain {tag} question {number} {item}" for number in range(3)]
        if right > 0:
            texts[0] = reference(item, 0)
            right -= 1
        found[item] = {"cqs": [{"id": number, "cq": text} for number, text in enumerate(texts)]}
    return found


def files(*contents: Any) -> list[HandedIn]:
    """Return files of these contents."""
    return [
        HandedIn(f"run{number}.json", content if isinstance(content, bytes) else json.dumps(content).encode())
        for number, content in enumerate(contents, start=1)
    ]


def questions_board(
    slug: str = "ask",
    *,
    items: int = 4,
    opened: bool = True,
    methods: Sequence[str] = ("exact",),
    replicates: int = 50,
    **settings: Any,
) -> tuple[Study, Board]:
    """Return a board on the split that is kept, ranked by the same words, open to anybody."""
    made, built = questions_study(slug, items)
    given = {"title": "Which asks best?", "entrance": "anyone", "feedback": "full", "per_day": 5, **settings}
    board = board_create(project=made.project, name="best", by=made.lead, **given)
    version = version_create(
        board=board, release=built, split="test", methods=methods, replicates=replicates, by=made.lead
    )
    version_run(version_id=version.pk)
    if opened:
        board_switch(board=board, state="open", by=made.lead)
    return made, board


def team(board: Board, name: str = "Lakeside", user: str = "tina") -> Team:
    """Make a team with one member."""
    return team_create(board=board, name=name, user=factories.user(user))


def handed_in(board: Board, content: Any, user: str = "tina", *, run: bool = True, **given: Any) -> Placing:
    """Hand a file in, and have it scored."""
    values = {"name": "Gadfly", "may_be_shown": True, **given}
    placing = entry_hand_in(board=board, user=factories.user(user), files=files(content), **values)
    if run:
        placing_run(placing_id=placing.pk)
        standing_refresh(version_id=placing.version_id)
        placing.refresh_from_db()
    return placing
