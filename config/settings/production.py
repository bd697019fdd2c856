"""Behind HTTPS, with PostgreSQL and Redis. No default for a secret, a host, a database or a broker."""

from django.core.exceptions import ImproperlyConfigured

from config import env
from config.logs import logging_settings

from .base import *  # noqa: F403
from .base import ALLAUTH_TRUSTED_PROXY_COUNT, ALLOWED_HOSTS, BASE_DIR, LOG_FORMAT, LOG_LEVEL, STORAGES

for name, setting in env.SETTINGS.items():
    if setting.required:
        env.required(name)

SECRET_KEY = env.text("ELENCHUS_SECRET_KEY")
if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 5:
    raise ImproperlyConfigured("ELENCHUS_SECRET_KEY must be at least 50 random characters.")

PRODUCTION = True
SAMPLE_LOGINS_ALLOWED = False
SAMPLE_LOGINS_SHOWN = False

LOGGING = logging_settings(LOG_FORMAT or "json", LOG_LEVEL)

STATIC_ROOT = BASE_DIR / "var" / "static"  # made with the code, not kept with the data
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "config.storage.HashedStaticStorage"}}

if ALLAUTH_TRUSTED_PROXY_COUNT:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

HTTPS = env.flag("ELENCHUS_HTTPS")
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
# Health checks and Prometheus of the same network speak plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^healthz(/live|/ready)?$", r"^metrics$"]
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "127.0.0.1"]
SECURE_HSTS_SECONDS = env.number("ELENCHUS_HSTS_SECONDS") if HTTPS else 0
# Other hosts below this domain, and a browser's list of them, are not ours to decide about.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
