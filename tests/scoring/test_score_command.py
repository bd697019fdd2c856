"""`manage.py score` and `check_submission`: known answers through the command, and what they refuse."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from exports.models import Release
from exports.releases.storage import write_release
from tests.exports.test_score_script import types_released
from tests.factories import USEFUL, close, cqs_study, invalid, judge_question
from tests.factories.releases import released

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"
GPT4 = json.loads((REFERENCE / "focus_gpt4_1shot.json").read_text("utf-8"))
FIGURE = {"value", "low", "high", "reason", "n"}


def run(*words, **options):
    out, err = io.StringIO(), io.StringIO()
    call_command(*words, **options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*words, code=2):
    err = io.StringIO()
    with pytest.raises(CommandError) as problem:
        call_command(*words, stdout=io.StringIO(), stderr=err)
    assert problem.value.returncode == code
    faults = [line for line in err.getvalue().splitlines() if not line.startswith("note: ")]
    return faults if code == 2 else str(problem.value)


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def whole(folder):
    """Write the release there is with what only its leads have."""
    write_release(Release.objects.get(), folder / "out", internal=True)
    return folder / "out"


def argument(text, decided, gold=(), disagreement=()):
    def spans(code, places):
        return [{"start": a, "end": b, "text": text[a:b]} for kind, a, b in places if kind == code]

    return {
        "argument": text,
        "labels": [
            {
                "code": code,
                "fsq_type": code,
                "applicable": there,
                "gold_spans": spans(code, gold),
                "disagreement_spans": spans(code, disagreement),
            }
            for code, there in decided.items()
        ],
    }


@pytest.fixture
def focus_words(tmp_path):
    """Words of the command for one argument: LE yes with gold, WE yes with disagreement only, BS no."""
    text = "Grades fell when the library closed."
    item = argument(text, {"LE": True, "WE": True, "BS": False}, [("LE", 0, 11)], [("WE", 12, 16)])
    references = write(tmp_path, "references.json", {"a": item})

    def words(*contents, command="score", codebook="focus"):
        files = [write(tmp_path, f"run{n}.json", content) for n, content in enumerate(contents, start=1)]
        return [command, "--references", references, "--codebook", codebook, "--answers", *files]

    return words


def test_gpt_4_with_one_example_gets_the_papers_table_4(tmp_path):
    references = {item: argument("Words.", decided) for item, decided in GPT4["decided"].items()}
    system = {
        item: {"fsq_types": types, "spans": ["Null"] * len(types)} for item, types in GPT4["system"].items()
    }
    words = ["--references", write(tmp_path, "r.json", references), "--codebook", "focus"]
    out, _ = run("score", *words, "--answers", write(tmp_path, "s.json", system), "--json", "--scope", "all")
    found = json.loads(out)["figures"]["all"]["types"]
    printed = {code: f"{row['f1']['value']:.3f}" for code, row in found.items()}
    assert printed == {code: f"{float(value):.3f}" for code, value in GPT4["printed_table_4"].items()}
    assert all(set(row["f1"]) == FIGURE for row in found.values())
    for row in found.values():
        if row["f1"]["low"] is not None:
            assert row["f1"]["low"] <= row["f1"]["value"] <= row["f1"]["high"]

    ten = {
        item: {"fsq_types": [code for code in found if code != "NONE"], "spans": ["Words."] * 10}
        for item in references
    }
    lines = refused("score", *words, "--answers", write(tmp_path, "ten.json", ten))
    assert lines[0] == "ten.json: T001, fsq_types: 10 types where at most 2 are asked for"
    assert (len(lines), lines[-1]) == (51, f"… and {len(references) - 50} more")


@pytest.mark.parametrize(
    ("threshold", "score", "nae"), [("chrf:35", 0.1333, 8), ("chrf", 0.1333, 10), ("chrf:50", 0.0, 15)]
)
def test_the_published_answers_of_llama_8_are_worth_what_its_authors_program_says(
    threshold, score, nae, shared_data
):
    folder = shared_data / "cqs_gen"
    words = ["--references", str(folder / "sample.json"), "--codebook", "cqs_gen", "--method", threshold]
    out, _ = run("score", *words, "--answers", str(folder / "submission_llama8.json"), "--json")
    found = json.loads(out)
    assert (round(found["figures"]["score"]["value"], 4), found["figures"]["nae"]) == (score, nae)
    assert found["method"] == {"name": "chrf", "threshold": float(threshold.partition(":")[2] or 40)}


def test_spans_are_looked_up_in_the_text_and_compared_with_each_set_of_references(focus_words):
    answer = {"fsq_types": ["lacks evidence", "WE"], "spans": ["grades  fell", "when the"]}
    out, _ = run(*focus_words({"a": answer}), json=True, replicates=0)
    figures = json.loads(out)["figures"]
    spans = figures["spans"]
    assert spans["gold"]["mean"]["exact"] == {"value": 1.0, "low": None, "high": None, "reason": None, "n": 1}
    assert spans["all"]["mean"]["unigram_jaccard"]["value"] == pytest.approx((1 + 1 / 2) / 2)
    assert spans["all_on_types_with_gold"]["mean"]["unigram_jaccard"]["n"] == 1
    assert spans["gold"]["whatever_the_type"]["edit"]["value"] == 1.0
    assert figures["spans_not_in_text"] == 0
    # Seven types have no decision: they are no question of the decided scope, and None cannot be scored.
    assert figures["decided"]["types"]["NONE"]["f1"]["reason"] == "neither"
    assert figures["decided"]["micro"]["f1"]["value"] == 1.0

    out, _ = run(*focus_words({"a": {"fsq_types": ["LE"], "spans": ["Marks fell"]}}), json=True, replicates=0)
    figures = json.loads(out)["figures"]
    assert figures["spans_not_in_text"] == 1
    assert figures["spans"]["gold"]["mean"]["exact"]["value"] == 0.0
    assert figures["spans"]["gold"]["mean"]["unigram_jaccard"]["value"] == pytest.approx(1 / 3)


def test_runs_of_a_system_have_a_mean_and_a_deviation_and_the_same_files_give_the_same_bytes(
    focus_words, tmp_path
):
    runs = [{"a": {"fsq_types": names, "spans": ["Null"] * len(names)}} for names in (["LE", "WE"], ["LE"])]
    written = []
    for name in ("one", "two"):
        run(*focus_words(*runs), out=tmp_path / name)
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]
    assert sorted(written[0]) == ["answers.jsonl", "scores.csv", "scores.json", "scores.tex"]
    scores = json.loads(written[0]["scores.json"])
    together = {row["figure"]: row for row in scores["together"]}
    assert together["decided/micro/recall"]["mean"] == pytest.approx(0.75)
    assert together["decided/micro/recall"]["sd"] == pytest.approx(0.125**0.5)
    lines = [json.loads(line) for line in written[0]["answers.jsonl"].splitlines()]
    assert [(row["run"], row["type"], row["answered"]) for row in lines if row["decided"]] == [
        *((1, "LE", True), (1, "WE", True)),
        *((2, "LE", True), (2, "WE", False)),
    ]
    assert "run,method,figure,value,low,high,reason,n" in written[0]["scores.csv"].decode()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"{", "run1.json: line 1, column 2: is no JSON: Expecting property name enclosed in double quotes"),
        (b"\xff", "run1.json: byte 1: is not UTF-8: save it as UTF-8"),
        (b'{"a": {}, "a": {}}', "run1.json: a: stands twice in one object: keep one of the two"),
        ([], "run1.json: expected a JSON object with the items by their ids, not a list or a single value"),
        ({"a": 3}, "run1.json: a: is 3; expected an object"),
        ({"b": {}}, "run1.json: b: there is no such item: is it for another split?"),
        (
            {"a": {"fsq_types": "LE", "spans": []}},
            'run1.json: a, fsq_types: fsq_types is "LE"; expected a list of texts',
        ),
        (
            {"a": {"fsq_types": ["LE"], "spans": [1]}},
            "run1.json: a, spans: spans is [1]; expected a list of texts",
        ),
        (
            {"a": {"fsq_types": ["Lack Evidence"], "spans": ["x"]}},
            "run1.json: a, fsq_types: 'Lack Evidence' is no type of the codebook; "
            "the nearest is 'Lacks Evidence'",
        ),
        (
            {"a": {"fsq_types": ["LE", "Lacks Evidence"], "spans": ["x", "y"]}},
            "run1.json: a, fsq_types: LE is named twice",
        ),
        (
            {"a": {"fsq_types": ["None", "LE"], "spans": ["Null", "y"]}},
            "run1.json: a, fsq_types: None of the Above stands alone: a type is named beside it",
        ),
        (
            {"a": {"fsq_types": ["LE"], "spans": ["x" * 2001]}},
            "run1.json: a, spans: has 2,001 characters; at most 2,000 are read",
        ),
    ],
)
@pytest.mark.parametrize("command", ["score", "check_submission"])
def test_a_bad_answer_about_types_is_refused_with_file_item_and_place(command, content, line, focus_words):
    assert refused(*focus_words(content, command=command)) == [line]


@pytest.fixture
def question_words(tmp_path):
    cqs = [
        {"id": "1", "cq": "Who pays?", "label": "Useful"},
        {"id": "2", "cq": "Why now?", "label": "Invalid"},
    ]
    references = {"a": {"intervention": "Taxes.", "cqs": cqs}, "b": {"intervention": "Jobs.", "cqs": []}}
    path = write(tmp_path, "references.json", references)

    def words(content, command="score"):
        answers = write(tmp_path, "run1.json", content)
        return [command, "--references", path, "--codebook", "cqs_gen", "--answers", answers]

    return words


def asked(*texts):
    return {"a": {"cqs": [{"id": number, "cq": text} for number, text in enumerate(texts)]}}


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (asked("A?", "B?", "C?", "D?"), "run1.json: a, cqs: 4 questions where 3 are asked for"),
        (asked("A?", " ", "C?"), "run1.json: a, question 2: is empty: give its words, or leave it out"),
        (
            asked("A?", "B" * 2001, "C?"),
            "run1.json: a, question 2: has 2,001 characters; at most 2,000 are read",
        ),
        (
            rb'{"a": {"cqs": [{"cq": "Who pays?"}, {"cq": "\ud800?"}]}}',
            "run1.json: a, cqs[1].cq: character 1 is a lone surrogate (U+D800)",
        ),
        (
            rb'{"a\u0000": {}}',
            "run1.json: a\\x00, the id: character 2 is NUL (U+0000), which cannot be stored",
        ),
        ({"a": {"cqs": "None"}}, 'run1.json: a, cqs: is "None"; expected a list of questions'),
        (
            {"a": {"cqs": [{"cq": "A?"}, {"cq": "B?"}, "C?"]}},
            'run1.json: a, question 3: is "C?"; expected an object with its text as "cq"',
        ),
    ],
)
def test_a_bad_question_is_refused_with_file_item_and_place(content, line, question_words):
    assert refused(*question_words(content)) == [line]


def test_what_is_missing_or_twice_is_counted_and_said_or_refused_where_all_must_be_there(question_words):
    words = question_words(asked("Who pays?", "who pays"))
    out, err = run(*words, "--method", "exact", json=True)
    figures = json.loads(out)["figures"]
    assert figures["score"]["value"] == pytest.approx(1 / 3)
    assert (figures["items_without_reference"], figures["questions_twice"]) == (1, 1)
    assert err.splitlines() == [
        "note: run1.json: a, question 2: is question 1 again; it counts once",
        "note: run1.json: a, cqs: 2 questions where 3 are asked for",
        "note: run1.json: 1 of 2 items are missing; they count as not answered",
    ]
    assert refused(*words, "--complete") == [
        "run1.json: a, cqs: 2 questions where 3 are asked for",
        "run1.json: b: is missing",
    ]
    for nothing in ({"a": {"cqs": "Missing CQs"}}, asked("", "", "")):
        out, _ = run(*question_words(nothing), json=True)
        figures = json.loads(out)["figures"]
        assert (figures["score"]["value"], figures["missing_questions"]) == (0.0, 3)
        assert figures["nae_share"]["reason"] == "nothing_handed_in"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            ["--method", "bleurt"],
            "--method bleurt: has no threshold by default: give one, as in bleurt:0.5.",
        ),
        (["--method", "sari"], "--method sari: there is no such method"),
        (["--method", "chrf:140"], "--method chrf:140: expected a threshold from 0 to 100"),
        (["--replicates", "-1"], "--replicates is from 0 to 100000"),
        (["--split", "test"], "--references goes with --codebook, and not with --release or --split."),
    ],
)
def test_a_choice_that_there_is_not_exits_with_1_and_what_to_do(more, why, question_words):
    assert refused(*question_words(asked("A?")), *more, code=1).startswith(why)


def test_a_method_without_its_encoder_says_so_and_leaves_the_others(question_words):
    words = question_words(asked("Who pays?", "Why now?", "What for?"))
    out, _ = run(*words, "--method", "sts", "--method", "chrf", "--method", "exact", json=True)
    found = json.loads(out)
    assert [(row["method"]["name"], row["reason"]) for row in found["evaluations"]] == [
        *(("sts", "no_encoder"), ("chrf", None), ("exact", None))
    ]
    (pair,) = found["methods_compared"]
    assert (pair["first"], pair["second"], pair["with_nae"]["value"]) == ("chrf:40", "exact", 1.0)


@pytest.mark.django_db
def test_a_release_is_scored_from_its_folder_and_from_the_database(tmp_path):
    types_released(tmp_path / "public", withheld=["test"])
    folder = whole(tmp_path)
    answers = write(tmp_path, "s.json", {"I-3": {"fsq_types": ["VAT"], "spans": ["Café prices"]}})
    slug, version = (json.loads((folder / "release.json").read_text())[key] for key in ("project", "version"))
    found = [
        json.loads(run("score", *words, "--json")[0])
        for words in (["--release", str(folder), answers], [slug, version, answers])
    ]
    assert found[0] == found[1]
    assert (found[0]["references"]["split"], found[0]["references"]["items"]) == ("test", 2)
    assert found[0]["figures"]["decided"]["micro"]["f1"]["value"] == 1.0
    assert found[0]["figures"]["spans"]["all"]["mean"]["exact"]["value"] == 1.0
    empty = write(tmp_path, "empty.json", {})
    why = refused("score", "--release", str(folder), empty, code=1)
    assert why == "out: has the splits test, train: say with --split which one to score."
    stray = write(tmp_path, "stray.json", {"I-3": {"fsq_types": [], "spans": []}, "I-9": {}})
    assert refused("score", "--release", str(folder), stray) == [
        "stray.json: I-9: there is no such item: is it for another split?"
    ]
    broken = write(tmp_path, "broken.json", b'{"I-3"')
    told = "broken.json: line 1, column 7: is no JSON: Expecting ':' delimiter"
    assert refused("score", "--release", str(folder), broken) == [told]
    text = json.loads((folder / "focus.test.json").read_text())["I-3"]["argument"]
    head = "Argument,Predicted_Type1,Predicted_Type2,Span_PredictedType1,Span_PredictedType2"
    theirs = write(tmp_path, "SQ-testset-GPT5.csv", f'{head}\n"{text}",VAT,,Café prices,'.encode())
    out, _ = run("score", "--release", str(folder), theirs, "--json")
    assert (json.loads(out)["system"], json.loads(out)["references"]["split"]) == ("GPT5", "test")
    why = refused("score", slug, version, answers, "--split", "dev", code=1)
    assert why == f"{slug} {version}: has no split 'dev'; there are test, train."
    assert refused("score", slug, "9", answers, code=1).startswith(f"{slug}: has no release '9'.")
    (folder / "internal" / "focus.test.json").unlink()
    assert "the references of this split are withheld" in refused(
        "score", "--release", str(folder), answers, code=1
    )


@pytest.mark.django_db
def test_references_that_the_system_itself_asked_are_left_out_where_it_is_named(tmp_path):
    made = cqs_study(annotators=1, items=1, questions=2)
    item = made.items[0]
    own, other = item.questions.all()
    for question, origin in ((own, "llama"), (other, "T")):
        question.origin = origin
        question.save()
    judge_question(made, own, [USEFUL])
    judge_question(made, other, [invalid()])
    close(made)
    released(made.project, tmp_path / "public")
    folder = whole(tmp_path)
    answers = write(tmp_path, "s.json", {item.external_id: {"cqs": [{"id": 0, "cq": own.text}]}})
    words = ["score", "--release", str(folder), answers, "--method", "exact", "--json"]
    assert json.loads(run(*words)[0])["figures"]["labels"]["Useful"] == 1
    assert json.loads(run(*words, "--system", "llama")[0])["figures"]["nae"] == 1


def test_sentence_vectors_are_the_mean_of_the_raw_states_markers_included(tmp_path, shared_data):
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    from scoring.evaluation.sentence_encoder import SentenceEncoder
    from tests.agreement.small_encoder import encoder_folder

    folder = encoder_folder(tmp_path)
    encoder = SentenceEncoder(str(folder))
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()

    def vector(text):
        ids = np.array([tokenizer.encode(text).ids])
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        feed = {entry.name: feed[entry.name] for entry in session.get_inputs()}
        return session.run(None, feed)[0][0].mean(axis=0)

    a, b = "Who pays for it?", "Who is going to pay for all of this?"
    first, second = vector(a), vector(b)
    by_hand = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    # In one batch with a longer one: this encoder's int8 weights are scaled by what else is in the batch.
    assert encoder.table([a], [b])[0, 0] == pytest.approx(by_hand, abs=0.03)
    assert encoder.table([a], [a])[0, 0] == pytest.approx(1.0)

    cqs = shared_data / "cqs_gen"
    words = ["--references", str(cqs / "sample.json"), "--codebook", "cqs_gen", "--encoder", str(folder)]
    words += ["--answers", str(cqs / "submission_llama8.json"), "--method", "sts", "--json"]
    found = json.loads(run("score", *words)[0])
    assert found["encoder"]["name"] == "minilm-int8"
    assert found["encoder"]["revision"].startswith("sha256:")
    assert found["figures"]["score"]["value"] == pytest.approx(1 / 3, abs=0.14)
    why = refused("score", *words[:4], *words[6:], "--encoder", str(tmp_path / "no"), code=1)
    assert why.startswith("The sentence encoder cannot be loaded: there is no folder")


def test_a_file_of_the_focus_authors_is_read_as_it_is(focus_words):
    head = "Argument,category,Predicted_Type1,Predicted_Type2,Span_PredictedType1, Span_PredictedType2 ,"
    head += "Jaccard_FSQType1\r\n"
    text = "Grades fell when the library closed."
    row = f'"{text}",reason,Lack of Evidence,Lacks Evidence?,Grades fell,x,0.5\r\n'
    out, err = run(*focus_words((head + row).encode()), json=True, replicates=0)
    figures = json.loads(out)["figures"]
    assert figures["decided"]["types"]["LE"]["f1"]["value"] == 1.0
    assert figures["spans"]["gold"]["mean"]["exact"]["value"] == 1.0
    assert err == "note: run1.json: not read: Jaccard_FSQType1\nnote: run1.json: dropped once: a type twice\n"
    assert refused(*focus_words((head + row + row).encode())) == [
        "run1.json: row 2: no item that is left has this text: is it for another split?"
    ]
    without = f'"{text}",reason,None,Weak Evidence,Grades,N/A,\r\n'
    _, err = run(*focus_words((head + without).encode()), replicates=0)
    assert err.splitlines()[1:] == [
        "note: run1.json: dropped once: words without a type",
        "note: run1.json: 1 type has no words",
    ]


def test_a_threshold_can_be_chosen_and_diversity_is_compared_at_equal_numbers(question_words):
    words = question_words(asked("Who pays?", "Who pays for that?", "Is it so?"))
    out, _ = run(*words, "--method", "chrf:50", "--json")
    scores = json.loads(out)
    rows = {row["threshold"]: row for row in scores["thresholds"]}
    assert (len(rows), rows[0.0]["nae"], rows[95.0]["nae"], rows[95.0]["nae_share"]) == (
        20,
        0,
        2,
        pytest.approx(2 / 3),
    )
    assert rows[50.0]["nae"] == scores["figures"]["nae"]
    assert rows[50.0]["kappa"] == {"value": None, "n": 0, "reason": "no_questions"}
    diversity = scores["figures"]["diversity_at_equal_n"]
    assert (diversity["n"], diversity["subsets"], diversity["seed"]) == (2, 100, 1)
    assert 0 < diversity["useful"]["ngram_published"] < diversity["all"]["ngram_published"]
    assert scores["figures"]["first_words"][0] == {
        "words": "Who pays?",
        "n": 1,
        "share": pytest.approx(1 / 3),
    }


def test_spans_are_scored_by_type_and_by_group_as_well(focus_words):
    answers = {"a": {"fsq_types": ["LE", "WE"], "spans": ["Grades fell", "library"]}}
    out, _ = run(*focus_words(answers), "--json")
    figures = json.loads(out)["figures"]
    by_type = {code: found["gold"]["mean"]["exact"] for code, found in figures["spans_by_type"].items()}
    assert (by_type["LE"]["value"], by_type["LE"]["n"]) == (1.0, 1)
    assert (by_type["WE"]["value"], by_type["WE"]["reason"]) == (None, "no_references")
    over_all = {
        code: found["all"]["mean"]["exact"]["value"] for code, found in figures["spans_by_type"].items()
    }
    assert (over_all["LE"], over_all["WE"]) == (1.0, 0.0)
    assert sum(found["all"]["mean"]["exact"]["n"] for found in figures["spans_by_group"].values()) == 2


def test_at_most_fifty_faults_are_listed_and_a_file_beyond_the_limits_is_not_read(focus_words, monkeypatch):
    faults = refused(*focus_words({f"x{number}": {} for number in range(53)}))
    assert (len(faults), faults[49], faults[50]) == (
        51,
        "run1.json: x49: there is no such item: is it for another split?",
        "… and 3 more",
    )
    monkeypatch.setattr("scoring.evaluation.json_file.MOST_ITEMS", 2)
    many = refused(*focus_words({f"x{number}": {} for number in range(3)}))
    assert many == ["run1.json: has 3 items; at most 2 are read"]
    monkeypatch.setattr("scoring.evaluation.json_file.MOST_BYTES", 10)
    for content in (
        {"a": {}, "b": {}},
        b"Argument,Predicted_Type1,Predicted_Type2,Span_PredictedType1,Span_PredictedType2",
    ):
        (line,) = refused(*focus_words(content))
        assert line.endswith(" bytes; at most 10 are read: submit fewer items")


def test_a_method_that_cannot_be_computed_leaves_the_others(question_words):
    words = question_words(asked("Who pays?", "Who pays for that?", "Is it so?"))
    methods = ["--method", "human", "--method", "model_label", "--method", "exact"]
    out, err = run(*words, *methods, "--replicates", "0", "--json")
    assert [(one["method"]["name"], one["reason"]) for one in json.loads(out)["evaluations"]] == [
        ("human", "no_matching_round"),
        ("model_label", "no_endpoint"),
        ("exact", None),
    ]
    told = "people decide in a project: score SLUG VERSION FILE."
    assert f"note: --method human: {told} The other methods are scored." in err
    assert "note: model_label needs a language model: set ELENCHUS_LLM_ENDPOINTS. The other methods" in err
    why = refused(*words, "--method", "human", "--method", "human_reference", code=1)
    assert why == f"--method human: {told}"


def test_a_file_of_types_is_none_of_questions(question_words):
    assert refused(*question_words({"a": {"fsq_types": [], "spans": []}})) == [
        "run1.json: a: has fsq_types and no cqs: is this a file for FOCUS?"
    ]


def test_an_answer_without_lists_is_said_and_one_that_is_no_list_is_shown_as_it_stands(focus_words):
    _, err = run(*focus_words({"a": {"types": ["LE"]}}), replicates=0)
    assert "note: run1.json: a: has no fsq_types; it counts as not answered\n" in err
    assert refused(*focus_words({"a": {"fsq_types": None, "spans": []}})) == [
        "run1.json: a, fsq_types: fsq_types is null; expected a list of texts"
    ]
