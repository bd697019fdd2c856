"""Eight teams hand in at once over HTTP: bench/boards_load.py does it with fifty, on both databases."""

import os
import signal

from tests.boards.many_teams import LOOK, SEED, Teams, find_wrong, most_overtaken, read_after
from tests.installation import script


def test_of_eight_teams_at_once_each_is_scored_once_and_in_turn(installation):
    seed = SEED.format(items=8, method="exact", replicates=50, teams=8)
    people = read_after("SEEDED", installation.run(*script(seed)))
    serving = installation.begin(
        "manage.py", "serve", "--port", str(installation.port), start_new_session=True
    )
    try:
        for line in serving.stdout:
            if line.startswith("Ctrl-C stops it."):
                break
        told = Teams(installation.port, people).hand_in(within=0)
    finally:
        os.killpg(serving.pid, signal.SIGTERM)
        serving.communicate()
    found = read_after("FOUND", installation.run(*script(LOOK)))
    assert find_wrong(told, found, workers=2) == []
    # Of four texts of three questions each file has as many useful ones as it was given, four at most.
    assert sorted(round(12 * one.value) for one in told) == [0, 0, 1, 2, 3, 4, 4, 4]


def test_how_often_an_entry_was_overtaken_is_counted():
    assert most_overtaken([1, 2, 3]) == 0
    assert most_overtaken([2, 3, 1, 4]) == 2
