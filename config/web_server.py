"""granian with the application loaded once: `python -m config.web_server` takes the arguments of granian.

Its web processes are forked from one that has loaded everything and holds neither a connection nor a thread,
so they share what never changes, and one that died is there again at once.

See docs/decisions/running.md.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from granian import cli as granian_cli
from granian.cli import cli

from core.downloads import downloads


def main() -> None:
    """Load what each web process would load, then serve.

    The counts of /metrics are added up over the processes in a folder of this server's own.
    """
    with tempfile.TemporaryDirectory(prefix="elenchus-metrics-") as folder:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)
        import_module("config.wsgi")  # granian finds it again by its name
        load_pages()
        if threads := blocking_threads(sys.argv[1:]):
            downloads.limit(threads - 1)  # one is left for those who save
        gc.collect()
        gc.freeze()  # a collection writes to what it looks at, and what is written to is shared no more
        cli()


def blocking_threads(arguments: list[str]) -> int:
    """Return with how many threads granian is told to answer, by its arguments or environment; else 0."""
    asked = granian_cli.cli.make_context("granian", arguments, resilient_parsing=True)
    return int(asked.params["blocking_threads"] or os.environ.get("GRANIAN_BLOCKING_THREADS") or 0)


def load_pages() -> None:
    """Load every page with its template."""
    from django.conf import settings
    from django.db import connections
    from django.template.loader import get_template
    from django.urls import URLResolver, get_resolver

    resolvers = [get_resolver()]
    while resolvers:
        resolvers += [found for found in resolvers.pop().url_patterns if isinstance(found, URLResolver)]
    folder = Path(settings.BASE_DIR) / "frontend" / "templates"
    for file in folder.rglob("*.html"):
        get_template(file.relative_to(folder).as_posix())
    connections.close_all()  # no two processes may share one


if __name__ == "__main__":
    main()
