#!/usr/bin/env python3
"""Score a system's answers against a release. Python 3.10 or newer, nothing to install.

FOCUS:    python score.py focus focus.test.json SYSTEM.json
          SYSTEM.json: {"A-17": {"fsq_types": ["Lacks Evidence"], "spans": ["..."]}, ...}, parallel lists: at
          most two types an item, each once, None of the Above alone; a type that you give without a span has
          "Null" as its span. A type may be called by its code, its name or an alias (release.json has them),
          case and white space aside.
          The labels are compared with `applicable` of each type: all types that were decided, also those
          decided yes on whose words no two annotators agreed. These are not in the `fsq_types` of the
          release, which lists gold spans: copied out they score below 1. `types_without_gold_span` counts
          them. A type that is undecided or was not asked is not scored, and None of the Above only in items
          of which every type is decided. macro: the mean over the labels that are defined; macro_zero: over
          all labels, undefined as 0.
          Spans: the best Jaccard index of words per type decided yes, with gold spans; with gold and
          disagreement spans (over the types that have either); and with both over the types that have gold.
CQs-Gen:  python score.py cqs_gen cqs_gen.test.json SYSTEM.json [--own-labels]
          SYSTEM.json: {"CLINTON_1_1": {"cqs": [{"id": 0, "cq": "..."}, ...]}, ...}, three questions each; a
          question has the label of the reference question with the same words in the same intervention (case,
          spaces and punctuation aside), and none where the reference has these words with two labels. With
          --own-labels a question with a "label" of its own keeps it: so new questions that people or a model
          have labelled can be scored. Without, such labels are not used, and counted. What stands after the
          third, and a question that is asked twice, is not scored; an empty question is none. An item without
          any reference question is not in the mean, unless the labels are the system's own.

Prints one JSON object. An item that SYSTEM leaves out counts as an empty answer; an item that the reference
does not have is an error. Figures that are undefined (nothing there and nothing answered) are null.
"""

import argparse
import difflib
import json
import pathlib
import sys
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

