"""The addresses of the pages, one a line."""

from django.urls import path
from django.views.i18n import JSONCatalog

from frontend.pages import codebooks, crawling, my_decisions, refinement, workspace
from frontend.pages.adjudication import disagreements, units
from frontend.pages.agreement import comparison, report
from frontend.pages.assistants import assistants, candidates
from frontend.pages.boards import board, boards, team
from frontend.pages.items import imports, items, screening, topics
from frontend.pages.people import invitations, own_data, people, person, reassignment
from frontend.pages.project import audit, home, project, settings
from frontend.pages.releases import publication, releases
from frontend.pages.rounds import asked_types, drawing, editing, lifecycle, planning, study_size, training
from frontend.pages.systems import answers, comparing, evaluation, matching, systems

urlpatterns = [
    path("", home.home, name="home"),
    path("projects/new/", home.project_new, name="project_new"),
    path("p/<slug:slug>/", project.project, name="project"),
    path("p/<slug:slug>/settings/", settings.settings, name="project_settings"),
    path("p/<slug:slug>/archive/", settings.archive, name="project_archive"),
    path("p/<slug:slug>/restore/", settings.restore, name="project_restore"),
    path("p/<slug:slug>/delete/", settings.delete, name="project_delete"),
    path("p/<slug:slug>/keep/", settings.keep, name="project_keep"),
    path("p/<slug:slug>/leave/", own_data.leave, name="project_leave"),
    path("account/data/", own_data.own_data, name="own_data"),
    path("account/data.zip", own_data.own_data_file, name="own_data_file"),
    path("join/<str:token>/", invitations.join, name="join"),
    path("p/<slug:slug>/screening/", screening.screening, name="screening"),
    path("p/<slug:slug>/log/", audit.audit, name="audit"),
    path("p/<slug:slug>/log.csv", audit.audit_csv, name="audit_csv"),
    path("p/<slug:slug>/codebook/", codebooks.codebook, name="codebook"),
    path("p/<slug:slug>/codebook/edit/", codebooks.edit, name="codebook_edit"),
    path("p/<slug:slug>/codebook/preview/", codebooks.preview, name="codebook_preview"),
    path("p/<slug:slug>/codebook/compare/", codebooks.compare, name="codebook_compare"),
    path("p/<slug:slug>/items/", items.items, name="items"),
    path("p/<slug:slug>/items/topics/", topics.topics, name="items_topics"),
    path("p/<slug:slug>/items/topics/progress/", topics.topics_progress, name="items_topics_progress"),
    path("p/<slug:slug>/items/<int:item_id>/", items.item, name="item"),
    path("p/<slug:slug>/items/<int:item_id>/correct/", items.correct, name="item_correct"),
    path("p/<slug:slug>/items/<int:item_id>/withdraw/", items.withdraw, name="item_withdraw"),
    path("p/<slug:slug>/items/<int:item_id>/erase/", items.erase, name="item_erase"),
    path("p/<slug:slug>/items/<int:item_id>/restore/", items.restore, name="item_restore"),
    path("p/<slug:slug>/import/", imports.items_import, name="items_import"),
    path("p/<slug:slug>/import/<int:upload_id>/", imports.upload, name="upload"),
    path("p/<slug:slug>/import/<int:upload_id>/progress/", imports.upload_progress, name="upload_progress"),
    path("p/<slug:slug>/import/<int:upload_id>/refused.csv", imports.upload_refused, name="upload_refused"),
    path("p/<slug:slug>/imports/<int:import_id>/undo/", imports.undo, name="import_undo"),
    path("p/<slug:slug>/people/", people.people, name="people"),
    path("p/<slug:slug>/people/<int:person_id>/", person.person, name="person"),
    path("p/<slug:slug>/people/<int:person_id>/erase/", person.person_erase, name="person_erase"),
    path(
        "p/<slug:slug>/people/<int:person_id>/deactivate/", person.person_deactivate, name="person_deactivate"
    ),
    path(
        "p/<slug:slug>/people/<int:person_id>/reactivate/", person.person_reactivate, name="person_reactivate"
    ),
    path(
        "p/<slug:slug>/people/<int:person_id>/reassign/<int:number>/",
        reassignment.person_reassign,
        name="person_reassign",
    ),
    path(
        "p/<slug:slug>/invitations/<int:invitation_id>/revoke/",
        people.invitation_withdraw,
        name="invitation_withdraw",
    ),
    path("p/<slug:slug>/releases/", releases.releases, name="releases"),
    path("p/<slug:slug>/releases/<str:version>/", releases.release, name="release"),
    path(
        "p/<slug:slug>/releases/<str:version>/progress/", releases.release_progress, name="release_progress"
    ),
    path("p/<slug:slug>/releases/<str:version>/cancel/", releases.cancel, name="release_cancel"),
    path("p/<slug:slug>/releases/<str:version>/publish/", publication.publish, name="release_publish"),
    path("p/<slug:slug>/releases/<str:version>/unpublish/", publication.unpublish, name="release_unpublish"),
    path("p/<slug:slug>/refinements/", refinement.refinements, name="refinements"),
    path(
        "p/<slug:slug>/refinements/runs/<int:number>/progress/",
        refinement.refinement_progress,
        name="refinement_progress",
    ),
    path(
        "p/<slug:slug>/refinements/runs/<int:number>/cancel/",
        refinement.cancel,
        name="refinement_cancel",
    ),
    path(
        "p/<slug:slug>/refinements/<int:refinement_id>/reject/", refinement.reject, name="refinement_reject"
    ),
    path(
        "p/<slug:slug>/refinements/<int:refinement_id>/restore/",
        refinement.restore,
        name="refinement_restore",
    ),
    path("front-page/", home.front_page, name="front_page"),
    path("join-board/<str:token>/", team.join, name="board_join"),
    path("boards/<slug:slug>/<slug:name>/", board.board, name="board"),
    path("boards/<slug:slug>/<slug:name>/hand-in/", team.hand_in, name="board_hand_in"),
    path("boards/<slug:slug>/<slug:name>/team/", team.team, name="board_team"),
    path("boards/<slug:slug>/<slug:name>/team/progress/", team.team_progress, name="board_team_progress"),
    path("boards/<slug:slug>/<slug:name>/submissions/<int:entry_id>/", team.entry, name="board_entry"),
    path(
        "boards/<slug:slug>/<slug:name>/submissions/<int:entry_id>/withdraw/",
        team.withdraw,
        name="board_withdraw",
    ),
    path("boards/<slug:slug>/<slug:name>/<str:file>", board.board_file, name="board_file"),
    path("p/<slug:slug>/boards/", boards.boards, name="boards"),
    path("p/<slug:slug>/boards/new/", boards.board_new, name="board_new"),
    path("p/<slug:slug>/boards/<slug:name>/", boards.board, name="lead_board"),
    *[
        path(f"p/<slug:slug>/boards/<slug:name>/{act}/", view, name=name)
        for act, view, name in (
            ("settings", boards.board_settings, "lead_board_settings"),
            ("version", boards.board_version, "lead_board_version"),
            ("switch", boards.switch, "lead_board_switch"),
            ("invite", boards.invite, "lead_board_invite"),
            ("export", boards.export, "lead_board_export"),
            ("submissions/<int:entry_id>/hide", boards.hide, "lead_board_hide"),
            ("submissions/<int:entry_id>/show", boards.show, "lead_board_show"),
        )
    ],
    path("p/<slug:slug>/assistants/", assistants.assistants, name="assistants"),
    path("p/<slug:slug>/assistants/runs/<int:number>/", assistants.assistant_run, name="assistant_run"),
    path(
        "p/<slug:slug>/assistants/runs/<int:number>/progress/",
        assistants.assistant_progress,
        name="assistant_progress",
    ),
    path(
        "p/<slug:slug>/assistants/runs/<int:number>/submission.json",
        assistants.assistant_submission,
        name="assistant_submission",
    ),
    path(
        "p/<slug:slug>/assistants/runs/<int:number>/judgements.csv",
        assistants.assistant_judgements,
        name="assistant_judgements",
    ),
    path("p/<slug:slug>/assistants/items/<int:item_id>/", candidates.candidates, name="item_candidates"),
    path("p/<slug:slug>/systems/", systems.systems, name="systems"),
    path("p/<slug:slug>/systems/new/", systems.system_new, name="system_new"),
    path("p/<slug:slug>/systems/matching/", matching.matching_new, name="matching_new"),
    path("p/<slug:slug>/rounds/<int:number>/matching/score/", matching.matching_score, name="matching_score"),
    path(
        "p/<slug:slug>/rounds/<int:number>/matching/references/",
        matching.matching_references,
        name="matching_references",
    ),
    path("p/<slug:slug>/systems/<int:system_id>/", systems.system, name="system"),
    path("p/<slug:slug>/systems/compare/", comparing.compare, name="systems_compare"),
    path("p/<slug:slug>/systems/compare/<str:name>", comparing.compare_file, name="systems_compare_file"),
    path("p/<slug:slug>/evaluations/<int:evaluation_id>/", evaluation.evaluation, name="evaluation"),
    path(
        "p/<slug:slug>/evaluations/<int:evaluation_id>/progress/",
        evaluation.evaluation_progress,
        name="evaluation_progress",
    ),
    path(
        "p/<slug:slug>/evaluations/<int:evaluation_id>/cancel/", evaluation.cancel, name="evaluation_cancel"
    ),
    path("p/<slug:slug>/evaluations/<int:evaluation_id>/again/", evaluation.again, name="evaluation_again"),
    path(
        "p/<slug:slug>/evaluations/<int:evaluation_id>/files/<str:name>",
        evaluation.evaluation_file,
        name="evaluation_file",
    ),
    path(
        "p/<slug:slug>/evaluations/<int:evaluation_id>/answers/", answers.answers, name="evaluation_answers"
    ),
    path("p/<slug:slug>/evaluations/<int:evaluation_id>/words/", answers.tag_new, name="error_tag_new"),
    path(
        "p/<slug:slug>/evaluations/<int:evaluation_id>/answers/<int:answer_id>/tag/",
        answers.tag,
        name="answer_tag",
    ),
    path("favicon.ico", crawling.favicon, name="favicon"),
    path("robots.txt", crawling.robots, name="robots"),
    path("releases/sitemap.txt", crawling.sitemap, name="sitemap"),
    path("releases/<slug:slug>/<str:version>/", publication.public_release, name="public_release"),
    path(
        "releases/<slug:slug>/<str:version>/files/<path:name>",
        publication.public_release_file,
        name="public_release_file",
    ),
    path("p/<slug:slug>/rounds/new/", planning.new, name="round_new"),
    path("p/<slug:slug>/rounds/texts/", study_size.study_size, name="study_size"),
    path("p/<slug:slug>/rounds/<int:number>/", lifecycle.detail, name="round"),
    path("p/<slug:slug>/rounds/<int:number>/progress/", lifecycle.detail_progress, name="round_progress"),
    path("p/<slug:slug>/rounds/<int:number>/edit/", editing.edit, name="round_edit"),
    path("p/<slug:slug>/rounds/<int:number>/delete/", editing.delete, name="round_delete"),
    path("p/<slug:slug>/rounds/<int:number>/draw/", drawing.draw, name="round_draw"),
    path("p/<slug:slug>/rounds/<int:number>/asked/", asked_types.asked, name="round_asked"),
    path("p/<slug:slug>/rounds/<int:number>/key/", training.key, name="round_key"),
    path("p/<slug:slug>/rounds/<int:number>/key/answer/", workspace.key_workspace, name="round_key_answer"),
    path("p/<slug:slug>/rounds/<int:number>/key/decided/", training.key_decided, name="round_key_decided"),
    path("p/<slug:slug>/rounds/<int:number>/open/", drawing.open_round, name="round_open"),
    path("p/<slug:slug>/rounds/<int:number>/close/", lifecycle.close, name="round_close"),
    path("p/<slug:slug>/rounds/<int:number>/pause/", lifecycle.pause, name="round_pause"),
    path("p/<slug:slug>/rounds/<int:number>/reopen/", lifecycle.reopen, name="round_reopen"),
    path("p/<slug:slug>/rounds/<int:number>/agreement/", report.agreement, name="agreement"),
    path(
        "p/<slug:slug>/rounds/<int:number>/agreement/status/",
        report.agreement_status,
        name="agreement_status",
    ),
    path(
        "p/<slug:slug>/rounds/<int:number>/agreement/compute/",
        report.agreement_compute,
        name="agreement_compute",
    ),
    path(
        "p/<slug:slug>/rounds/<int:number>/agreement/competence/",
        report.agreement_competence,
        name="agreement_competence",
    ),
    path(
        "p/<slug:slug>/rounds/<int:number>/agreement/influence/",
        report.agreement_influence,
        name="agreement_influence",
    ),
    path(
        "p/<slug:slug>/rounds/<int:number>/agreement/units/",
        report.agreement_units,
        name="agreement_units",
    ),
    path("p/<slug:slug>/rounds/<int:number>/change/", comparison.round_change, name="round_change"),
    path("p/<slug:slug>/disagreements/", disagreements.disagreements, name="disagreements"),
    path(
        "p/<slug:slug>/rounds/<int:number>/disagreements/",
        disagreements.round_disagreements,
        name="round_disagreements",
    ),
    path(
        "p/<slug:slug>/rounds/<int:number>/adjudicate/", disagreements.adjudicate_next, name="adjudicate_next"
    ),
    path("p/<slug:slug>/rounds/<int:number>/discussion/", disagreements.discussion, name="discussion"),
    *[
        path(f"p/<slug:slug>/rounds/<int:number>/units/<int:item_id>/<str:key>/{act}", view, name=name)
        for act, view, name in (
            ("", units.unit, "unit"),
            ("decide/", units.unit_decide, "unit_decide"),
            ("undo/", units.unit_undo, "unit_undo"),
            ("skip/", units.unit_skip, "unit_skip"),
            ("comment/", units.unit_comment, "unit_comment"),
        )
    ],
    path("p/<slug:slug>/rounds/<int:number>/work/", workspace.workspace, name="workspace"),
    path("p/<slug:slug>/rounds/<int:number>/mine/", my_decisions.my_decisions, name="my_decisions"),
    path("p/offline-worker.js", workspace.service_worker, name="service-worker"),
    path("i18n/catalog/", JSONCatalog.as_view(packages=["frontend"]), name="js-catalog"),
    path("signed-in/", workspace.signed_in, name="signed-in"),
]
