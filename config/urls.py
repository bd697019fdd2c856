"""Where everything lives."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from config.health import healthz, live, metrics, ready
from config.login import admin_login, set_language

handler400 = "frontend.middleware.unreadable"
handler404 = "frontend.middleware.missing"
handler500 = "frontend.middleware.broken"
handler429 = "frontend.middleware.too_many"

# The log-in page is the one door: it counts wrong passwords and asks for the second factor.
admin.site.login = admin_login  # type: ignore[method-assign]
admin.site.password_change = RedirectView.as_view(pattern_name="account_change_password")  # type: ignore[method-assign,assignment]

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("healthz/live", live, name="healthz-live"),
    path("healthz/ready", ready, name="healthz-ready"),
    path("metrics", metrics, name="metrics"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("i18n/setlang/", set_language, name="set_language"),
    path("api/", include("annotation.api.urls")),
    path("api/", include("agreement.api.urls")),
    path("api/", include("assist.api.urls")),
    path("api/", include("exports.api.urls")),
    path("api/", include("scoring.api.urls")),
    path("api/", include("boards.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
    path("", include("frontend.urls")),
]