NO_SPAN = "Null"
NO_TYPE = "None of the Above"
MOST_TYPES = 2
QUESTIONS = 3
NO_QUESTIONS = "Missing CQs"
RATIOS = ("precision", "recall", "f1")
LABELS = ("Useful", "Unhelpful", "Invalid")
# Scripts without spaces between words (Thai to Burmese, Khmer, Kana, Han): each character is a word there.
UNSPACED = ((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF),
            (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip


WITHHELD = "the references of this split are withheld: only whoever made the release can score it"


class Wrong(Exception):
    """What is wrong with a file, and where, in words for whoever made it."""


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, marks and digits of its NFC form, case folded.

    >>> words("It's 5 o'clock, 図書")
    ['it', 's', '5', 'o', 'clock', '図', '書']
    """
    found: list[str] = []
    open_word = False
    for letter in unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()):
        if unicodedata.category(letter)[0] not in "LMN":
            open_word = False
        elif any(first <= ord(letter) <= last for first, last in UNSPACED):
            found.append(letter)
            open_word = False
        elif open_word:
            found[-1] += letter
        else:
            found.append(letter)
            open_word = True
    return found


def jaccard(a: str, b: str) -> float:
    """Return the Jaccard index of the sets of words of two texts; without words, whether they are equal."""
    first, second = set(words(a)), set(words(b))
    if not first and not second:
        return 1.0 if a.strip() == b.strip() else 0.0
    return len(first & second) / len(first | second)


def ratios(true_positive: int, false_positive: int, false_negative: int) -> tuple[float | None, ...]:
    """Return precision, recall and F1 of counts, each None where it divides by nothing."""
    answered, there = true_positive + false_positive, true_positive + false_negative
    return (
        true_positive / answered if answered else None,
        true_positive / there if there else None,
        2 * true_positive / (answered + there) if answered + there else None,
    )


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are defined, or None."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def score_focus(
    reference: dict[str, Any], system: dict[str, Any], *, types: dict[str, set[str]], **_: Any
) -> dict[str, Any]:
    """Return precision, recall and F1 of the labels, and the mean best Jaccard of the answered spans.

    `types` are the types' other names by name, as `types_known` returns them.
    """
    names = list(types)
    codes = {folded(other): name for name in names for other in (name, *types[name])}
    codes |= {folded(other): NO_TYPE for other in (NO_TYPE, "None", NO_SPAN, *none_names(reference, codes))}
    counts = {name: [0, 0, 0] for name in (*names, NO_TYPE)}
    gold_scores: list[float] = []
    all_scores: list[float] = []
    all_where_gold: list[float] = []
    without_gold = 0
    for item_id, item in reference.items():
        answered = answered_types(item_id, system.get(item_id, {}), codes)
        said = {name for name, _ in answered} - {NO_TYPE}
        decided = {label["fsq_type"]: label["applicable"] for label in item["labels"]}
        for name, applicable in decided.items():
            if applicable is not None:
                count(counts[name], applicable, name in said)
        if all(decided.get(name) is not None for name in names):
            count(counts[NO_TYPE], not any(decided.values()), not said)
        for label in item["labels"]:
            if not label["applicable"]:
                continue
            gold = [span["text"] for span in label["gold_spans"]]
            every = gold + [span["text"] for span in label["disagreement_spans"]]
            without_gold += not gold
            given = [span for name, span in answered if name == label["fsq_type"] and span != NO_SPAN]
            if every:
                all_scores.append(best(given, every))
            if gold:
                gold_scores.append(best(given, gold))
                all_where_gold.append(all_scores[-1])
    each = {name: ratios(*found) for name, found in counts.items()}
    micro = ratios(*(sum(found[place] for found in counts.values()) for place in range(3)))
    figures: dict[str, Any] = {}
    for place, ratio in enumerate(RATIOS):
        column = {name: found[place] for name, found in each.items()}
        figures[f"label_{ratio}_micro"] = micro[place]
        figures[f"label_{ratio}_macro"] = mean(column.values())
        figures[f"label_{ratio}_macro_zero"] = mean(value or 0.0 for value in column.values())
        figures[f"label_{ratio}"] = column
    return {
        "items": len(reference),
        "answered": sum(item_id in system for item_id in reference),
        **figures,
        "types_without_gold_span": without_gold,
        "span_jaccard_gold": mean(gold_scores),
        "span_jaccard_gold_and_disagreement": mean(all_scores),
        "span_jaccard_gold_and_disagreement_where_gold": mean(all_where_gold),
        "scored_spans": len(gold_scores),
        "scored_spans_gold_and_disagreement": len(all_scores),
    }


def count(counts: list[int], there: bool, said: bool) -> None:
    """Add one decision to true positives, false positives and false negatives."""
    for place, found in enumerate((there and said, said and not there, there and not said)):
        counts[place] += bool(found)


def best(given: list[str], references: list[str]) -> float:
    """Return the highest Jaccard index of an answered span with a reference, 0 where nothing is answered."""
    return max((jaccard(span, other) for span in given for other in references), default=0.0)


def folded(name: str) -> str:
    """Return a name of a type as names are compared: case, white space and a final question mark aside."""
    return " ".join(name.split()).rstrip("?").strip().casefold()


def none_names(reference: dict[str, Any], codes: dict[str, str]) -> set[str]:
    """Return what the reference itself calls the lack of every type, where it has a name of its own."""
    return {name for item in reference.values() for name in item["fsq_types"] if folded(name) not in codes}


def types_known(reference: dict[str, Any], near: Iterable[pathlib.Path]) -> dict[str, set[str]]:
    """Return the codes and aliases of each type by its name.

    From the labels of the reference, and from the release.json of the release that the file or this script
    is in, which knows the aliases and the types that no item was asked.
    """
    found: dict[str, set[str]] = {}
    for item in reference.values():
        for label in item["labels"]:
            found.setdefault(label["fsq_type"], set()).add(label["code"])
    for folder in near:
        try:
            types = json.loads((folder / "release.json").read_text("utf-8"))["types"]
            named = {entry["name"]: {entry["code"], *entry["aliases"]} for entry in types}
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if set(found) <= set(named):
            return named
    return found


def answered_types(item_id: str, answer: dict[str, Any], codes: dict[str, str]) -> list[tuple[str, str]]:
    """Return the pairs of type and span that a system answered about an item, checked.

    `codes` are the names of the types by all that they may be called.
    """
    lists = []
    for key in ("fsq_types", "spans"):
        found = answer.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
            raise Wrong(f"{item_id}: {key} is {shown(found)}; expected a list of texts")
        lists.append(found)
    given, spans = lists
    names = []
    for name in given:
        if folded(name) not in codes:
            near = difflib.get_close_matches(folded(name), codes, n=1, cutoff=0.0)
            nearest = f"; the nearest is {shown(codes[near[0]])}" if near else ""
            raise Wrong(f"{item_id}: {shown(name)} is no type of this release{nearest}")
        names.append(codes[folded(name)])
    if len(names) > MOST_TYPES:
        raise Wrong(f"{item_id}: {len(names)} types; at most {MOST_TYPES} are asked for")
    for name in names:
        if names.count(name) > 1:
            raise Wrong(f"{item_id}: {shown(name)} is named twice: name each type once, with its best span")
    if NO_TYPE in names and len(names) > 1:
        raise Wrong(f"{item_id}: {NO_TYPE} stands alone: a type is named beside it")
    if names == [NO_TYPE] and not spans:
        spans = [NO_SPAN]
    if len(names) != len(spans):
        raise Wrong(
            f"{item_id}: fsq_types has {len(names)} entries and spans {len(spans)}; they are parallel: "
            f'give each type its span, or "{NO_SPAN}" where there is none'
        )
    return list(zip(names, spans, strict=True))


def score_cqs_gen(
    reference: dict[str, Any], system: dict[str, Any], *, own_labels: bool = False, **_: Any
) -> dict[str, Any]:
    """Return the mean over items of the useful questions among three, n/3, and what could not be labelled."""
    scores: list[float] = []
    unknown, repeated, surplus, handed_in, not_used = 0, 0, 0, 0, 0
    labels: dict[str, int] = {}
    without_reference = sum(not item["cqs"] for item in reference.values())
    for item_id, item in reference.items():
        known = known_labels(item)
        given = answered_questions(item_id, system.get(item_id, {}), own_labels)
        useful = 0
        asked: set[tuple[str, ...] | str] = set()
        surplus += sum(bool(text.strip()) for text, _ in given[QUESTIONS:])
        for text, own_label in given[:QUESTIONS]:
            if not text.strip():
                continue
            handed_in += 1
            same = tuple(words(text)) or text.strip()
            if same in asked:
                repeated += 1
                continue
            asked.add(same)
            not_used += own_label is not None and not own_labels
            label = (own_label if own_labels else None) or known.get(same)
            unknown += label is None
            useful += label == "Useful"
            labels[label or "not labelled"] = labels.get(label or "not labelled", 0) + 1
        if item["cqs"] or own_labels:
            scores.append(useful / QUESTIONS)
    if without_reference == len(reference) and handed_in and unknown == sum(labels.values()):
        raise Wrong(WITHHELD)
    return {
        "items": len(reference),
        "answered": sum(item_id in system for item_id in reference),
        "score": mean(scores),
        "items_without_reference": without_reference,
        "own_labels": own_labels,
        "own_labels_not_used": not_used,
        "questions_without_label": unknown,
        "questions_missing": QUESTIONS * len(reference) - handed_in,
        "questions_asked_twice": repeated,
        "questions_after_the_third": surplus,
        "labels": dict(sorted(labels.items())),
    }


def known_labels(item: dict[str, Any]) -> dict[tuple[str, ...] | str, str | None]:
    """Return the label of each question of the reference by its words; None for words with two labels."""
    known: dict[tuple[str, ...] | str, str | None] = {}
    for question in item["cqs"]:
        same, label = tuple(words(question["cq"])) or question["cq"].strip(), question["label"]
        known[same] = label if known.get(same, label) == label else None
    return known


def answered_questions(
    item_id: str, answer: dict[str, Any], own_labels: bool
) -> list[tuple[str, str | None]]:
    """Return the pairs of question and own label (or None) that a system answered, checked."""
    given = answer.get("cqs", [])
    if given == NO_QUESTIONS:
        return []
    if not isinstance(given, list):
        raise Wrong(f"{item_id}: cqs is {shown(given)}; expected a list of questions")
    found = []
    for number, question in enumerate(given):
        place = f"{item_id}, question {number + 1}"
        if not isinstance(question, dict) or not isinstance(question.get("cq"), str):
            raise Wrong(f'{place} is {shown(question)}; expected an object with its text as "cq"')
        label = question.get("label")
        if own_labels and label is not None and label not in LABELS:
            raise Wrong(f"{place}: label is {shown(label)}; expected one of {', '.join(LABELS)}, or none")
        found.append((question["cq"], label))
    return found


def shown(value: object) -> str:
    """Return the beginning of a value as JSON, for a message."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


def load(path: str) -> dict[str, Any]:
    """Return a file's object of items by id. Raises Wrong where it is none."""
    try:
        with open(path, "rb") as stream:
            text = stream.read().decode("utf-8-sig")
        loaded = json.loads(text, object_pairs_hook=without_repeats)
    except OSError as error:
        raise Wrong(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Wrong(f"is not UTF-8 (byte {error.start + 1}): save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise Wrong(f"is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    if not isinstance(loaded, dict):
        raise Wrong("expected a JSON object with the items by their ids, not a list or a single value")
    for item_id, item in loaded.items():
        if not isinstance(item, dict):
            raise Wrong(f"{item_id}: is {shown(item)}; expected an object")
    return loaded


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of a name that stands twice JSON keeps the last without a word, so it is refused."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise Wrong(f"{shown(name)} stands twice in one object: keep one of the two")
        made[name] = value
    return made


def check_reference(shape: str, reference: dict[str, Any]) -> None:
    """Raise Wrong where the reference has nothing to compare with."""
    for item_id, item in reference.items():
        if shape == "cqs_gen":
            if "cqs" not in item:
                raise Wrong(f"{item_id}: has no cqs: is this a FOCUS file?")
            continue
        if "cqs" in item:
            raise Wrong(f"{item_id}: has cqs: score this file as cqs_gen")
        if "labels" not in item:
            raise Wrong(f"{item_id}: {WITHHELD}")
        spans = [span for label in item["labels"] for span in label["gold_spans"]]
        if any("text" not in span for span in spans):
            raise Wrong(f"{item_id}: its spans have no texts: score what scripts/join_texts.py makes of it")


SCORES: dict[str, Callable[..., dict[str, Any]]] = {"focus": score_focus, "cqs_gen": score_cqs_gen}


def main() -> None:
    """Read the two files, score, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shape", choices=sorted(SCORES))
    parser.add_argument("reference")
    parser.add_argument("system")
    parser.add_argument(
        "--own-labels", action="store_true", help="cqs_gen: use the labels that the system's file gives"
    )
    options = parser.parse_args()
    path = options.reference
    try:
        reference = load(path)
        check_reference(options.shape, reference)
        path = options.system
        system = load(path)
        if stray := sorted(set(system) - set(reference)):
            raise Wrong(
                f"{len(stray)} of its items are not in the reference, the first is {shown(stray[0])}: "
                "is it for another split?"
            )
        folder = pathlib.Path(options.reference).resolve().parent
        near = (folder, folder.parent, pathlib.Path(__file__).resolve().parent.parent)
        types = types_known(reference, near) if options.shape == "focus" else {}
        scored = SCORES[options.shape](reference, system, types=types, own_labels=options.own_labels)
    except Wrong as wrong:
        raise SystemExit(f"{path}: {wrong}") from None
    sys.stdout.write(json.dumps(scored, indent=2) + "\n")


if __name__ == "__main__":
    main()
