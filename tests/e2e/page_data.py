"""An installation with something on every page, for the tests that visit them all.

Names are long, of one long word, or in other scripts: pages have to hold what people type.
"""

import json
from datetime import timedelta

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.utils import timezone

from annotation.adjudication.adjudication import ResolutionInput, resolution_decide
from annotation.adjudication.discussion import comment_add
from annotation.importing.screening import screening_send
from annotation.importing.uploads import upload_check, upload_create, upload_import, upload_request_import
from annotation.items.withdrawal import item_withdraw
from annotation.judging.recording import Unit
from annotation.models import Project, Round, Upload
from annotation.projects.invitations import invitation_create, invitation_revoke
from annotation.projects.members import member_deactivate
from annotation.projects.projects import codebook_publish, project_archive, project_create, project_edit
from annotation.rounds.drawing import draw_claim
from annotation.rounds.lifecycle import round_close, round_create, round_draw, round_pause, round_reopen
from annotation.rounds.opening import round_open
from annotation.training.key import key_from_resolutions
from boards.life.boards import board_create, board_switch
from boards.life.checking import public_benchmark
from boards.life.entries import entry_hand_in
from boards.life.placings import placing_run
from boards.life.teams import board_invite, team_create
from boards.life.versions import version_create, version_run
from exports.models import Release
from exports.releases.claim import release_cancel
from exports.releases.publication import release_publish
from exports.selection.parameters import Parameters
from scoring.systems.choices import read_choices
from scoring.systems.comparing import comparison, evaluations_chosen
from scoring.systems.error_tags import answer_tag, error_tag_add
from scoring.systems.evaluations import evaluation_request
from scoring.systems.submissions import HandedIn
from tests import factories
from tests.conftest import client_of
from tests.factories.releases import release
from tests.factories.reports import compute_report, disputed_questions, disputed_study
from tests.scoring.systems import scored, submitted

LONG = "Calibration with a name as long as people write it when they want to be exact about a round"
ONE_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
ARABIC = "دراسة حول الحجج في المدينة"
JAPANESE = "議論における批判的質問の注釈研究、第二期"
FILES = {
    "checked": ("texts of a rather long file name, second try.csv", b"id,text,topic\na1,First text.,t1\n"),
    "refused": ("mixed.csv", b"id,text\nb1,First text.\nb2,\n"),
    "columns": ("columns.csv", b"identifier,body\nc1,First text.\n"),
    "broken": ("broken.csv", b"\xff\xfe\xfd"),
    "done": ("done.csv", b"id,text\nd1,Another text.\nd2,\n"),
    "waiting": ("waiting.csv", b"id,text\ne1,First text.\n"),
}


def seed() -> None:
    """Fill an empty database and print, as JSON, what a visitor needs: sessions, numbers, tokens."""
    focus = _focus()
    _rounds(focus)
    _releases(focus.project)
    questions = _questions()
    screening = _screening()
    project_create(slug="empty", name=ARABIC, codebook="focus", user=focus.lead.user)
    archived = project_create(slug="archived", name=ONE_WORD, codebook="cqs_gen", user=focus.lead.user)
    project_archive(project=archived, member=archived.memberships.get())
    factories.user("olu")
    factories.user("new")
    revoked, worthless = invitation_create(project=focus.project, member=focus.lead, note=ONE_WORD)
    invitation_revoke(invitation=revoked, member=focus.lead)
    known = {
        "sessions": {user.username: _session(user) for user in User.objects.all()},
        "token": invitation_create(project=focus.project, member=focus.lead, note=LONG)[1],
        "worthless": worthless,
        "person": focus.annotators[0].pk,
        "lead": focus.lead.pk,
        "inactive": focus.project.memberships.get(is_active=False).pk,
        "item": focus.items[0].pk,
        "withdrawn": focus.project.items.get(withdrawn_at__isnull=False).pk,
        "question_item": questions.items[0].pk,
        "question": questions.items[0].questions.first().pk,
        "screened": screening.items[0].pk,
        **{f"upload_{name}": pk for name, pk in _uploads(focus).items()},
        "upload_screened": _sent(screening, focus),
        **_systems(focus, questions),
        **_boards(questions),
    }
    _assisted(focus)
    _topics(focus)
    print(json.dumps(known))


