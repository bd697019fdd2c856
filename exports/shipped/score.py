#!/usr/bin/env python3
"""Score a system's answers against a release. Python 3.10 or newer, nothing to install.

FOCUS:    python score.py focus focus.test.json SYSTEM.json
          SYSTEM.json: {"A-17": {"fsq_types": ["Lacks Evidence"], "spans": ["..."]}, ...}, parallel lists; a
          type that you give without a span has "Null" as its span.
          The labels are compared with `applicable` of each type: all types that were decided, also those
          decided yes on whose words no two annotators agreed. These are not in the `fsq_types` of the
          release, which lists gold spans: copied out they score below 1. `types_without_gold_span` counts
          them. An undecided type is not scored.
CQs-Gen:  python score.py cqs_gen cqs_gen.test.json SYSTEM.json
          SYSTEM.json: {"CLINTON_1_1": {"cqs": [{"id": 0, "cq": "..."}, ...]}, ...}, three questions each; a
          question has the label of the reference question with the same words in the same intervention (case,
          spaces and punctuation aside), and none where the reference has these words with two labels. A
          question with a "label" of its own keeps it: so new questions that people or a model have labelled
          can be scored. What stands after the third, and a question that is asked twice, is not scored.

Prints one JSON object. An item that SYSTEM leaves out counts as an empty answer; an item that the reference
does not have is an error. Figures that are undefined (nothing there and nothing answered) are null.
"""

import argparse
import json
import sys
import unicodedata

