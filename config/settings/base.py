"""What every mode shares. The values of one installation come from the environment: see config/env.py."""

from pathlib import Path

from config import env
from config.logs import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = BASE_DIR / env.folder("ELENCHUS_DATA")  # an absolute path stays itself

DEBUG = False
PRODUCTION = HTTPS = False
ALLOWED_HOSTS = env.hosts("ELENCHUS_HOSTS")
CSRF_TRUSTED_ORIGINS = env.origins("ELENCHUS_ORIGINS")

# The sample's log-ins are known to everybody: allowed where only this machine reaches the server.
SAMPLE_LOGINS_ALLOWED = True
# The log-in page offers them with one click each: `serve --sample-logins` alone says so to its web server.
SAMPLE_LOGINS_SHOWN = False

# Below a path of the host: links, cookies and static files stay inside it.
SITE_PATH = env.site_path("ELENCHUS_PATH")
FORCE_SCRIPT_NAME = SITE_PATH or None
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{SITE_PATH}/"
MESSAGE_STORAGE = "config.notices.SiteStorage"

OPERATORS = env.networks("ELENCHUS_OPERATORS")
OPERATORS_TOKEN = env.token("ELENCHUS_OPERATORS_TOKEN")
KEEP_DAYS = env.number("ELENCHUS_KEEP_DAYS")

TWO_FACTOR = env.flag("ELENCHUS_TWO_FACTOR")
OIDC_SERVER = env.web_address("ELENCHUS_OIDC_SERVER")
OIDC_NAME = env.text("ELENCHUS_OIDC_NAME")
OIDC_SIGNUP = env.flag("ELENCHUS_OIDC_SIGNUP")
OPEN_SIGNUP = env.flag("ELENCHUS_OPEN_SIGNUP")
PROJECTS_BY = env.choice("ELENCHUS_PROJECTS_BY", ["staff", "leads", "anyone"])

INSTALLED_APPS = [
    "frontend",
    "operations",
    "boards",
    "scoring",
    "exports",
    "assist",
    "agreement",
    "annotation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "allauth",
    "allauth.account",
    *(["allauth.mfa"] if TWO_FACTOR else []),
    *(["allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"] if OIDC_SERVER else []),
]

MIDDLEWARE = [
    "config.requests.watch",  # outermost: every answer is logged and counted, whoever gave it
    "config.sqlite3.middleware.one_after_another",
    "django.middleware.security.SecurityMiddleware",
    "config.security.content_security_policy",
    "frontend.middleware.keep_a_thread_free",
    "whitenoise.middleware.WhiteNoiseMiddleware",  # static files end here, with caching of their own
    "config.security.no_store",
    "frontend.middleware.refuse_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "frontend.middleware.RefusalPages",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "config" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
            ]
        },
    }
]
FORM_RENDERER = "frontend.forms.fields.WholeTexts"

# Atomic only where something is written: with ATOMIC_REQUESTS every page view would take SQLite's write lock.
DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR / "elenchus.sqlite3")}

# Celery itself reads the environment's CELERY_BROKER_URL before this one; both are the same text.
REDIS_URL = env.redis("CELERY_BROKER_URL")
CELERY_BROKER_URL = REDIS_URL or "atomicfs://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = {} if REDIS_URL else {"folder": str(DATA_DIR / "broker")}

CELERY_TASK_IGNORE_RESULT = True  # the state of long work is a row of its own
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1  # a killed worker loses what it fetched: no more than it runs
CELERY_TASK_TIME_LIMIT = 3600  # the embedded worker's threads know no limit: there the job row's lease is one
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.2}  # a dead broker holds no page
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")

# Rows are the truth about jobs; these sweeps send again what a dead worker or broker left. They pass by all
# that waits: in Redis a lower number goes first.
CELERY_TASK_DEFAULT_PRIORITY = 5
_SWEEP = {"schedule": 30.0, "options": {"priority": 0}}
CELERY_BEAT_SCHEDULE = {
    "agreement-sweep": {"task": "agreement.sweep_reports", **_SWEEP},
    "agreement-live": {"task": "agreement.refresh_live_reports", "schedule": 300.0},
    "exports-sweep": {"task": "exports.sweep_releases", **_SWEEP},
    "boards-sweep": {"task": "boards.sweep_boards", **_SWEEP},
    "scoring-sweep": {"task": "scoring.sweep_evaluations", **_SWEEP},
    "annotation-sweep-imports": {"task": "annotation.sweep_imports", **_SWEEP},
    "assist-sweep": {"task": "assist.sweep_runs", **_SWEEP},
    "annotation-delete-projects": {"task": "annotation.delete_projects", "schedule": 3600.0},
    "exports-sweep-refinements": {"task": "exports.sweep_refinements", **_SWEEP},
    "operations-prune": {"task": "operations.prune", "schedule": 86_400.0},
}

