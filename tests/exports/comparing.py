"""A study whose releases are compared, and ways to lose what was stored of them."""

from django.core.files.storage import default_storage

from exports.models import Release
from tests.factories import Study, close, focus_study, judge, yes


def compared_study() -> Study:
    """Return a closed round of three items, all decided a "yes" to Lacks Evidence with one gold span."""
    made = focus_study(annotators=2, items=3, slug="s")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:6])] * 2})
    close(made)
    return made


def lose_files(row: Release) -> None:
    for file in row.files:
        default_storage.delete(file["storage"])


def lose_comparisons() -> None:
    for name in default_storage.listdir("release-changes")[1]:
        default_storage.delete(f"release-changes/{name}")