NO_SPAN = "Null"
NO_TYPE = "None of the Above"
QUESTIONS = 3
LABELS = ("Useful", "Unhelpful", "Invalid")
# Scripts without spaces between words (Thai to Burmese, Khmer, Kana, Han): each character is a word there.
UNSPACED = ((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF),
            (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip


WITHHELD = "the references of this split are withheld: only whoever made the release can score it"


class Wrong(Exception):
    """What is wrong with a file, and where, in words for whoever made it."""


def words(text):
    """Return the words of a text: runs of letters, marks and digits of its NFC form, case folded.

    >>> words("It's 5 o'clock, 図書")
    ['it', 's', '5', 'o', 'clock', '図', '書']
    """
    found, open_word = [], False
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


def jaccard(a, b):
    """Return the Jaccard index of the sets of words of two texts; without words, whether they are equal."""
    first, second = set(words(a)), set(words(b))
    if not first and not second:
        return 1.0 if a.strip() == b.strip() else 0.0
    return len(first & second) / len(first | second)


def f1(true_positive, false_positive, false_negative):
    """Return the F1 of counts, or None where nothing was there and nothing was answered."""
    total = 2 * true_positive + false_positive + false_negative
    return None if total == 0 else 2 * true_positive / total


def mean(values):
    """Return the mean of the values that are defined, or None."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def score_focus(reference, system):
    """Return F1 of the types (micro, macro, each) and the mean best Jaccard of the answered spans."""
    types: dict[str, list[int]] = {}
    gold_scores, all_scores, without_gold = [], [], 0
    names = {label["fsq_type"]: None for item in reference.values() for label in item["labels"]}
    derived = {name for item in reference.values() for name in item["fsq_types"]}
    for item_id, item in reference.items():
        answered = answered_types(item_id, system.get(item_id, {}), names, {NO_TYPE, *derived})
        said = {name for name, _ in answered}
        for label in item["labels"]:
            name, applicable = label["fsq_type"], label["applicable"]
            counts = types.setdefault(name, [0, 0, 0])
            if applicable is None:
                continue
            counts[0] += applicable and name in said
            counts[1] += not applicable and name in said
            counts[2] += applicable and name not in said
            without_gold += applicable and not label["gold_spans"]
            if not applicable or not label["gold_spans"]:
                continue
            gold = [span["text"] for span in label["gold_spans"]]
            every = gold + [span["text"] for span in label["disagreement_spans"]]
            given = [span for found, span in answered if found == name and span != NO_SPAN]
            gold_scores.append(max((jaccard(span, other) for span in given for other in gold), default=0.0))
            all_scores.append(max((jaccard(span, other) for span in given for other in every), default=0.0))
    each = {name: f1(*counts) for name, counts in types.items()}
    return {
        "items": len(reference),
        "answered": sum(item_id in system for item_id in reference),
        "label_f1_micro": f1(*(sum(counts[place] for counts in types.values()) for place in range(3))),
        "label_f1_macro": mean(each.values()),
        "label_f1": each,
        "types_without_gold_span": without_gold,
        "span_jaccard_gold": mean(gold_scores),
        "span_jaccard_gold_and_disagreement": mean(all_scores),
        "scored_spans": len(gold_scores),
    }


def answered_types(item_id, answer, types, derived):
    """Return the pairs of type and span that a system answered about an item, checked.

    `types` are those of the release, `derived` what else may stand for none of them.
    """
    lists = []
    for key in ("fsq_types", "spans"):
        found = answer.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
            raise Wrong(f"{item_id}: {key} is {shown(found)}; expected a list of texts")
        lists.append(found)
    names, spans = lists
    if len(names) != len(spans):
        raise Wrong(
            f"{item_id}: fsq_types has {len(names)} entries and spans {len(spans)}; they are parallel: "
            f'give each type its span, or "{NO_SPAN}" where there is none'
        )
    for name in names:
        if name not in types and name not in derived:
            raise Wrong(f"{item_id}: {shown(name)} is no type of this release; its types are {list(types)}")
    return list(zip(names, spans, strict=True))


def score_cqs_gen(reference, system):
    """Return the mean over items of the useful questions among three, n/3, and what could not be labelled."""
    scores, unknown, repeated, surplus = [], 0, 0, 0
    labels: dict[str, int] = {}
    for item_id, item in reference.items():
        known = known_labels(item)
        given = answered_questions(item_id, system.get(item_id, {}))
        useful, asked = 0, set()
        surplus += len(given[QUESTIONS:])
        for text, own_label in given[:QUESTIONS]:
            same = tuple(words(text)) or text.strip()
            if same and same in asked:
                repeated += 1
                continue
            asked.add(same)
            label = own_label or known.get(same)
            unknown += label is None
            useful += label == "Useful"
            labels[label or "not labelled"] = labels.get(label or "not labelled", 0) + 1
        scores.append(useful / QUESTIONS)
    if unknown == sum(labels.values()) > 0 and not any(item["cqs"] for item in reference.values()):
        raise Wrong(WITHHELD)
    return {
        "items": len(reference),
        "answered": sum(item_id in system for item_id in reference),
        "score": mean(scores),
        "questions_without_label": unknown,
        "questions_asked_twice": repeated,
        "questions_after_the_third": surplus,
        "labels": dict(sorted(labels.items())),
    }


def known_labels(item):
    """Return the label of each question of the reference by its words; None for words with two labels."""
    known: dict[tuple[str, ...] | str, str | None] = {}
    for question in item["cqs"]:
        same, label = tuple(words(question["cq"])) or question["cq"].strip(), question["label"]
        known[same] = label if known.get(same, label) == label else None
    return known


def answered_questions(item_id, answer):
    """Return the pairs of question and own label (or None) that a system answered, checked."""
    given = answer.get("cqs", [])
    if not isinstance(given, list):
        raise Wrong(f"{item_id}: cqs is {shown(given)}; expected a list of questions")
    found = []
    for number, question in enumerate(given):
        place = f"{item_id}, question {number + 1}"
        if not isinstance(question, dict) or not isinstance(question.get("cq"), str):
            raise Wrong(f'{place} is {shown(question)}; expected an object with its text as "cq"')
        label = question.get("label")
        if label is not None and label not in LABELS:
            raise Wrong(f"{place}: label is {shown(label)}; expected one of {', '.join(LABELS)}, or none")
        found.append((question["cq"], label))
    return found


def shown(value):
    """Return the beginning of a value as JSON, for a message."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


def load(path):
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


def without_repeats(pairs):
    """Return an object; of a name that stands twice JSON keeps the last without a word, so it is refused."""
    made = {}
    for name, value in pairs:
        if name in made:
            raise Wrong(f"{shown(name)} stands twice in one object: keep one of the two")
        made[name] = value
    return made


def check_reference(shape, reference):
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


SCORES = {"focus": score_focus, "cqs_gen": score_cqs_gen}


def main():
    """Read the two files, score, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shape", choices=sorted(SCORES))
    parser.add_argument("reference")
    parser.add_argument("system")
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
        scored = SCORES[options.shape](reference, system)
    except Wrong as wrong:
        raise SystemExit(f"{path}: {wrong}") from None
    sys.stdout.write(json.dumps(scored, indent=2) + "\n")


if __name__ == "__main__":
    main()
