"""An OpenID Connect server for tests, with people of its own.

Run as `python -m tests.oidc_provider FOLDER PORT ADDRESS_OF_THE_CLIENT`: django-oauth-toolkit in a Django of
its own. `/forget/NAME` makes it know somebody no longer.
"""

import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

CLIENT, SECRET = "elenchus", "the-secret-of-the-client"
PEOPLE = {
    "nora": "nora@uni.example.org",
    "ADA": "somebody-else@uni.example.org",
    "bert": "ann@example.org",
    "iris": "iris@uni.example.org",
}
PASSWORD = "at-the-university"


def configure(folder: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    settings.configure(
        SECRET_KEY="only-for-tests-" * 4,
        DEBUG=False,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        SESSION_COOKIE_NAME="provider_session",  # cookies know no port
        CSRF_COOKIE_NAME="provider_csrf",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        DATABASES={
            "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "provider.sqlite3")}
        },
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        LOGIN_URL="/login/",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": pem.decode(),
            "SCOPES": {"openid": "", "profile": "", "email": ""},
            "PKCE_REQUIRED": True,
            "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Claims",
        },
    )
    django.setup()


class QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class ThreadedServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main(folder: Path, port: int, client: str) -> None:
    global Claims, urlpatterns
    sys.modules["tests.oidc_provider"] = sys.modules[__name__]
    configure(folder)
    from django.contrib.auth import authenticate, login
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse, HttpResponseRedirect
    from django.urls import include, path
    from oauth2_provider.models import Application
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class Claims(OAuth2Validator):  # type: ignore[no-redef]
        oidc_claim_scope = None

        def get_additional_claims(self, request):
            person = request.user
            return {"preferred_username": person.username, "email": person.email, "name": person.username}

    def log_in(request):
        """Ask for name and password, as a university's page does."""
        person = authenticate(
            request, username=request.POST.get("name"), password=request.POST.get("password")
        )
        if person is not None:
            login(request, person)
            return HttpResponseRedirect(request.POST["next"])
        told = "The university does not know you." if request.method == "POST" else ""
        from django.utils.html import escape

        return HttpResponse(
            f'<title>University</title><form method="post"><p>{told}</p>'
            '<input name="name"><input name="password">'
            f'<input type="hidden" name="next" value="{escape(request.GET.get("next", ""))}">'
            "<button>University log-in</button></form>"
        )

    def forget(request, name):
        User.objects.filter(username=name).update(is_active=False)
        return HttpResponse("forgotten")

    urlpatterns = [
        path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
        path("login/", log_in),
        path("forget/<str:name>", forget),
    ]
    call_command("migrate", verbosity=0)
    for name, email in PEOPLE.items():
        User.objects.create_user(name, email, PASSWORD)
    Application.objects.create(
        client_id=CLIENT,
        client_secret=SECRET,
        client_type="confidential",
        authorization_grant_type="authorization-code",
        redirect_uris=f"{client}/accounts/oidc/oidc/login/callback/",
        skip_authorization=True,
        algorithm="RS256",
    )
    server = make_server(
        "127.0.0.1", port, get_wsgi_application(), server_class=ThreadedServer, handler_class=QuietHandler
    )
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
