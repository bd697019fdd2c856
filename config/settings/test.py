"""For the test suite: quick, and apart from the data of the installation it runs in."""

from .base import *  # noqa: F403
from .base import BASE_DIR, DATABASES

DATA_DIR = BASE_DIR / "var" / "test"
DATA_DIR.mkdir(parents=True, exist_ok=True)
SECRET_KEY = "only-for-tests-" * 4
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: threads and worker processes then meet the locking that the product has.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"

CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True  # found when asked for, not listed at every start
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ENCODER = ""
SENTENCE_ENCODER = BLEURT = COMET = ""
LLM_ENDPOINTS, LLM_API_KEYS = [], {}
PROJECTS_BY = "anyone"  # tests/frontend/test_home.py has the other choices
