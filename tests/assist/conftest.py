"""Every test here may ask the one fake model of the tests of refining."""

from tests.exports.conftest import endpoint

__all__ = ["endpoint"]
