"""How static files are stored in production."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticStorage(CompressedManifestStaticFilesStorage):
    """Hashed, compressed static files whose ES modules import each other by their hashed names."""

    support_js_module_import_aggregation = True
