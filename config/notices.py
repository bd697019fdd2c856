"""Where the notices for the next page are kept: in a cookie that no other site of the host gets."""

from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class SiteCookieStorage(CookieStorage):
    """Django sends this cookie to the whole host, whatever path the session's cookie has."""

    def _update_cookie(self, encoded_data: Any, response: Any) -> None:
        super()._update_cookie(encoded_data, response)  # type: ignore[misc]  # the stubs leave it out
        if self.cookie_name in response.cookies:
            response.cookies[self.cookie_name]["path"] = settings.SESSION_COOKIE_PATH


class SiteStorage(FallbackStorage):
    storage_classes = (SiteCookieStorage, SessionStorage)
