"""What a lead meets, asked for in Spanish and Japanese: no English is left on any page."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agreement.display.wording import COEFFICIENTS, SIMILARITIES, SPAN_ALPHAS
from annotation.models import Round, Upload
from annotation.projects.invitations import invitation_create
from annotation.projects.projects import codebook_publish
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from exports.releases.publication import release_publish
from tests import factories
from tests.conftest import client_of
from tests.factories.releases import release
from tests.factories.reports import disputed_questions, disputed_study
from tests.frontend.test_languages import said

pytestmark = pytest.mark.django_db

TERMS = {*COEFFICIENTS.values(), *SIMILARITIES.values(), *SPAN_ALPHAS.values(), "PABAK", "AC1", "alpha"}
"""The names of coefficients are those of the field, in every language."""

NAMES = {"Elenchus", "CSV", "JSON", "LaTeX", "SHA-256", "Label Studio JSON", "doccano JSON Lines"}
NAMES |= {
    "English",
    "Español",
    "[languages]",
    "Ctrl Enter",
    "W3C Web Annotation (JSON-LD)",
    "krippendorff, statsmodels",
    "table",
    "items.csv",
}
COLUMNS = {
    "source, topic, split, licence",
    "question_id, question, origin",
    "question_id",
    "question",
    "origin",
}
VOTES = ("Invalid: New Concept", "1 Invalid, 1 Unhelpful, 1 Useful", "IN (NC) 1, UN 1, USE 1")
COLUMNS |= {
    "text",
    "topic",
    "source",
    "licence",
    "split",
    "item",
    "comment",
    "occurrence",
    "type, applicable",
    "published_label",
    "start, end, quote",
    "start, end",
    "quote",
}
"""The columns of a file are called as in the file."""

MARKUP = re.compile(r"[*`_#]|^[A-Z] · |^[A-Z] (?=[A-Z]{2,8}$)| \(\d+\)$|[“”]")
LOOSE = re.compile("/codebook/|^/releases/")
# Spanish has bytes too.
FILE = re.compile(
    r"[0-9a-f]{64}|\d+ bytes|[\w./-]+\.(?:csv|jsonl?|md|parquet|py|tex|toml|zip|cff)|SHA256SUMS|LICENSE"
)


class Written:
    """What a study's people wrote themselves, which every page shows as it is."""

    def __init__(self, made: factories.Study, *more: str) -> None:
        project = made.project
        texts = {project.name, project.slug, *more, *project.rounds.values_list("name", flat=True)}
        for item in project.items.all():
            texts |= {item.external_id, item.text, item.topic, item.source}
            for question in item.questions.all():
                texts |= {question.text, f"{question.external_id} · {question.origin}"}
        for member in project.memberships.all():
            name = str(member.user)
            texts |= {member.pseudonym, name, f"{member.pseudonym} ({name})", f"{name}@example.org"}
        for codebook in project.codebooks.all():
            for entry in codebook.definition.get("types", []):
                texts |= {f"{item.external_id} · {entry['name']}" for item in project.items.all()}
                texts.add(f"{entry['code']} {entry['name']}")
            texts |= {codebook.source, *texts_of(codebook.definition)}
        self.texts = {bare(text) for text in texts | TERMS | NAMES | COLUMNS}
        self.slug = f" · {project.slug}"
        self.corpus = " ".join(self.texts)

    def has(self, piece: str, loose: bool = False) -> bool:
        """Say whether a piece of a page is theirs: a whole text, or three words or more out of one.

        loose: fewer words do as well, where a page shows a guideline in pieces.
        """
        text = bare(piece.removesuffix(self.slug))
        if not text or text in self.texts or FILE.fullmatch(text):
            return True
        return (loose or text.count(" ") > 1) and text in self.corpus


def bare(text: str) -> str:
    """Return a text without what a page or Markdown puts around it."""
    return " ".join(MARKUP.sub("", " ".join(text.split())).split()).strip(" ,:;.·…")


def texts_of(value: Any) -> set[str]:
    """Return every text in plain JSON."""
    if isinstance(value, dict):
        return set().union(*map(texts_of, value.values()))
    if isinstance(value, list):
        return set().union(*map(texts_of, value))
    return {str(value)}


def left_in_english(client: Client, addresses: list[str], written: Written) -> set[tuple[str, str, str]]:
    left = set()
    for address in addresses:
        english = said(client, address, "en", 200)
        assert len(english) > 3, address
        for language in ("es", "ja"):
            same = english & said(client, address, language, 200)
            left |= {
                (address, language, piece)
                for piece in same
                if not written.has(piece, loose=bool(LOOSE.search(address)))
            }
    return left


def below(root: str, *places: str) -> list[str]:
    return [f"{root}{place}" for place in places]


