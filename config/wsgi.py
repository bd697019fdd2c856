"""The web application, as config/web_server.py or any other WSGI server loads it."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")

django = get_wsgi_application()


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Answer a request, below a path of the host too, whether or not the proxy takes that path away."""
    from django.conf import settings

    path, site = environ.get("PATH_INFO", ""), settings.SITE_PATH
    if site and (path == site or path.startswith(f"{site}/")):
        environ["PATH_INFO"] = path.removeprefix(site) or "/"
        environ["SCRIPT_NAME"] = site
    return django(environ, start_response)
