"""The web application, as granian or any other WSGI server loads it."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")


def metrics_folder() -> str | None:
    """Return a folder in which the web processes of one server add up their counts; None where there is none.

    Its name is that of the process that started them all; it is ours alone, or not used.
    """
    folder = Path(tempfile.gettempdir()) / f"elenchus-metrics-{os.getppid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
            return str(folder)
    return None


if "PROMETHEUS_MULTIPROC_DIR" not in os.environ and (folder := metrics_folder()):
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder

django = get_wsgi_application()


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Answer a request, below a path of the host too, whether or not the proxy takes that path away."""
    from django.conf import settings

    path, site = environ.get("PATH_INFO", ""), settings.SITE_PATH
    if site and (path == site or path.startswith(f"{site}/")):
        environ["PATH_INFO"] = path.removeprefix(site) or "/"
        environ["SCRIPT_NAME"] = site
    return django(environ, start_response)
