"""How a page shows a job that waits or runs: the same for releases, runs, uploads and reports."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext

from agreement.models import AgreementReport
from annotation.models import Round, Upload
from assist.models import AssistRun, TopicModel
from core.jobs import QUEUED, Job, silent_minutes
from exports.models import RefinementRun, Release
from frontend.templatetags.humanize_numbers import thousands
from scoring.models import Evaluation


@dataclass(frozen=True, slots=True)
class JobShown:
    """A job as `shared/_job.html` shows it: `said` is how far it is, `name` is that of its element.

    `progress` answers with the fragment alone; `page` is where the job is shown, `cancel` where it is
    cancelled, empty where it cannot be.
    """

    job: Job
    name: str
    title: str
    label: str
    said: str
    progress: str
    page: str
    cancel: str = ""
    cancel_words: str = ""
    heading: bool = False
    """Whether the title is shown, not only read out."""


def job_progress(request: HttpRequest, shown: JobShown) -> HttpResponse:
    """Answer a page that asks time and again how far a job is."""
    return render(request, "frontend/shared/_job_progress.html", {"shown": shown})


def release_shown(release: Release) -> JobShown:
    """Show a release that waits or is being built."""
    args = [release.project.slug, release.version]
    if release.state == QUEUED:
        said = gettext(
            "The release waits for a worker. If it waits for more than a minute, whoever runs this "
            "installation can see whether a worker runs; as soon as one does, the release is built by itself."
        )
    elif n := silent_minutes(release):
        said = ngettext(
            "Nothing was heard of the worker for %(n)s minute. If it was stopped, the release is begun anew "
            "soon after %(time)s, by itself.",
            "Nothing was heard of the worker for %(n)s minutes. If it was stopped, the release is begun anew "
            "soon after %(time)s, by itself.",
            n,
        ) % {"n": n, "time": date_format(localtime(release.lease_until), "H:i T")}
    elif not release.progress_total:
        said = gettext("The judgements are being read.")
    elif release.progress_done == release.progress_total:
        said = ngettext(
            "The one item is written. Agreement, data card and ZIP follow.",
            "All %(total)s items are written. Agreement, data card and ZIP follow.",
            release.progress_total,
        ) % {"total": thousands(release.progress_total)}
    else:
        said = gettext("%(done)s of %(total)s items.") % _how_far(release)
    return JobShown(
        release,
        "release-progress",
        gettext("The release at work"),
        gettext("Progress of the release"),
        said,
        reverse("release_progress", args=args),
        reverse("release", args=args),
        reverse("release_cancel", args=args),
        gettext("Cancel the release"),
    )


def refinement_shown(run: RefinementRun) -> JobShown:
    """Show a run of refinements that waits or asks."""
    args = [run.project.slug, run.number]
    return _asking_shown(
        run,
        "refinement-progress",
        reverse("refinement_progress", args=args),
        reverse("refinements", args=[run.project.slug]),
        reverse("refinement_cancel", args=args),
    )


def assist_shown(run: AssistRun) -> JobShown:
    """Show a run of an assistant that waits or asks."""
    args = [run.project.slug, run.number]
    page = reverse("assistant_run", args=args)
    return _asking_shown(run, "assistant-progress", reverse("assistant_progress", args=args), page, page)


def _asking_shown(
    run: RefinementRun | AssistRun, name: str, progress: str, page: str, cancel: str
) -> JobShown:
    if run.state == QUEUED and not run.progress_total:
        said = gettext(
            "The run waits for a worker. If it waits for more than a minute, see whether a worker runs."
        )
    else:
        told = {**_how_far(run), "model": run.model, "host": run.host}
        said = _with_silence(
            run, gettext("%(done)s of %(total)s questions answered by %(model)s at %(host)s.") % told
        )
    return JobShown(
        run,
        name,
        gettext("The run at work"),
        gettext("Progress of the run"),
        said,
        progress,
        page,
        cancel,
        gettext("Cancel the run"),
    )


def topics_job_shown(model: TopicModel) -> JobShown:
    """Show a search for topics that waits or is at work."""
    args = [model.project.slug]
    waits = gettext("It waits for a worker. If it waits for more than a minute, see whether a worker runs.")
    return JobShown(
        model,
        "topics-progress",
        gettext("Topics are looked for"),
        gettext("Progress of the search"),
        waits if model.state == QUEUED else _with_silence(model, gettext("The words are counted.")),
        reverse("items_topics_progress", args=args),
        reverse("items_topics", args=args),
        reverse("items_topics", args=args),
        gettext("Cancel the search"),
    )


def evaluation_shown(evaluation: Evaluation) -> JobShown:
    """Show an evaluation that waits or runs."""
    args = [evaluation.submission.system.project.slug, evaluation.pk]
    if evaluation.state == QUEUED:
        said = gettext(
            "The evaluation waits for a worker. If it waits for more than a minute, see whether a worker "
            "runs."
        )
    elif not evaluation.progress_total:
        said = _with_silence(evaluation, gettext("The files are read and scored."))
    else:
        told = gettext("%(done)s of %(total)s items stored.") % _how_far(evaluation)
        said = _with_silence(evaluation, told)
    return JobShown(
        evaluation,
        "evaluation-progress",
        gettext("The evaluation at work"),
        gettext("Progress of the evaluation"),
        said,
        reverse("evaluation_progress", args=args),
        reverse("evaluation", args=args),
        reverse("evaluation_cancel", args=args),
        gettext("Cancel the evaluation"),
    )


def report_shown(report: AgreementReport, round: Round) -> JobShown:
    """Show a report that waits or is being computed."""
    args = [round.project.slug, round.number]
    if report.state == QUEUED:
        said = gettext(
            "The report waits for a worker. If it waits for more than a minute, see whether a worker runs."
        )
    else:
        told = {"done": report.progress_done, "total": report.progress_total}
        said = _with_silence(
            report, gettext("The report is being computed: %(done)s of %(total)s steps.") % told
        )
    return JobShown(
        report,
        "report-status",
        gettext("The report at work"),
        gettext("Progress of the report"),
        said,
        reverse("agreement_status", args=args),
        reverse("agreement", args=args),
    )


def upload_shown(upload: Upload) -> JobShown:
    """Show a file that waits to be checked or imported, or is."""
    args = [upload.project.slug, upload.pk]
    checking = upload.work == Upload.Work.CHECK
    if upload.state == QUEUED:
        said = gettext("Waiting for a worker.")
    else:
        read = gettext("Rows read so far: %(rows_read)s.") % {"rows_read": thousands(upload.rows_read)}
        said = _with_silence(upload, read)
    return JobShown(
        upload,
        "upload-progress",
        gettext("Checking the file") if checking else gettext("Importing"),
        gettext("Rows read"),
        said,
        reverse("upload_progress", args=args),
        reverse("upload", args=args),
        reverse("upload", args=args),
        gettext("Cancel the check") if checking else gettext("Cancel the import"),
        heading=True,
    )


def _how_far(job: Job) -> dict[str, str]:
    return {"done": thousands(job.progress_done), "total": thousands(job.progress_total)}


def _with_silence(job: Job, said: str) -> str:
    """Add to how far a job is that nothing was heard of its worker, where that is so."""
    n = silent_minutes(job)
    if not n:
        return said
    silence = ngettext(
        "Nothing was heard of the worker for %(n)s minute. If it was stopped, another goes on soon, "
        "by itself.",
        "Nothing was heard of the worker for %(n)s minutes. If it was stopped, another goes on soon, "
        "by itself.",
        n,
    ) % {"n": n}
    return f"{said} {silence}"
