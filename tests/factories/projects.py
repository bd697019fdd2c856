"""Small projects for tests, made through the use cases that people use.

The cast: Lea leads (and annotates where a test says so), Ann, Bea and Cai annotate, Olu is an outsider.
"""

from dataclasses import dataclass, field
from itertools import count

from django.contrib.auth.models import User

from annotation.models import Import, Item, Membership, Project, Question, Round
from annotation.projects.projects import member_add, project_create

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
