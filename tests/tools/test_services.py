"""What the suite finds on a machine, and what it installs there."""

import pytest

from tools import services
from tools.services import Missing, chromium_path


@pytest.fixture
def machine(monkeypatch):
    """Return the sets of programs that start here and of packages that can be installed."""
    here: set[str] = set()
    on_offer: set[str] = set()

    def apt_install(*packages: str) -> bool:
        here.update(on_offer.intersection(packages))
        return on_offer.issuperset(packages)

    monkeypatch.setattr(services, "apt_install", apt_install)
    monkeypatch.setattr(services, "_starting", lambda *names: next((n for n in names if n in here), None))
    return here, on_offer


def test_the_chromium_without_windows_is_preferred_and_is_what_is_installed(machine):
    here, on_offer = machine
    on_offer.update({"chromium", "chromium-headless-shell"})
    assert chromium_path() == "chromium-headless-shell"
    assert here == {"chromium-headless-shell"}
    here.add("chromium")
    assert chromium_path() == "chromium-headless-shell"


def test_nothing_is_installed_where_any_other_is_there(machine):
    here, on_offer = machine
    here.add("google-chrome")
    on_offer.add("chromium-headless-shell")
    assert chromium_path() == "google-chrome"
    assert here == {"google-chrome"}


def test_where_it_cannot_be_had_the_other_is_installed(machine):
    _, on_offer = machine
    on_offer.add("chromium")
    assert chromium_path() == "chromium"


def test_without_any_it_says_how_to_get_one(machine):
    with pytest.raises(Missing, match="sudo apt-get install chromium-headless-shell"):
        chromium_path()
