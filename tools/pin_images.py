"""Fix the images that docker-compose.yml uses by their digests: python3 tools/pin_images.py

Pulls each image by its tag and writes what came, `name:tag@sha256:…`, into .env: the same bytes start on
every host, until this is run again. Needs Python and Docker, and nothing of ours installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.compile(r"\$\{([A-Z]+_IMAGE):-([^}]+)\}")


class NotPinned(Exception):
    """An image has no digest that could be written; nothing was changed."""


def images(compose: str) -> dict[str, str]:
    """Return the images of a compose file, by the setting that names each.

    >>> images("image: ${POSTGRES_IMAGE:-postgres:16}")
    {'POSTGRES_IMAGE': 'postgres:16'}
    """
    return dict(NAMED.findall(compose))


def pinned(image: str) -> str:
    """Pull an image by its tag; return it with the digest of what came. Raises NotPinned."""
    tag = image.partition("@")[0]
    _docker("pull", "--quiet", tag)
    found = _docker("image", "inspect", "--format", "{{range .RepoDigests}}{{println .}}{{end}}", tag)
    digests = re.findall(r"@(sha256:[0-9a-f]{64})$", found, re.MULTILINE)
    if not digests:
        raise NotPinned(f"{tag} has no digest: it was built here, or its registry gives none.")
    return f"{tag}@{digests[0]}"


def written(environment: str, chosen: dict[str, str]) -> str:
    """Return the text of .env with these settings, each where it stands already or at the end.

    >>> written("PORT=80\\n#POSTGRES_IMAGE=postgres:16\\n", {"POSTGRES_IMAGE": "postgres:16@sha256:1"})
    'PORT=80\\nPOSTGRES_IMAGE=postgres:16@sha256:1\\n'
    """
    lines = environment.splitlines()
    for name, value in chosen.items():
        places = [at for at, line in enumerate(lines) if re.match(rf"#?{name}=", line)]
        if places:
            lines[places[-1]] = f"{name}={value}"
        else:
            lines.append(f"{name}={value}")
    return "\n".join(lines) + "\n"


def main(root: Path = ROOT) -> int:
    file = root / ".env"
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    said = dict(re.findall(r"^([A-Z]+_IMAGE)=(\S+)$", before, re.MULTILINE))
    try:
        asked = images((root / "docker-compose.yml").read_text(encoding="utf-8"))
        chosen = {name: pinned(said.get(name, image)) for name, image in asked.items()}
    except NotPinned as problem:
        print(f"{problem} Nothing was changed.", file=sys.stderr)
        return 1
    file.write_text(written(before, chosen), encoding="utf-8")
    for name, image in chosen.items():
        print(f"{name}={image}")
    return 0


def _docker(*words: str) -> str:
    try:
        done = subprocess.run(["docker", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise NotPinned("There is no docker here: run this where the containers run.") from None
    if done.returncode:
        raise NotPinned(f"docker {' '.join(words)} failed: {done.stderr.strip()[:500]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
