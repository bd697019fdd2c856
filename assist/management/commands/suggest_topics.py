"""Look for topics of a project's texts: python manage.py suggest_topics SLUG --topics 7 --seed 1"""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.script import ScriptCommand
from assist.topics.suggesting import topics_apply, topics_compute, topics_request, topics_shown
from assist.topics.word_counts import METHODS


class Command(ScriptCommand):
    help = (
        "Look for topics in all texts of a project and print ten words and five texts of each; the same seed "
        "gives the same topics. --names makes them the items' topics: one name a topic in the order printed, "
        "an empty one leaves the texts of its topic as they are."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--topics", type=int, default=7, help="how many (7)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--method", default="nmf", help=f"{' or '.join(METHODS)} (nmf)")
        parser.add_argument("--names", help="names with commas between them, to apply the topics")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        model = topics_request(
            project=project, topics=options["topics"], seed=options["seed"], method=options["method"]
        )
        topics_compute(model_id=model.pk)
        model.refresh_from_db()
        if model.state != "done":
            raise CommandError(model.error or model.get_state_display())
        found = topics_shown(model)
        applied = None
        if options["names"] is not None:
            applied = topics_apply(model=model, names=options["names"].split(","))
        if options["json"]:
            told = {"topics": found, "seed": model.seed, "method": model.method}
            if applied is not None:
                told |= {"changed": applied[0], "kept": applied[1]}
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=1))
            return
        for topic in found:
            self.stdout.write(f"{topic['number']}. {topic['n']} texts: {', '.join(topic['words'])}")
            for text in topic["texts"]:
                self.stdout.write(f"   {text['external_id']}: {' '.join(text['text'].split())[:100]}")
        if applied is not None:
            self.stdout.write(
                f"{applied[0]} items changed, {applied[1]} stayed since a round or a release has them."
            )
