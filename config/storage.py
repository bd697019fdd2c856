"""How static files are stored in production."""

import re
from collections.abc import Callable
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage

OURS = "frontend/"


class HashedStaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise has no types
    """Hashed, compressed static files. Our ES modules import each other by their hashed names."""

    support_js_module_import_aggregation = True

    # A script's hash changes with those of what it imports: one pass for each step of the longest chain.
    max_post_process_passes = 20

    def url_converter(self, name: str, *args: Any, **options: Any) -> Callable[[re.Match[str]], str]:
        """Return what rewrites an address in a file; scripts of packages keep theirs.

        The patterns also find imports in comments, and django-htmx ships one of a file that does not exist.
        """
        if name.endswith(".js") and not name.startswith(OURS):
            return lambda match: match[0]
        converter: Callable[[re.Match[str]], str] = super().url_converter(name, *args, **options)
        return converter
