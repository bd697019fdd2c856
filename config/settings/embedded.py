"""One machine, no server but our own: SQLite, a broker of files, plain static files. What manage.py uses."""

import os

from django.db.backends.signals import connection_created

from config import env
from config.private_files import make_database_private, make_folder_private
from config.secret_key import read_or_create_secret_key

from .base import *  # noqa: F403
from .base import DATA_DIR, DATABASES, LOG_FORMAT, LOGGING

DEBUG = env.flag("ELENCHUS_DEBUG")
make_folder_private(DATA_DIR)
SECRET_KEY = env.text("ELENCHUS_SECRET_KEY") or read_or_create_secret_key(DATA_DIR / "secret_key")

if not LOG_FORMAT:
    LOGGING["loggers"]["elenchus.access"] = {"level": "WARNING"}  # a terminal that people work in

# Straight from the source folders and never cached: after an update the next page load is the new one.
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 0

SAMPLE_LOGINS_SHOWN = os.environ.get("ELENCHUS_SERVED_WITH") == "sample-logins"

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # The server's threads live long; a connection a request would open the file and set its pragmas anew.
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    connection_created.connect(make_database_private)
