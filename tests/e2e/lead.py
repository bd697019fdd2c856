"""What the lead's browser tests share: pictures kept with the test run, and how wide a page is."""

from pathlib import Path

from tests.conftest import ROOT

PICTURES = ROOT / "test-artefacts" / "lead"


def picture(page, name: str) -> None:
    """Keep what the page looks like now."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=Path(PICTURES / f"{name}.png"), full_page=True)


def widths_over(page) -> int:
    """Return by how many pixels the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
