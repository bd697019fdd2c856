"""How the description of the API says that a list of objects is answered."""

from drf_spectacular.plumbing import build_array_type, build_basic_type
from drf_spectacular.types import OpenApiTypes

LISTED = build_array_type(build_basic_type(OpenApiTypes.OBJECT))  # type: ignore[arg-type]  # it is no None for an object
