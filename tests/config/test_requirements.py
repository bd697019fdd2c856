"""The pinned requirements: what runs the product is what was tested."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def pins(name: str) -> set[str]:
    return set((ROOT / name).read_text(encoding="utf-8").splitlines())


def test_every_package_of_the_product_is_tested_in_the_same_version():
    assert pins("requirements.txt") - pins("requirements-dev.txt") == set()


def test_the_semantic_extra_is_tested_in_the_same_versions():
    # On which systems a package is needed may differ: what else needs it decides that.
    semantic, tested = (
        {line.partition(" ;")[0] for line in pins(f"requirements-{name}.txt")} for name in ("semantic", "dev")
    )
    assert semantic - tested == set()


def test_every_requirement_is_pinned_and_names_no_address():
    for line in pins("requirements-dev.txt"):
        name_and_version = line.partition(" ;")[0]
        assert name_and_version.count("==") == 1, line
        assert "/" not in line, line
