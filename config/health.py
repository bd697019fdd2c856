"""What a load balancer, a supervisor and Prometheus ask, and how much each may know."""

from ipaddress import ip_address
from secrets import compare_digest

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.requests import client_address
from operations.metrics import metrics_text
from operations.readiness import not_ready

PLAIN = "text/plain; charset=utf-8"


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer `ok` when the database answers, 503 otherwise."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return HttpResponse("database unavailable\n", status=503, content_type=PLAIN)
    return HttpResponse("ok\n", content_type=PLAIN)


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Answer `ok` while this process answers at all, whatever else is down."""
    return HttpResponse("ok\n", content_type=PLAIN)


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """Answer `ok` where all that serving needs is there, else 503: with the reasons for operators alone."""
    problems = not_ready()
    if not problems:
        return HttpResponse("ok\n", content_type=PLAIN)
    told = "\n".join(problems) if is_operator(request) else "unavailable"
    response = HttpResponse(f"{told}\n", status=503, content_type=PLAIN)
    response.headers["Retry-After"] = "30"
    return response


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer Prometheus, and nobody else."""
    if not is_operator(request):
        return HttpResponse("not allowed\n", status=403, content_type=PLAIN)
    try:
        return HttpResponse(metrics_text(), content_type="text/plain; version=0.0.4; charset=utf-8")
    except Error:
        return HttpResponse("database unavailable\n", status=503, content_type=PLAIN)


def is_operator(request: HttpRequest) -> bool:
    """Whether whoever asks comes from an allowed network, has the token, or is staff."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    expected = settings.OPERATORS_TOKEN
    if expected and scheme.lower() == "bearer" and compare_digest(token.encode(), expected.encode()):
        return True
    try:
        address = ip_address(client_address(request))
    except ValueError:
        address = None
    if address is not None and any(address in network for network in settings.OPERATORS):
        return True
    try:
        return request.user.is_authenticated and request.user.is_staff
    except Error:
        return False  # the database is what is down
