"""The sample data as read from its files, for the tests."""

import csv
import json
import pathlib

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "annotation" / "sample"
FILES = ["arguments.jsonl", "interventions.json", "focus_judgements.csv", "cqs_judgements.csv", "key.csv"]
TYPES = ["OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE"]
REASONS = {"BR", "UR", "NC", "TG", "NCR"}
ANNOTATORS = {"Ada", "Ben", "Chloé"}
CLOSED = [f"S-{number:02d}" for number in range(1, 17)]
TRAINING = [f"S-{number:02d}" for number in range(17, 21)]
JAPANESE = "S-14"


def read_csv(name):
    with (SAMPLE / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, strict=True))


ARGUMENTS = [json.loads(line) for line in (SAMPLE / "arguments.jsonl").read_text("utf-8").splitlines()]
TEXTS = {argument["id"]: argument["text"] for argument in ARGUMENTS}
INTERVENTIONS = json.loads((SAMPLE / "interventions.json").read_text("utf-8"))
FOCUS = read_csv("focus_judgements.csv")
CQS = read_csv("cqs_judgements.csv")
KEY = read_csv("key.csv")
