"""The folders whose code the server runs, from the top of the house down: each may import those after it."""

APPS = (
    *("config", "frontend", "operations", "boards", "scoring", "exports", "assist"),
    *("agreement", "annotation", "core"),
)
