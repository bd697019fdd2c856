"""The CQs-Gen benchmark file has the published shape; published files come back as they were."""

import io
import json
import zipfile

import pytest

from annotation.importing.items import items_import
from annotation.models import Resolution
from annotation.projects.projects import project_create
from exports.releases.storage import file_pieces, write_release
from tests.factories import UNHELPFUL, USEFUL, close, cqs_study, invalid, judge_question
from tests.factories.releases import release, released

pytestmark = pytest.mark.django_db


def benchmark(project, folder, name="cqs_gen.json", **choices):
    return json.loads((released(project, folder, **choices) / name).read_bytes())


def imported(slug, *paths):
    project = project_create(slug=slug, codebook="cqs_gen")
    for path in paths:
        items_import(project=project, path=path)
    return project


def test_the_published_validation_file_comes_back_byte_for_byte(shared_data, tmp_path):
    path = shared_data / "cqs_gen" / "validation.json"
    project = imported("validation", path)
    written = (released(project, tmp_path / "out") / "cqs_gen.json").read_bytes()
    assert json.loads(written) == json.loads(path.read_bytes())
    assert written == path.read_bytes()
    assert release(project).counts["labels"] == {"Invalid": 453, "Unhelpful": 893, "Useful": 2790}


def test_the_published_test_file_comes_back_with_items_that_have_no_questions(shared_data, tmp_path):
    path = shared_data / "cqs_gen" / "test.json"
    folder = released(imported("withheld", path), tmp_path / "out")
    assert (folder / "cqs_gen.json").read_bytes() == path.read_bytes()


def test_a_systems_questions_leave_the_benchmark_alone_and_keep_the_shape_they_came_in(shared_data, tmp_path):
    given, submitted = (shared_data / "cqs_gen" / name for name in ("sample.json", "submission_llama8.json"))
    project = imported("submitted", given, submitted)
    assert release(project).counts["undecided_questions"] == 15
    assert (released(project, tmp_path / "out") / "cqs_gen.json").read_bytes() == given.read_bytes()
    folder = tmp_path / "inside"
    write_release(release(project), folder, internal=True)
    assert (folder / "internal" / "submissions" / "llama8.json").read_bytes() == submitted.read_bytes()
    template, system = (
        json.loads(path.read_bytes()) for path in (folder / "submission_template.json", submitted)
    )
    assert shape_of(template) == shape_of(system)


def shape_of(submission):
    """Return the keys of each object, with the values that a system does not choose."""
    return {
        name: {**entry, "cqs": [{**question, "cq": ""} for question in entry["cqs"]]}
        for name, entry in submission.items()
    }


def test_a_submission_comes_back_as_it_came_and_a_template_has_its_shape(tmp_path):
    def submission(*questions):
        made = {"intervention_id": "A_1", "intervention": "JD: “We pay.”", "dataset": "US2016"}
        made["cqs"] = [{"id": number, "cq": text} for number, text in enumerate(questions)]
        return json.dumps({"A_1": made}, indent=4).encode()

    given = tmp_path / "given.json"
    labelled = {"id": "A_1_T__0", "cq": "Who pays?", "label": "Useful"}
    given.write_bytes(submission().replace(b'"cqs": []', b'"cqs": [%s]' % json.dumps(labelled).encode()))
    for name in ("mine.1", "mine-1", "Café"):
        asked = (f"{word} is {name}?" for word in ("Who", "Where", "Why"))
        (tmp_path / f"submission_{name}.json").write_bytes(submission(*asked))
    paths = sorted(tmp_path.glob("submission_*.json"))
    project = imported("submitted", given, *paths)
    done = release(project)
    released(project, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").glob("*.json")) == [
        "cqs_gen.json",
        "croissant.json",
        "release.json",
        "submission_template.json",
    ]
    assert not (tmp_path / "out" / "internal").exists()
    assert (tmp_path / "out" / "submission_template.json").read_bytes() == submission("", "", "")
    write_release(done, tmp_path / "inside", internal=True)
    folder = tmp_path / "inside" / "internal" / "submissions"
    theory = json.loads((folder / "theory.json").read_bytes())
    assert theory["A_1"]["cqs"] == [{"id": "A_1_T__0", "cq": "Who pays?"}]
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "theory.json"} == {
        "Café.json": (tmp_path / "submission_Café.json").read_bytes(),
        "mine_1.json": (tmp_path / "submission_mine-1.json").read_bytes(),
        "mine_1_2.json": (tmp_path / "submission_mine.1.json").read_bytes(),
    }
    (archive,) = (file for file in done.files if file["archive"])
    whole = b"".join(file_pieces(done.files, archive, 0, archive["size"]))
    with zipfile.ZipFile(io.BytesIO(whole)) as zipped:
        names = zipped.namelist()
    assert "submitted-1.0/submission_template.json" in names
    assert not [name for name in names if "submissions/" in name]


