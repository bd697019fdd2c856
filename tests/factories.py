"""Small studies for tests, made through the use cases that people use.

The cast: Lea leads (and annotates where a test says so), Ann, Bea and Cai annotate, Olu is an outsider.
"""

from dataclasses import dataclass, field
from itertools import count

from django.contrib.auth.models import User

from annotation.judging.recording import Recorded, Unit, judgement_record
from annotation.models import (
    Assignment,
    Import,
    Item,
    MatchReference,
    Membership,
    Project,
    Question,
    Round,
)
from annotation.projects.projects import member_add, project_create
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.matching import Candidate, MatchItem, matching_round_create
from annotation.rounds.opening import round_open

ARGUMENTS = (
    "The library should stay open all night. Everyone's grades fell when it closed at ten.",
    "Emoji 👩‍👩‍👧 first: parks make people happy 🎉, so every street needs one.",
    "Café prices rose after the tax. The tax is the cause, as anyone can see.",
    "المكتبة يجب أن تبقى مفتوحة طوال الليل. الجميع يعرف ذلك.",
)
INTERVENTION = "HALL: “We closed the river road to cars and the shops had their best year.”"
QUESTIONS = (
    "Were there other reasons for the good year?",
    "What do barriers cost?",
    "How would a tax on empty shops change this?",
)

_numbers = count(1)


@dataclass
class Study:
    """A project with its people, and a round where one was asked for."""

    project: Project
    lead: Membership
    annotators: list[Membership]
    round: Round | None = None
    items: list[Item] = field(default_factory=list)


def user(name: str) -> User:
    """Return the user of this name, with the password “secret”."""
    found = User.objects.filter(username=name).first()
    return found or User.objects.create_user(name, f"{name}@example.org", "secret")


def study(
    codebook: str = "focus",
    *,
    annotators: int = 3,
    items: int = 2,
    questions: int = 3,
    texts: tuple[str, ...] | None = None,
    slug: str | None = None,
) -> Study:
    """Create a project with a lead, annotators and items (with questions where the protocol has them)."""
    project = project_create(slug=slug or f"study-{next(_numbers)}", codebook=codebook)
    lead = member_add(project=project, user=user("lea"), is_lead=True, is_annotator=False)
    # As in projects from before leads had names of their own, so that annotators are A2 and on.
    lead.pseudonym = "A1"
    lead.save(update_fields=["pseudonym"])
    names = ["ann", "bea", "cai", *(f"annotator{number}" for number in range(4, annotators + 1))]
    members = [member_add(project=project, user=user(name)) for name in names[:annotators]]
    made = Study(project, lead, members)
    made.items = add_items(project, items, questions if codebook == "cqs_gen" else 0, texts)
    return made


def add_items(
    project: Project, n_items: int, n_questions: int = 0, texts: tuple[str, ...] | None = None
) -> list[Item]:
    """Bring items (and questions about each) into a project, as a finished import does."""
    brought_by = Import.objects.create(
        project=project, file_name="items.csv", file_sha256="0" * 64, format="table", state="done"
    )
    pool = texts or ((INTERVENTION,) if n_questions else ARGUMENTS)
    first = project.items.count() + 1
    made = []
    for number in range(first, first + n_items):
        text = pool[(number - 1) % len(pool)]
        item = Item.objects.create(
            project=project,
            brought_by=brought_by,
            external_id=f"I-{number}",
            text=text,
            text_length=len(text),
            source="test",
            topic=f"topic {number % 2}",
        )
        for position in range(1, n_questions + 1):
            Question.objects.create(
                item=item,
                brought_by=brought_by,
                position=position,
                external_id=f"I-{number}-Q{position}",
                text=QUESTIONS[(position - 1) % len(QUESTIONS)],
                origin="theory",
            )
        made.append(item)
    return made


def open_round(made: Study, *, overlap: int | None = None, **options) -> Round:
    """Draw all items of a study into a new round and open it."""
    made.round = round_create(
        project=made.project, overlap=overlap or len(made.annotators), member=made.lead, **options
    )
    round_draw(made.round, member=made.lead)
    return round_open(made.round, members=made.annotators, by=made.lead)


def matching_study(*, annotators: int = 2, **options) -> Study:
    """Create a study of two interventions and open a matching round on them.

    Of the first item the round offers all three questions as references of three candidates, but not its
    first one (place 0) for the second candidate; of the second item there is one candidate.
    """
    made = study("cqs_gen", items=2, annotators=annotators)
    asked = ("Was it the weather?", "Who pays for barriers?", "Is a river road like a high street?")
    made.round, _ = matching_round_create(
        project=made.project,
        items=[
            MatchItem(
                made.items[0].pk,
                QUESTIONS,
                [Candidate(asked[0]), Candidate(asked[1], frozenset([0])), Candidate(asked[2])],
            ),
            MatchItem(made.items[1].pk, QUESTIONS[:1], [Candidate(asked[0])]),
        ],
        digest="0" * 64,
        overlap=annotators,
        by=made.lead,
        **options,
    )
    round_open(made.round, members=made.annotators, by=made.lead)
    return made


def candidate_of(made: Study, text: str, item: int = 0) -> Question:
    """Return the candidate question with these words."""
    return made.items[item].questions.get(text=text, candidate=True)


def reference_of(made: Study, place: int, item: int = 0) -> MatchReference:
    """Return the reference at a place of its file."""
    return made.round.match_references.get(item=made.items[item], place=place)


def assignment_of(round: Round, member: Membership, item: Item, *, repeat: bool = False) -> Assignment:
    """Return the assignment of one item to one member in a round, or its hidden repeat."""
    return Assignment.objects.get(round=round, member=member, item=item, repeat=repeat)


def yes(item: Item, quote: str, **more) -> dict:
    """Return the answer “yes, and this is the span”."""
    start = item.text.index(quote)
    return {"applicable": True, "start": start, "end": start + len(quote), "quote": quote, **more}


NO = {"applicable": False}


def record(
    round: Round, member: Membership, item: Item, unit: str | Question, answer: dict | None, **options
) -> Recorded:
    """Record one judgement as the member, over whatever revision is stored, under a fresh event id."""
    assignment = assignment_of(round, member, item, repeat=options.pop("repeat", False))
    if isinstance(unit, Question):
        asked, row = Unit(question_id=unit.pk), assignment.question_annotations.filter(question=unit).first()
    else:
        asked, row = Unit(type_code=unit), assignment.type_annotations.filter(type_code=unit).first()
    return judgement_record(
        member=member,
        round_number=round.number,
        assignment_id=assignment.pk,
        unit=asked,
        answer=answer,
        base_revision=options.pop("base_revision", row.revision if row else 0),
        client_event_id=options.pop("event_id", f"event-{next(_numbers)}"),
        **options,
    )
