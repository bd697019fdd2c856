"""An annotator who withdraws with their judgements is in no release built from then on."""

import json

import pytest

from annotation.projects.members import member_deactivate
from exports.files.reconciliation import inputs_stamp
from exports.releases.preview import release_preview
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests.factories import NO, close, focus_study, judge, yes
from tests.factories.releases import released

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study():
    """Two of three say yes to VAT with the same span."""
    made = focus_study(annotators=3, items=1)
    item = made.items[0]
    judge(made, item, {"VAT": [yes(item, item.text[:11]), yes(item, item.text[:11]), NO]})
    close(made)
    return made


def votes(study, folder, version: str) -> dict:
    files = released(study.project, folder, version)
    (entry,) = json.loads((files / "focus.json").read_text()).values()
    return next(label for label in entry["labels"] if label["code"] == "VAT")


def test_the_next_release_is_without_them_and_reconciles(study, tmp_path):
    before = inputs_stamp(read_selection(study.project, Parameters()))
    assert votes(study, tmp_path / "1", "1.0")["votes"] == {"yes": 2, "no": 1}
    member_deactivate(target=study.annotators[0], member=study.lead, leave_out=True)
    assert inputs_stamp(read_selection(study.project, Parameters())) != before
    preview = release_preview(read_selection(study.project, Parameters()))
    assert (preview.judgements, preview.annotators) == (20, 2)
    after = votes(study, tmp_path / "2", "2.0")
    assert study.project.releases.get(version="2.0").counts["judgements"] == 20
    assert after["votes"] == {"yes": 1, "no": 1}
    assert after["gold_spans"] == []
