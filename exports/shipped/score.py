#!/usr/bin/env python3
"""Score a system's answers against a release. Python 3.10 or newer, nothing to install.

FOCUS:    python score.py focus focus.test.json SYSTEM.json
          SYSTEM.json: {"A-17": {"fsq_types": ["Lacks Evidence"], "spans": ["..."]}, ...}, parallel lists.
CQs-Gen:  python score.py cqs_gen cqs_gen.test.json SYSTEM.json
          SYSTEM.json: {"CLINTON_1_1": {"cqs": [{"id": 0, "cq": "..."}, ...]}, ...}, three questions each; a
          question has the label of the reference question with the same words in the same intervention (case,
          spaces and punctuation aside). A question with a "label" of its own keeps it: so new questions that
          people or a model have labelled can be scored.

Prints one JSON object. An item that SYSTEM leaves out counts as an empty answer; an item that the reference
does not have is an error.
"""

import argparse
import json
import re
import sys
import unicodedata

NO_SPAN = "Null"
QUESTIONS = 3
WORD = re.compile(r"\w+")


def words(text):
    """Return the words of a text: runs of letters and digits of its NFC form, case folded."""
    return WORD.findall(unicodedata.normalize("NFC", text).casefold())


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
    gold_scores, all_scores = [], []
    for item_id, item in reference.items():
        if "labels" not in item:
            raise SystemExit(f"{item_id}: the references of this split are withheld")
        answer = system.get(item_id, {})
        answered = list(zip(answer.get("fsq_types", []), answer.get("spans", []), strict=True))
        said = {name for name, _ in answered}
        for label in item["labels"]:
            name = label["fsq_type"]
            counts = types.setdefault(name, [0, 0, 0])
            if label["applicable"] is None:
                continue
            counts[0] += label["applicable"] and name in said
            counts[1] += not label["applicable"] and name in said
            counts[2] += label["applicable"] and name not in said
            if not label["applicable"] or not label["gold_spans"]:
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
        "span_jaccard_gold": mean(gold_scores),
        "span_jaccard_gold_and_disagreement": mean(all_scores),
        "scored_spans": len(gold_scores),
    }


def score_cqs_gen(reference, system):
    """Return the mean over items of the useful questions among three, n/3, and what could not be labelled."""
    scores, unknown = [], 0
    labels: dict[str, int] = {}
    for item_id, item in reference.items():
        known = {tuple(words(question["cq"])): question["label"] for question in item["cqs"]}
        useful = 0
        for question in system.get(item_id, {}).get("cqs", [])[:QUESTIONS]:
            label = question.get("label") or known.get(tuple(words(question["cq"])))
            unknown += label is None
            useful += label == "Useful"
            labels[label or "not labelled"] = labels.get(label or "not labelled", 0) + 1
        scores.append(useful / QUESTIONS)
    return {
        "items": len(reference),
        "answered": sum(item_id in system for item_id in reference),
        "score": mean(scores),
        "questions_without_label": unknown,
        "labels": dict(sorted(labels.items())),
    }


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
    loaded = []
    for path in (options.reference, options.system):
        with open(path, encoding="utf-8") as stream:
            loaded.append(json.load(stream))
    reference, system = loaded
    stray = sorted(set(system) - set(reference))
    if stray:
        raise SystemExit(
            f"{options.system}: {len(stray)} items are not in the reference, the first is {stray[0]!r}"
        )
    json.dump(SCORES[options.shape](reference, system), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