def _focus() -> factories.Study:
    """Ten types, two codebook versions, a closed round with its report, decisions and talk."""
    made = disputed_study(slug="focus", name=LONG)
    project_edit(
        project=made.project, member=made.lead, name=JAPANESE, licence="CC BY 4.0", languages="en", contact=""
    )
    item, round = made.items[0], made.round
    comment_add(
        round=round, item=item, unit=Unit(type_code="LE"), member=made.lead, text="@A2, why? " + ONE_WORD
    )
    decide = {"item": item, "member": made.lead, "codebook": round.codebook, "seen": None}
    for code in (entry["code"] for entry in round.codebook.definition["types"]):
        if code != "LE":
            resolution = ResolutionInput(
                applicable=False, why="Nothing in the text.", in_guideline=code == "WE"
            )
            resolution_decide(unit=Unit(type_code=code), given=resolution, **decide)
    newest = made.project.codebooks.latest("version").source
    sharper = newest.replace("# Probing an argument", f"# {ONE_WORD}\n\n# Probing an argument")
    codebook_publish(project=made.project, source=sharper, member=made.lead)
    _, gone, *_ = factories.add_items(made.project, 6, texts=(*factories.ARGUMENTS, ONE_WORD * 40))
    item_withdraw(item=gone, member=made.lead, why="A take-down request.")
    leaving = made.annotators[2]
    invitation_create(project=made.project, member=made.lead, note="Ann’s colleague, ann@example.org")
    member_deactivate(target=leaving, member=made.lead, leave_out=True)
    return made


def _rounds(made: factories.Study) -> None:
    """Round 2 an empty draft, 3 a drawn draft, 4 open, 5 paused, 6 training, 7 closed, 8 reopened, 9 being
    drawn, 10 drawn halfway."""
    common = {"project": made.project, "member": made.lead}
    active = made.annotators[:2]
    ids = [item.external_id for item in made.project.items.filter(withdrawn_at=None).order_by("pk")]
    round_create(**common, name="Empty draft")
    round_draw(round_create(**common, name=ONE_WORD), external_ids=ids[2:])
    for name in ("Open", "Paused"):
        opened = round_create(**common, name=name, live_agreement=True, content_warning="Speaks of violence.")
        round_draw(opened, external_ids=ids[3:5])
        round_open(opened, members=active, by=made.lead)
    round_pause(opened, by=made.lead)
    training = round_create(**common, name="Training", purpose=Round.Purpose.TRAINING, pass_mark=80)
    round_draw(training, external_ids=ids[:1])
    key_from_resolutions(training, member=made.lead)
    second = round_create(**common, name="Second")
    round_draw(second, external_ids=ids[:2])
    made.round = round_open(second, members=active, by=made.lead)
    for entry in second.codebook.definition["types"]:
        for member in active:
            answer = factories.yes(made.items[0], "The library") if entry["code"] == "OG" else factories.NO
            factories.record(second, member, made.items[0], entry["code"], answer)
    round_close(made.round, by=made.lead)
    compute_report(made)
    reopened = round_create(**common, name="Reopened")
    round_draw(reopened, external_ids=ids[2:3])
    round_open(reopened, members=active, by=made.lead)
    round_close(reopened, by=made.lead)
    round_reopen(Round.objects.get(pk=reopened.pk), why="Ann was ill.", by=made.lead)
    for name in ("Being drawn", "Half drawn"):
        claimed = round_create(**common, name=name)
        draw_claim(claimed, 110_000)
    # A worker that is still there in an hour of visits, and one that is not.
    Round.objects.filter(name="Being drawn").update(claimed_at=timezone.now() + timedelta(hours=1))
    Round.objects.filter(name="Half drawn").update(claimed_at=None)


def _questions() -> factories.Study:
    made = disputed_questions(slug="questions")
    question = made.items[0].questions.first()
    unit = Unit(question_id=question.pk)
    comment_add(round=made.round, item=made.items[0], unit=unit, member=made.lead, text="Let us talk.")
    made.items = factories.add_items(made.project, 1, 3) + made.items
    made.items = made.items[::-1]
    opened = round_create(project=made.project, name="Open", overlap=3, member=made.lead)
    round_draw(opened, external_ids=[made.items[-1].external_id])
    round_open(opened, members=made.annotators, by=made.lead)
    release(made.project)
    return made


def _screening() -> factories.Study:
    made = factories.study("context_sufficiency", annotators=2, items=2, slug="screening")
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "CTX", {"applicable": True})
    round_close(made.round, by=made.lead)
    return made


def _sent(made: factories.Study, target: factories.Study) -> int:
    """Return an upload of what passed a screening, waiting for a worker."""
    return screening_send(
        project=made.project,
        target=target.project,
        criteria=["CTX"],
        member=made.lead,
        target_member=target.lead,
    ).pk


def _releases(project: Project) -> None:
    """1.0 public, 1.1 with changes against it, 2.0 waiting for a worker, 3.0 failed, 4.0 cancelled."""
    first = release(project)
    release_publish(release=first, by=project.memberships.filter(is_lead=True).first())
    release(project, "1.1", judgements=False)
    waiting = {"project": project, "parameters": Parameters().to_json()}
    Release.objects.create(version="2.0", **waiting)
    Release.objects.create(version="3.0", state=Release.State.FAILED, error="3 of 4 spans fit.", **waiting)
    cancelled = Release.objects.create(version="4.0", **waiting)
    release_cancel(release=cancelled, by=project.memberships.filter(is_lead=True).first())


