"""The sample data of the demo, and the log-ins that come with it."""

LOGINS = (
    ("lead", "lea", "elenchus"),
    ("annotator A1", "ada", "elenchus"),
    ("annotator A2", "ben", "elenchus"),
    ("annotator A3", "chloe", "elenchus"),
)
"""Who, user name, password. Known to everybody: only for a machine that nobody else reaches."""
