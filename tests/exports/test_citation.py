"""A public release says how to cite it, how to load it, and what it is to those who look for data."""

import html
import io
import json
import re

import pandas
import pytest
from django.test import Client

from exports.documentation.citation import Reference, author_names, bibtex
from exports.releases.publication import release_publish
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = pytest.mark.django_db

PAGE = "/releases/s/1.0/"
ADDRESS = f"http://testserver{PAGE}"


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=2, slug="s")
    for item, split in zip(made.items, ("train", "test"), strict=True):
        judge(made, item, {})
        item.split = split
        item.save()
    close(made)
    return made


def published(made, **choices):
    row = release(made.project, **choices)
    release_publish(release=row, by=made.lead)
    return row


def shown(pattern):
    page = Client().get(PAGE).content.decode()
    return html.unescape(re.search(pattern, page, re.DOTALL)[1])


def test_the_bibtex_entry_has_authors_title_year_version_and_address(made):
    made.project.name = "R&D <talk>"
    made.project.save()
    row = published(made, authors="Ann Other; Institute of Arts and Sciences")
    assert shown(r'<pre[^>]* id="bibtex"[^>]*>(.*?)</pre>') == "\n".join(
        [
            "@misc{s-1.0,",
            r"  author = {Ann Other and {Institute of Arts and Sciences}},",
            r"  title = {{R\&D <talk>, version 1.0}},",
            f"  year = {{{row.built_at.year}}},",
            "  version = {1.0},",
            f"  url = {{{ADDRESS}}}",
            "}",
        ]
    )


def test_a_lead_who_gave_bibtex_finds_no_second_entry_beside_it(made):
    published(made, citation="@misc{night}")
    page = Client().get(PAGE).content.decode()
    assert shown(r'<pre[^>]* id="citation"[^>]*>(.*?)</pre>') == "@misc{night}"
    assert 'id="bibtex"' not in page


def test_whoever_reads_the_page_in_another_language_cites_the_same(made):
    row = published(made, authors="Ann Other")
    pattern = r'<pre[^>]* id="citation"[^>]*>(.*?)</pre>'
    page = Client().get(PAGE, headers={"Accept-Language": "ja"}).content.decode()
    assert 'lang="ja"' in page
    assert re.search(pattern, page)[1] == f"Ann Other ({row.built_at.year}). s, version 1.0. {ADDRESS}"
    assert shown(pattern) == re.search(pattern, page)[1]


def test_what_the_page_cites_stays_when_the_project_is_renamed(made):
    made.project.name, made.project.licence = 'Old "name"', "CC-BY-4.0 | own <terms>"
    made.project.save()
    published(made)
    made.project.name, made.project.licence = "New name", "none"
    made.project.save()
    page = Client().get(PAGE).content.decode()
    assert "New name" not in page
    assert shown(r"<h1>\s*(.*?)\s*</h1>") == 'Old "name", release 1.0'
    assert shown(r"<dt>Licence</dt>\s*<dd[^>]*>\s*(.*?)\s*</dd>") == "CC-BY-4.0 | own <terms>"


def test_search_engines_for_data_read_what_it_is_and_where_its_files_are(made):
    made.project.name = "</script><b>&"
    made.project.save()
    row = published(made, authors="Ann Other, Ben Wu", licence="CC-BY-4.0", withheld=["test"])
    page = Client().get(PAGE).content.decode()
    described = json.loads(
        re.search(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)[1]
    )
    files = described.pop("distribution")
    description = described.pop("description")
    assert description.startswith("Arguments with the Socratic question types")
    assert described == {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": "</script><b>&, version 1.0",
        "version": "1.0",
        "url": ADDRESS,
        "isAccessibleForFree": True,
        "license": "CC-BY-4.0",
        "creator": [{"@type": "Person", "name": "Ann Other"}, {"@type": "Person", "name": "Ben Wu"}],
        "dateCreated": row.built_at.date().isoformat(),
    }
    public = {file["name"]: file["sha256"] for file in row.files if not file["internal"]}
    assert {file["name"]: file["sha256"] for file in files} == public
    assert all(Client().get(file["contentUrl"]).status_code == 200 for file in files)
    assert f'<link rel="canonical" href="{ADDRESS}">' in page


def test_each_line_that_loads_a_split_loads_it(made):
    published(made)
    lines = re.findall(r'pandas\.read_json\("(.*?)", lines=True\)', shown(r"import pandas\n(.*?)</pre>"))
    assert lines == [f"{ADDRESS}files/data/test.jsonl", f"{ADDRESS}files/data/train.jsonl"]
    for line, item in zip(lines, ("I-2", "I-1"), strict=True):
        content = b"".join(Client().get(line).streaming_content)
        table = pandas.read_json(io.BytesIO(content), lines=True)
        assert list(table["argument_id"]) == [item]


def test_the_commands_name_the_zip_and_the_folder_in_it(made):
    row = published(made)
    (archive,) = [file["name"] for file in row.files if file["archive"]]
    assert archive == "s-1.0.zip"
    commands = shown(r"(curl -LO .*?)</pre>")
    assert commands.startswith(f"curl -LO {ADDRESS}files/s-1.0.zip\nunzip s-1.0.zip && cd s-1.0\n")


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("", ()),
        ("Ann Other", ("Ann Other",)),
        ("Ann Other, Ben Wu, and Cleo Day", ("Ann Other", "Ben Wu", "Cleo Day")),
        ("Ann Other\nBen Wu", ("Ann Other", "Ben Wu")),
        ("Ní Dhuibhne, Éilís", ("Ní Dhuibhne, Éilís",)),
        ("Other, Ann and Wu, Ben", ("Other, Ann", "Wu, Ben")),
        ("Rolanda Sandall", ("Rolanda Sandall",)),
        ("Plato", ("Plato",)),
        ("; ;", ()),
    ],
)
def test_authors_are_told_apart_as_people_write_them(authors, names):
    assert author_names(authors) == names


def test_what_means_something_to_bibtex_is_escaped():
    entry = bibtex(Reference("k", r"50% {a}_b\c #~^$", "1", "", (), "", "", ""), "https://x.org/")
    assert (
        r"title = {{50\% \{a\}\_b\textbackslash{}c \#\textasciitilde{}\textasciicircum{}\$, version 1}}"
        in entry
    )
    assert "author" not in entry