def _assisted(focus: factories.Study) -> None:
    """A run of a context filter that its budget stopped."""
    asked = {"endpoint": "https://llm.example/v1", "model": LONG, "sources": [["test", ""]]}
    limits = {"max_tokens": 100, "timeout": 60, "per_minute": 60, "budget_requests": 2, "requests": 2}
    ended = {"state": "failed", "error": "The budget is used up.", "finished_at": timezone.now()}
    run = focus.project.assist_runs.create(
        number=1, task="context", prompts={"": "{text}"}, recipes={"": "r"}, **asked, **limits, **ended
    )
    for item, label in zip(focus.items, ("sufficient", "insufficient"), strict=False):
        run.answers.create(
            item=item, recipe_sha256="r", unit_sha256=item.external_id, state="usable", raw=ONE_WORD,
            found={"label": label}, label=label, tries=1, answered_at=timezone.now(),
        )  # fmt: skip
    refused = run.answers.get(label="insufficient")
    run.filtered_items.create(item=refused.item, answer=refused, marked_at=timezone.now())


def _topics(focus: factories.Study) -> None:
    """Topics that were found and named, with words and names of every kind."""
    keys = [item.pk for item in focus.items]
    words = [[LONG, ONE_WORD, ARABIC, "school"], ["library", "night"]]
    found = [{"words": words[at], "items": keys[at : at + 1], "n": 1} for at in (0, 1)]
    focus.project.topic_models.create(
        state="done", topics=2, result=found, placed={"items": keys[:2], "topics": [0, 1]}, names=[ARABIC, ""]
    )


def _systems(focus: factories.Study, questions: factories.Study) -> dict[str, int]:
    """Systems of long and odd names: done, waiting for a worker, failed for want of an encoder."""
    release = focus.project.releases.get(version="1.0")
    words = [focus.items[0].text[:30], "words that stand nowhere " + ONE_WORD]
    answers = {focus.items[0].external_id: {"fsq_types": ["LE", "BS"], "spans": words}}
    done = scored(submitted(focus, release, answers, {}, name=LONG))
    other = scored(submitted(focus, release, {}, name=ARABIC))
    waiting = evaluation_request(
        submission=other.submission, asked=read_choices(focus.project, scope="all")[0]
    )
    tag = error_tag_add(project=focus.project, word=ONE_WORD[:60])
    answer_tag(answer=done.answers.first(), tags=[tag])
    asked = [question.text for question in questions.items[0].questions.all()[:3]]
    entry = {"cqs": [{"id": place, "cq": text} for place, text in enumerate(asked)]}
    comparison(evaluations_chosen(focus.project, [done.pk, other.pk]))
    of_questions = submitted(
        questions, questions.project.releases.get(), {questions.items[0].external_id: entry}
    )
    by_chrf, by_words, failed = (
        scored(of_questions, methods=[method]) for method in ("chrf", "exact", "sts")
    )
    comparison(evaluations_chosen(questions.project, [by_chrf.pk, by_words.pk]))
    return {
        "system": done.submission.system_id,
        "evaluation": done.pk,
        "evaluation_other": other.pk,
        "evaluation_waiting": waiting.pk,
        "evaluation_questions": by_chrf.pk,
        "evaluation_exact": by_words.pk,
        "evaluation_failed": failed.pk,
    }


def _boards(made: factories.Study) -> dict[str, int | str]:
    """A board with long names and a submission that a worker scored, and one that waits for its turn."""
    project = made.project
    board = board_create(
        project=project, name="best", title=LONG, description=ONE_WORD, entrance="anyone", feedback="full"
    )
    version = version_create(board=board, release=project.releases.get(), methods=["chrf"], replicates=50)
    version_run(version_id=version.pk)
    board_switch(board=board, state="open")
    user = factories.user("olu")
    team = team_create(board=board, name=ARABIC, user=user)
    items = public_benchmark(version).items
    for tag in ("first", "second"):
        content = {item: {"cqs": [{"cq": f"Why {tag} {n} {item}?"} for n in range(3)]} for item in items}
        placing = entry_hand_in(
            board=board,
            user=user,
            files=[HandedIn("x.json", json.dumps(content).encode())],
            name=ONE_WORD,
            line=JAPANESE,
            may_be_shown=True,
            now=timezone.now() + timedelta(days=tag == "second"),
        )
        if tag == "first":
            placing_run(placing_id=placing.pk)
    return {
        "entry": team.entries.order_by("pk").values_list("pk", flat=True)[0],
        "board_token": board_invite(board=board, by=made.lead, note=LONG)[1],
    }


def _uploads(made: factories.Study) -> dict[str, int]:
    """One upload in each state that a page shows."""
    found = {}
    for state, (name, content) in FILES.items():
        upload = upload_create(
            project=made.project, member=made.lead, file=ContentFile(content, name=name), name=name
        )
        if state != "waiting":
            upload_check(upload_id=upload.pk)
        if state == "done":
            upload_request_import(upload=Upload.objects.get(pk=upload.pk), skip_invalid=True)
            upload_import(upload_id=upload.pk)
        found[state] = upload.pk
    return found


def _session(user: User) -> str:
    return client_of(user.username).cookies["sessionid"].value
