"""What the lead's browser tests share: pictures kept with the test run, in every size."""

from pathlib import Path

from tests.conftest import ROOT
from tests.e2e.page_checks import colour_violations, load_axe, too_wide, violations

PICTURES = ROOT / "test-artefacts" / "lead"
SIZES = ((360, 740), (768, 1024), (1280, 800), (1920, 1080))


def picture(page, name: str) -> None:
    """Keep what the page looks like now."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=Path(PICTURES / f"{name}.png"), full_page=True)


def looked_at(page, name: str) -> None:
    """Keep pictures of a laptop in light and a phone in dark; nothing scrolls sideways or breaks a rule."""
    page.emulate_media(color_scheme="light")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert too_wide(page) == []
        if width == 1280:
            picture(page, f"{name}-light-{width}")
    load_axe(page)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert colour_violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    picture(page, f"{name}-dark-360")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