# One cache for all processes: allauth counts failed log-ins in it.
CACHES = {
    "default": (
        {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "elenchus",
        }
        if REDIS_URL
        else {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": str(DATA_DIR / "cache"),
            "OPTIONS": {"MAX_ENTRIES": 10_000},  # beyond it any third goes, counted log-ins too
        }
    )
}

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
MEDIA_ROOT = DATA_DIR / "files"
STATIC_URL = f"{SITE_PATH}/static/"

AUTHENTICATION_BACKENDS = [
    "config.accounts.AccountBackend",
    "django.contrib.auth.backends.ModelBackend",  # sessions of before the one above name it
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
SECURE_REFERRER_POLICY = "same-origin"
CSRF_FAILURE_VIEW = "frontend.middleware.form_refused"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "config.accounts.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "config.login.LoginForm",
    "signup": "config.login.SignupForm",
    "add_email": "config.login.AddEmailForm",
}
SOCIALACCOUNT_ADAPTER = "config.oidc_login.SocialAccountAdapter"
# A form may lead to no other site (form-action of the policy): the way to that server is a link.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_FORMS = {"signup": "config.oidc_login.SignupForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
# A whole course logs in from one address within a minute. What one person may get wrong is counted by account
# and address together ("key": config.accounts); what comes to a page of its own ends within a minute.
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "login_failed": "300/10m/ip,5/5m/key",
    "signup": "100/m/ip",
    "reset_password": "100/m/ip,5/m/key",
    "reset_password_from_key": "100/m/ip",
}
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("ELENCHUS_PROXIES")
SOCIALACCOUNT_PROVIDERS = (
    {
        "openid_connect": {
            "APPS": [
                {
                    "provider_id": "oidc",
                    "name": OIDC_NAME,
                    "client_id": env.required("ELENCHUS_OIDC_CLIENT"),
                    "secret": env.required("ELENCHUS_OIDC_SECRET"),
                    "settings": {"server_url": OIDC_SERVER, "oauth_pkce_enabled": True},
                }
            ]
        }
    }
    if OIDC_SERVER
    else {}
)

MAIL = env.mail("ELENCHUS_EMAIL_URL")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL.host else 'console'}.EmailBackend"
EMAIL_HOST, EMAIL_PORT = MAIL.host, MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL.user, MAIL.password
EMAIL_USE_TLS = MAIL.tls
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.sender("ELENCHUS_EMAIL_FROM")

ENCODER = env.text("ELENCHUS_ENCODER")
BLEURT = env.text("ELENCHUS_BLEURT")
COMET = env.text("ELENCHUS_COMET")
SENTENCE_ENCODER = env.text("ELENCHUS_SENTENCE_ENCODER")
SENTENCE_VECTORS = DATA_DIR / "sentence-vectors.sqlite3"

# Who runs the installation says where texts may be sent; a lead picks among these, so that nobody can make
# the server call an address of their own. Django's error pages hide a setting with API_KEY in its name.
LLM_ENDPOINTS = env.endpoints("ELENCHUS_LLM_ENDPOINTS")
LLM_API_KEYS = env.endpoint_keys("ELENCHUS_LLM_API_KEY", LLM_ENDPOINTS)

LANGUAGES = [("en", "English"), ("es", "Español"), ("ja", "日本語")]
LANGUAGE_CODE = env.choice("ELENCHUS_LANGUAGE", [code for code, _ in LANGUAGES])
LOCALE_PATHS = [BASE_DIR / "frontend" / "locale"]
TIME_ZONE = env.time_zone("ELENCHUS_TIME_ZONE")

# A codebook of forty types is edited in one form, with every language it has.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api_parsing.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.exception_handler",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 100,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Elenchus",
    "DESCRIPTION": "Annotation rounds, agreement and releases of benchmark datasets.",
    "VERSION": "1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVERS": [{"url": SITE_PATH}] if SITE_PATH else [],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "core.api_schema.describe_refusals",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    # Two kinds of job say "queued" and the like in words of their own.
    "ENUM_NAME_OVERRIDES": {
        "AskedStateEnum": ["none", "queued", "running", "done", "failed", "cancelled"],
        "BoardStateEnum": "boards.models.Board.State",
        "EvaluationStateEnum": "scoring.models.Evaluation.State",
        "ReleaseStateEnum": "exports.models.Release.State",
    },
}

# To standard error, and never with a request's body: it holds judgements nobody may see in an open round.
LOG_FORMAT = env.choice("ELENCHUS_LOG_FORMAT", ["", "json", "line"])
LOG_LEVEL = env.choice("ELENCHUS_LOG_LEVEL", ["DEBUG", "INFO", "WARNING", "ERROR"])
LOGGING = logging_settings(LOG_FORMAT or "line", LOG_LEVEL)
