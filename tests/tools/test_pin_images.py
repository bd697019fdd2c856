"""Images are written into .env with the digests of what Docker pulled, or nothing is changed."""

import os
from pathlib import Path

import pytest

from tools.pin_images import images, main

POSTGRES, CADDY = "a" * 64, "b" * 64
DOCKER = f"""#!/bin/sh
echo "$@" >> calls
case "$1 $2" in
  "pull "*) exit 0 ;;
  "image inspect")
    case "$5" in
      postgres:*) echo "docker.example/postgres@sha256:{POSTGRES}"; echo ;;
      caddy:2) echo "caddy@sha256:{CADDY}"; echo ;;
      *) echo ;;
    esac ;;
esac
"""
COMPOSE = """
services:
  postgres:
    image: ${POSTGRES_IMAGE:-postgres:16}
  caddy:
    image: ${CADDY_IMAGE:-caddy:2}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a compose file, and a docker that knows two images in it."""
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    (tmp_path / "docker-compose.yml").write_text(COMPOSE)
    monkeypatch.setenv("PATH", f"{docker.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_image_is_written_where_its_line_stands(folder, capsys):
    old = "c" * 64
    before = f"#CADDY_IMAGE=caddy:2\nPOSTGRES_IMAGE=postgres:17@sha256:{old}\n"
    (folder / ".env").write_text(f"PORT=80\n# Image.\n{before}")
    assert main(folder) == 0
    pinned = f"CADDY_IMAGE=caddy:2@sha256:{CADDY}\nPOSTGRES_IMAGE=postgres:17@sha256:{POSTGRES}\n"
    assert (folder / ".env").read_text() == f"PORT=80\n# Image.\n{pinned}"
    assert sorted(capsys.readouterr().out.split()) == sorted(pinned.split())
    assert "pull --quiet postgres:17\n" in (folder / "calls").read_text()


def test_without_a_file_it_is_made(folder):
    assert main(folder) == 0
    assert (folder / ".env").read_text().splitlines() == [
        f"POSTGRES_IMAGE=postgres:16@sha256:{POSTGRES}",
        f"CADDY_IMAGE=caddy:2@sha256:{CADDY}",
    ]


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda docker: docker.unlink(), "There is no docker here: run this where the containers run."),
        (lambda docker: docker.write_text("#!/bin/sh\necho no network >&2; exit 1\n"), "failed: no network"),
        (lambda docker: docker.write_text("#!/bin/sh\n"), "postgres:16 has no digest"),
    ],
)
def test_what_cannot_be_pinned_changes_nothing(folder, monkeypatch, capsys, break_it, message):
    break_it(folder / "bin" / "docker")
    if not (folder / "bin" / "docker").exists():
        monkeypatch.setenv("PATH", str(folder / "bin"))
    (folder / ".env").write_text("PORT=80\n")
    assert main(folder) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.endswith("Nothing was changed.\n")
    assert (folder / ".env").read_text() == "PORT=80\n"


def test_every_image_of_ours_can_be_pinned():
    root = Path(__file__).resolve().parent.parent.parent
    named = (root / "docker-compose.yml").read_text()
    assert images(named) == {
        "PYTHON_IMAGE": "python:3.12-slim",
        "POSTGRES_IMAGE": "postgres:16",
        "REDIS_IMAGE": "redis:7",
        "CADDY_IMAGE": "caddy:2",
    }
    assert "ARG PYTHON_IMAGE=python:3.12-slim\nFROM ${PYTHON_IMAGE}\n" in (root / "Dockerfile").read_text()
