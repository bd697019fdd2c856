"""Load the sample data through the use cases that people use: one project of each protocol.

Each has a closed round of three annotators to look at and an open round to try. What is there already
is left alone, so loading twice changes nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from django.contrib.auth.models import User
from django.db import transaction

from annotation.importing.files.rows import JudgementRow
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.items import items_import
from annotation.judging.recording import Unit, judgement_record
from annotation.models import Assignment, Membership, Project, Round
from annotation.projects.projects import member_add, project_create
from annotation.rounds.drawing import round_draw
from annotation.rounds.lifecycle import round_close, round_create
from annotation.rounds.opening import round_open
from annotation.sample import LOGINS
from annotation.training.key import key_import

FOLDER = Path(__file__).parent
SEED = 20260101
_NAMES = {"Ada": "ada", "Ben": "ben", "Chloé": "chloe"}
_BACKGROUND = {
    "ada": "Invented annotator: taught argumentation for six years.",
    "ben": "Invented annotator: second-year student of linguistics.",
    "chloe": "Invented annotator: edits a debating society's newsletter.",
}


def sample_load() -> list[Project]:
    """Create the sample accounts and projects that are not there yet; return the new projects."""
    users = _accounts()
    return [project for project in (_focus(users), _cqs_gen(users)) if project is not None]


def _focus(users: dict[str, User]) -> Project | None:
    return _load(
        users,
        slug="sample-focus",
        name="Town talk (sample)",
        codebook="focus",
        items="arguments.jsonl",
        judged="focus_judgements.csv",
        open_items=[f"S-{number}" for number in range(21, 29)],
        trained=[f"S-{number}" for number in range(17, 21)],
    )


def _cqs_gen(users: dict[str, User]) -> Project | None:
    return _load(
        users,
        slug="sample-cqs",
        name="Council debates (sample)",
        codebook="cqs_gen",
        items="interventions.json",
        judged="cqs_judgements.csv",
        open_items=[f"SMP_{number:02d}" for number in range(9, 15)],
    )


def _load(
    users: dict[str, User],
    *,
    slug: str,
    name: str,
    codebook: str,
    items: str,
    judged: str,
    open_items: list[str],
    trained: list[str] | None = None,
) -> Project | None:
    if Project.objects.filter(slug=slug).exists():
        return None
    # All or nothing: a half-loaded sample would be taken for a loaded one the next time.
    with transaction.atomic():
        project = project_create(slug=slug, name=name, codebook=codebook)
        Project.objects.filter(pk=project.pk).update(
            licence="CC0-1.0", languages="en, ar, he, ja", contact="the Elenchus project"
        )
        annotators = {
            name: member_add(project=project, user=users[login], background=_BACKGROUND[login])
            for name, login in _NAMES.items()
        }
        lead = member_add(project=project, user=users["lea"], is_lead=True, is_annotator=False)
        items_import(project=project, path=FOLDER / items, member=lead)
        rows = list(_judgements(FOLDER / judged))
        first = _open(project, lead, annotators, "Round 1", list(dict.fromkeys(row.item for row in rows)))
        _record(first, annotators, rows)
        round_close(first, by=lead)
        _open(project, lead, annotators, "Round 2", open_items)
        if trained:
            _open_training(project, lead, annotators, trained)
    return project


def _open(
    project: Project, lead: Membership, annotators: dict[str, Membership], name: str, items: list[str]
) -> Round:
    created = round_create(project=project, name=name, overlap=3, seed=SEED, member=lead)
    round_draw(created, external_ids=items, member=lead)
    return round_open(created, members=annotators.values(), by=lead)


def _open_training(
    project: Project, lead: Membership, annotators: dict[str, Membership], items: list[str]
) -> None:
    training = round_create(
        project=project,
        name="Training",
        purpose=Round.Purpose.TRAINING,
        overlap=3,
        seed=SEED,
        pass_mark=70,
        member=lead,
    )
    round_draw(training, external_ids=items, member=lead)
    key_import(training, FOLDER / "key.csv", member=lead)
    round_open(training, members=annotators.values(), by=lead)


def _judgements(path: Path) -> Iterator[JudgementRow]:
    for row in judgements.read(path, name=path.name):
        if not isinstance(row, JudgementRow):
            raise ValueError(f"{path.name}: {row}")
        yield row


def _record(round: Round, annotators: dict[str, Membership], rows: list[JudgementRow]) -> None:
    """Record the rows as their annotators would have, with believable times."""
    seconds = Random(SEED)
    questions = {
        (item, external_id): pk
        for item, external_id, pk in round.round_questions.values_list(
            "question__item__external_id", "question__external_id", "question"
        )
    }
    assignments = {
        (assignment.item.external_id, assignment.member_id): assignment
        for assignment in Assignment.objects.filter(round=round).select_related("item")
    }
    for number, row in enumerate(rows, start=1):
        member = annotators[row.annotator]
        judgement_record(
            member=member,
            round_number=round.number,
            assignment_id=assignments[(row.item, member.pk)].pk,
            unit=(
                Unit(type_code=row.type_code)
                if row.type_code is not None
                else Unit(question_id=questions[(row.item, row.question)])
            ),
            answer=judgements.answer_fields(row),
            base_revision=0,
            client_event_id=f"sample-{number}",
            active_seconds=seconds.randint(4, 30) + (seconds.randint(5, 25) if row.start is not None else 0),
        )


def _accounts() -> dict[str, User]:
    users = User.objects
    accounts: dict[str, User] = {}
    for _, name, password in LOGINS:
        accounts[name] = users.filter(username=name).first() or users.create_user(
            name, f"{name}@example.org", password
        )
    return accounts