def test_a_release_without_texts_has_no_submissions(tmp_path):
    made = cqs_study(annotators=1)
    judge_question(made, made.items[0].questions.first(), [USEFUL])
    close(made)
    folder = tmp_path / "out"
    write_release(release(made.project, texts=False), folder, internal=True)
    found = [path for path in folder.rglob("*") if "submission" in path.name]
    assert found == [folder / "schemas" / "submission.schema.json"]


def test_a_label_is_that_of_more_than_half_and_an_undecided_question_is_left_out(tmp_path):
    made = cqs_study(annotators=3)
    first, second, third = made.items[0].questions.all()
    judge_question(made, first, [USEFUL, USEFUL, UNHELPFUL])
    judge_question(made, second, [USEFUL, UNHELPFUL, invalid()])
    judge_question(made, third, [invalid("BR"), invalid("UR"), UNHELPFUL])
    close(made)
    assert benchmark(made.project, tmp_path / "out") == {
        "I-1": {
            "intervention_id": "I-1",
            "intervention": made.items[0].text,
            "dataset": "test",
            "cqs": [
                {"id": "I-1-Q1", "cq": first.text, "label": "Useful"},
                {"id": "I-1-Q3", "cq": third.text, "label": "Invalid"},
            ],
        }
    }


def test_a_published_label_wins_over_judgements_and_a_lead_wins_over_it(tmp_path):
    made = cqs_study(annotators=2, questions=1)
    (question,) = made.items[0].questions.all()
    imported = Resolution.objects.create(
        item=made.items[0],
        question=question,
        label="IN",
        source="imported",
        brought_by=made.items[0].brought_by,
    )
    judge_question(made, question, [USEFUL, USEFUL])
    round = close(made)
    assert benchmark(made.project, tmp_path / "a")["I-1"]["cqs"][0]["label"] == "Invalid"
    imported.superseded_at = round.closed_at
    imported.save()
    Resolution.objects.create(
        item=made.items[0],
        question=question,
        label="UN",
        source="adjudicated",
        member=made.lead,
        why="It is.",
    )
    assert benchmark(made.project, tmp_path / "b", version="2.0")["I-1"]["cqs"][0]["label"] == "Unhelpful"


def test_what_an_import_at_work_has_brought_is_in_no_release(tmp_path):
    made = cqs_study(annotators=1, questions=1)
    (item,), (question,) = made.items, made.items[0].questions.all()
    judge_question(made, question, [USEFUL])
    close(made)
    at_work = made.project.imports.create(file_name="x", file_sha256="0" * 64, format="cqs_gen")
    late = item.questions.create(brought_by=at_work, position=9, text="Late?")
    made.project.items.create(brought_by=at_work, external_id="late", text="Late.", text_length=5)
    for row in (
        {"question": question, "label": "IN", "source": "imported", "brought_by": at_work},
        {"question": late, "label": "USE", "source": "adjudicated", "member": made.lead, "why": "It is."},
    ):
        Resolution.objects.create(item=item, **row)
    (found,) = benchmark(made.project, tmp_path / "out").values()
    assert [(each["cq"], each["label"]) for each in found["cqs"]] == [(question.text, "Useful")]


def test_an_edited_question_stays_out_unless_it_is_asked_for(tmp_path):
    made = cqs_study(annotators=3, questions=2)
    first, second = made.items[0].questions.all()
    judge_question(made, first, [invalid("NC", "And the shops?"), invalid("NC"), USEFUL])
    judge_question(made, second, [invalid("NC", "This?"), invalid("NC", "That?"), USEFUL])
    close(made)
    plain = benchmark(made.project, tmp_path / "plain")["I-1"]["cqs"]
    assert [(cq["cq"], cq["label"]) for cq in plain] == [(first.text, "Invalid"), (second.text, "Invalid")]
    edited = benchmark(made.project, tmp_path / "edited", version="1.1", edited_questions=True)["I-1"]["cqs"]
    assert edited[0] == {"id": "I-1-Q1", "cq": "And the shops?", "label": "Useful"}
    assert edited[1] == plain[1]
    assert release(made.project, "1.1", edited_questions=True).counts["edits_without_a_pick"] == 1


def test_an_edit_waits_for_the_lead_while_the_reason_is_open(tmp_path):
    made = cqs_study(annotators=2, questions=1)
    (question,) = made.items[0].questions.all()
    judge_question(made, question, [invalid("NC", "And the shops?"), invalid("UR")])
    close(made)
    found = benchmark(made.project, tmp_path / "open", edited_questions=True)["I-1"]["cqs"]
    assert found == [{"id": "I-1-Q1", "cq": question.text, "label": "Invalid"}]
    Resolution.objects.create(
        item=made.items[0],
        question=question,
        label="IN",
        reason="NC",
        edited_question="What of the shops?",
        source="adjudicated",
        member=made.lead,
        why="The better one.",
    )
    found = benchmark(made.project, tmp_path / "picked", version="2.0", edited_questions=True)["I-1"]["cqs"]
    assert found == [{"id": "I-1-Q1", "cq": "What of the shops?", "label": "Useful"}]