def test_no_page_of_a_types_study_is_left_in_english():
    made = disputed_study()
    lead, project = client_of(made.lead.user), made.project
    item, person = made.items[0].pk, made.annotators[0].pk
    invitation_create(project=project, member=made.lead, note="Eva")
    lead.post(f"/p/s/rounds/1/units/{item}/LE/decide/", {"side": "no", "why": "We agreed."})
    codebook = project.codebooks.get()
    codebook_publish(
        project=project, source=codebook.source.replace("FOCUS:", "FOCUS two:"), member=made.lead
    )
    round_create(project=project, name="Next", overlap=2, member=made.lead)
    training = round_create(project=project, name="Learn", purpose="training", overlap=1, member=made.lead)
    round_draw(training)
    made_release = release(project)
    release_publish(release=made_release, by=made.lead)
    release(project, "1.1", comments=True)
    cards = project.releases.values_list("card", flat=True)
    written = Written(
        made, *cards, "The library", "grades fell", "closed at ten", "no source", "Eva", "We agreed."
    )
    addresses = below(
        "/p/s/",
        *("", "settings/", "archive/", "log/", "log/?who=nobody", "codebook/", "codebook/?version=1"),
        *(
            "codebook/compare/?old=1&new=2",
            "codebook/edit/",
            "codebook/edit/?toml",
            "items/",
            "items/?q=none",
        ),
        *(f"items/{item}/", f"items/{item}/withdraw/", "import/", "people/", f"people/{person}/"),
        *(
            f"people/{person}/deactivate/",
            "releases/",
            "releases/1.0/",
            "releases/1.1/",
            "releases/1.1/publish/",
        ),
        *("rounds/new/", "rounds/1/", "rounds/1/reopen/", "rounds/1/agreement/"),
        *("rounds/1/agreement/?width=0.1&coefficient=krippendorff_alpha", "rounds/1/agreement/?width=x"),
        *("rounds/1/agreement/units/", "rounds/1/agreement/units/?type=LE&show=all"),
        *("disagreements/", "rounds/1/disagreements/", "rounds/1/disagreements/?topic=none"),
        *("rounds/1/discussion/", f"rounds/1/units/{item}/LE/", "rounds/2/", "rounds/2/draw/?how=all"),
        *("rounds/2/draw/", "rounds/2/open/", "rounds/3/", "rounds/3/key/", "rounds/3/open/"),
        *(
            "rounds/3/key/decided/",
            "refinements/",
            "rounds/new/?items_of=1",
        ),
    )
    assert left_in_english(lead, [*addresses, "/releases/s/1.0/"], written) == set()


def test_no_page_of_an_open_round_is_left_in_english():
    made = factories.study("focus", annotators=2, items=2, slug="s")
    factories.open_round(made, live_agreement=True, content_warning="Beware.")
    factories.record(made.round, made.annotators[0], made.items[0], "LE", factories.NO)
    lead, person = client_of(made.lead.user), made.annotators[0].pk
    addresses = below(
        "/p/s/",
        *("rounds/1/", "rounds/1/close/", "rounds/1/agreement/", f"people/{person}/"),
        *(f"people/{person}/reassign/1/", "rounds/1/disagreements/", "disagreements/"),
    )
    refused = addresses.pop(-2)
    written = Written(made, "Beware.")
    assert left_in_english(lead, addresses, written) == set()
    Round.objects.update(paused_at=made.project.created_at)
    assert left_in_english(lead, ["/p/s/rounds/1/"], written) == set()
    english = said(lead, refused, "en", 409)
    for language in ("es", "ja"):
        assert {one for one in english & said(lead, refused, language, 409) if not written.has(one)} == set()


def test_no_page_of_a_questions_study_or_a_screening_is_left_in_english():
    made = disputed_questions()
    lead = client_of(made.lead.user)
    addresses = below(
        "/p/q/",
        *("", "codebook/", "codebook/edit/", "releases/", "rounds/1/agreement/", "rounds/1/agreement/units/"),
        *("rounds/1/disagreements/", "import/", "rounds/new/", f"items/{made.items[0].pk}/"),
    )
    assert left_in_english(lead, addresses, Written(made, "well known", *VOTES)) == set()

    screened = factories.study("context_sufficiency", annotators=2, items=2, slug="c")
    factories.open_round(screened)
    for member in screened.annotators:
        factories.record(screened.round, member, screened.items[0], "CTX", {"applicable": True})
    round_close(screened.round, by=screened.lead)
    written = Written(screened, "Total")  # the same word in Spanish
    assert left_in_english(client_of(screened.lead.user), ["/p/c/", "/p/c/screening/"], written) == set()


@pytest.mark.parametrize(
    "content",
    [
        b"id,text,topic\nI-1,Another text altogether.,x\nnew,One,y\n,Two,y\nnew,Three,z\n",
        b"one,two\n1,2\n",
        b"id,text\n1,\xff\n",
        b"id,text\n1,2,3\n",
        b'{"a": {"intervention_id": 1}}',
    ],
    ids=["refused rows", "unknown columns", "not UTF-8", "too many cells", "wrong JSON"],
)
def test_what_an_import_refuses_and_notes_is_said_in_the_leads_language(content):
    made = factories.study("focus", items=1, slug="s")
    lead = client_of(made.lead.user)
    told = {}
    for language in ("en", "es", "ja"):
        file = SimpleUploadedFile("items.csv", content)
        asked = {"accept-language": language}
        lead.post("/p/s/import/", {"file": file, "holds": "items"}, headers=asked)
        told[language] = said(lead, f"/p/s/import/{Upload.objects.latest('pk').pk}/", language, 200)
    given = {"Another text altogether.", "x", "one", "two", "Three", "One", "Two", "new", "text", "topic"}
    for language in ("es", "ja"):
        assert {
            piece for piece in told["en"] & told[language] if not Written(made, *given).has(piece)
        } == set()
