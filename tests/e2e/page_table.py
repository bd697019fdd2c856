"""Every page of the site, as somebody meets it: who opens it, its address, the status it answers."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from django.urls import URLPattern, get_resolver, resolve


class Visit(NamedTuple):
    """One page for one person. `press` names a button to press there before the page is looked at."""

    who: str
    path: str
    status: int = 200
    press: str = ""


_LEAD = """
/
/projects/new/
/p/focus/
/p/questions/
/p/screening/
/p/empty/
/p/archived/
/p/focus/settings/
/p/focus/archive/
/p/focus/delete/
/p/screening/screening/
/p/focus/log/
/p/focus/log/?action=nothing
/p/focus/codebook/
/p/focus/codebook/?version=1
/p/questions/codebook/
/p/focus/codebook/edit/
/p/questions/codebook/edit/
/p/focus/codebook/edit/?toml
/p/focus/codebook/compare/
/p/empty/codebook/compare/
/p/focus/items/
/p/focus/items/?q=nothing+like+it
/p/focus/items/topics/
/p/empty/items/topics/
/p/empty/items/
/p/focus/items/{item}/
/p/focus/items/{withdrawn}/
/p/questions/items/{question_item}/
/p/focus/items/{item}/withdraw/
/p/focus/items/{item}/erase/
/p/focus/items/{item}/correct/
/p/focus/import/
/p/empty/import/
/p/focus/import/{upload_checked}/
/p/focus/import/{upload_refused}/
/p/focus/import/{upload_columns}/
/p/focus/import/{upload_broken}/
/p/focus/import/{upload_done}/
/p/focus/import/{upload_waiting}/
/p/focus/import/{upload_screened}/
/p/focus/people/
/p/focus/people/{person}/
/p/focus/people/{lead}/
/p/focus/people/{inactive}/
/p/focus/people/{person}/deactivate/
/p/focus/people/{person}/erase/
/p/focus/people/{person}/reassign/4/
/p/focus/releases/
/p/empty/releases/
/p/questions/releases/
/p/focus/releases/1.0/
/p/focus/releases/1.1/
/p/focus/releases/2.0/
/p/focus/releases/3.0/
/p/focus/releases/4.0/
/p/focus/releases/1.1/publish/
/p/focus/refinements/
/front-page/
/p/questions/boards/
/p/empty/boards/
/p/questions/boards/new/
/p/focus/boards/new/
/p/questions/boards/best/
/p/questions/boards/best/settings/
/p/questions/boards/best/version/
/p/questions/boards/best/submissions/{entry}/hide/
/p/focus/assistants/
/p/focus/assistants/runs/1/
/p/empty/assistants/
/p/questions/assistants/items/{question_item}/
/p/focus/systems/
/p/questions/systems/?by=leads
/p/empty/systems/
/p/focus/systems/new/
/p/questions/systems/new/
/p/questions/systems/matching/
/p/focus/systems/{system}/
/p/focus/systems/compare/?e={evaluation}&e={evaluation_other}
/p/questions/systems/compare/?e={evaluation_questions}&e={evaluation_exact}
/p/focus/evaluations/{evaluation}/
/p/focus/evaluations/{evaluation}/answers/
/p/focus/evaluations/{evaluation_waiting}/
/p/questions/evaluations/{evaluation_questions}/
/p/questions/evaluations/{evaluation_questions}/answers/
/p/questions/evaluations/{evaluation_failed}/
/p/focus/rounds/new/
/p/focus/rounds/texts/?alpha=0.6&prevalence=0.2&raters=3&width=0.2
/p/focus/rounds/2/edit/
/p/focus/rounds/4/edit/
/p/focus/rounds/2/delete/
/p/questions/rounds/new/
/p/focus/rounds/1/
/p/focus/rounds/2/
/p/focus/rounds/3/
/p/focus/rounds/4/
/p/focus/rounds/5/
/p/focus/rounds/6/
/p/focus/rounds/8/
/p/focus/rounds/9/
/p/focus/rounds/10/
/p/questions/rounds/2/
/p/focus/rounds/2/draw/
/p/focus/rounds/2/asked/
/p/focus/rounds/3/open/
/p/focus/rounds/4/close/
/p/focus/rounds/1/reopen/
/p/focus/rounds/6/key/
/p/focus/rounds/6/key/answer/
/p/focus/rounds/6/key/decided/
/p/focus/rounds/1/agreement/
/p/focus/rounds/7/agreement/
/p/focus/rounds/4/agreement/
/p/focus/rounds/7/change/
/p/questions/rounds/1/agreement/
/p/screening/rounds/1/agreement/
/p/focus/rounds/1/agreement/units/
/p/questions/rounds/1/agreement/units/
/p/focus/disagreements/
/p/empty/disagreements/
/p/focus/rounds/1/disagreements/
/p/focus/rounds/1/disagreements/?type=CF
/p/questions/rounds/1/disagreements/
/p/focus/rounds/1/units/{item}/LE/
/p/focus/rounds/1/units/{item}/WE/
/p/questions/rounds/1/units/{question_item}/{question}/
/p/focus/rounds/1/discussion/
/p/focus/rounds/7/discussion/
/accounts/logout/
/accounts/password/change/
/accounts/email/
"""
_ANNOTATOR = """
/
/account/data/
/p/focus/leave/
/p/focus/
/p/screening/
/p/focus/codebook/
/p/focus/codebook/compare/
/p/questions/rounds/1/discussion/
/p/questions/rounds/1/discussion/?mine
/p/focus/rounds/1/mine/
/p/focus/rounds/1/mine/?by=text
/p/focus/rounds/4/mine/
/p/questions/rounds/1/mine/
/p/questions/rounds/1/mine/?by=text&q=the
/p/focus/rounds/4/work/
/p/focus/rounds/5/work/
/p/questions/rounds/2/work/
/p/questions/rounds/1/units/{question_item}/{question}/
"""
_NOBODY = """
/
/boards/questions/best/
/join-board/{board_token}/
/accounts/login/
/accounts/login/?next=/boards/questions/best/hand-in/
/accounts/password/reset/
/accounts/password/reset/done/
/accounts/password/reset/key/done/
/accounts/password/reset/key/1-wrong/
/accounts/inactive/
/accounts/signup/
/accounts/confirm-email/
/accounts/confirm-email/wrong/
/signed-in/
/join/{token}/
/releases/focus/1.0/
"""

VISITS = (
    *(Visit("lea", path) for path in _LEAD.split()),
    *(Visit("ann", path) for path in _ANNOTATOR.split()),
    *(Visit("", path) for path in _NOBODY.split()),
    Visit("new", "/"),
    Visit("new", "/boards/questions/best/hand-in/"),
    Visit("new", "/join-board/{board_token}/"),
    Visit("olu", "/boards/questions/best/hand-in/"),
    Visit("olu", "/boards/questions/best/team/"),
    Visit("olu", "/boards/questions/best/submissions/{entry}/"),
    Visit("new", "/join/{token}/"),
    Visit("", "/join/{worthless}/", 404),
    Visit("", "/no/such/page", 404),
    Visit("", "/releases/focus/9.9/", 404),
    Visit("olu", "/p/focus/", 404),
    Visit("ann", "/p/focus/people/", 403),
    Visit("lea", "/p/focus/screening/", 409),
    Visit("", "/accounts/login/", press="Log in"),
    Visit("lea", "/projects/new/", press="Create project"),
    Visit("lea", "/p/focus/rounds/2/draw/", press="Preview this draw"),
    Visit("lea", "/p/focus/people/", press="Make invitation links"),
    Visit("lea", "/p/focus/releases/", press="Show the counts"),
    Visit("lea", "/p/focus/import/", press="Check this file"),
    Visit("lea", "/p/focus/rounds/7/reopen/", press="Reopen Second"),
)

NOT_PAGES = {
    "an answer to a form, which leads on to a page": {
        "project_restore", "project_keep",
        "codebook_preview", "item_restore", "import_undo", "person_reactivate",
        "invitation_withdraw", "release_cancel", "release_unpublish", "round_pause", "agreement_compute",
        "agreement_competence",
        "agreement_influence",
        "adjudicate_next", "refinement_cancel", "refinement_reject", "refinement_restore",
        "evaluation_cancel", "evaluation_again", "answer_tag", "error_tag_new",
        "matching_score", "matching_references", "board_withdraw",
        "lead_board_switch", "lead_board_invite", "lead_board_export", "lead_board_show",
        "unit_decide", "unit_undo", "unit_skip", "unit_comment", "set_language",
    },
    "a part of a page": {
        "upload_progress", "release_progress", "refinement_progress", "round_progress", "agreement_status",
        "evaluation_progress", "board_team_progress", "assistant_progress",
        "items_topics_progress",
    },
    "a file": {
        "audit_csv", "upload_refused", "public_release_file", "service-worker", "js-catalog", "schema",
        "evaluation_file", "systems_compare_file", "own_data_file", "board_file", "assistant_submission",
        "assistant_judgements",
    },
    "read by machines": {
        "healthz", "healthz-live", "healthz-ready", "metrics", "robots", "sitemap", "favicon",
    },
    "not reached without settings of its own": {
        "account_reauthenticate", "account_request_reauthentication_code",
        "account_confirm_reauthentication_code", "account_set_password", "account_confirm_login_code",
    },
}  # fmt: skip


def routes() -> Iterator[str]:
    """Give the name of every route, but for those of the API and of Django's own administration."""
    yield from _names(get_resolver().url_patterns)


def _names(patterns: list) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            if pattern.name and not pattern.name.startswith("api-"):
                yield pattern.name
        elif pattern.namespace != "admin":
            yield from _names(pattern.url_patterns)


def visited() -> set[str]:
    """Return the names of the routes that the visits lead to."""
    numbers: defaultdict[str, int] = defaultdict(lambda: 1)
    paths = (visit.path.format_map(numbers).partition("?")[0] for visit in VISITS if visit.status != 404)
    return {resolve(path).url_name for path in paths}
