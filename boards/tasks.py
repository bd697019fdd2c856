"""The Celery side of boards: send work when the transaction is over, and do it by id.

A broker that is down never makes a request fail: the row stays queued and the sweep sends it later.
"""

from __future__ import annotations

from typing import Any

from celery import shared_task

from boards.life import boards, entries, placings, versions
from boards.models import BoardVersion, Entry, Placing
from core.dispatch import send, send_after_commit


@shared_task(name="boards.place")
def place_entry(placing_id: int) -> None:
    """Score an entry for a version of its board."""
    if placings.placing_run(placing_id=placing_id):
        placings.standing_refresh(version_id=Placing.objects.get(pk=placing_id).version_id)


@shared_task(name="boards.prepare")
def prepare_version(version_id: int) -> None:
    """Compute the trivial rows of a version."""
    versions.version_run(version_id=version_id)


@shared_task(name="boards.compare")
def compare_with_the_best(version_id: int) -> None:
    """Compare the rows of a version with the best one."""
    placings.standing_refresh(version_id=version_id)


@shared_task(name="boards.sweep_boards")
def sweep_boards() -> None:
    """Close what is due, send what waits for too long or lost its worker, follow the arithmetic."""
    boards.boards_close_on_time()
    for made in versions.versions_of_older_engine():
        _send_version(made)
    for version_id in versions.version_sweep():
        send(prepare_version, version_id)
    for placing_id in placings.placing_sweep():
        send(place_entry, placing_id)
    for version_id in placings.standing_stale():
        send(compare_with_the_best, version_id)


def entry_start(**given: Any) -> Placing:
    """Do `entries.entry_hand_in` and send the entry to a worker."""
    placing = entries.entry_hand_in(**given)
    send_after_commit(place_entry, placing.pk)
    return placing


def version_start(**given: Any) -> BoardVersion:
    """Do `versions.version_create` and send it, and all entries, to workers."""
    made = versions.version_create(**given)
    _send_version(made)
    return made


def board_start(**given: Any) -> BoardVersion:
    """Do `versions.board_set_up` and send the first version to a worker."""
    made = versions.board_set_up(**given)
    _send_version(made)
    return made


def placing_start_again(placing: Placing) -> bool:
    """Do `placings.placing_again` and send the entry to a worker."""
    again = placings.placing_again(placing=placing)
    if again:
        send_after_commit(place_entry, placing.pk)
    return again


def standing_follow(entry: Entry) -> None:
    """Have rows compared anew after an entry was withdrawn, hidden or shown."""
    for version_id in entry.placings.values_list("version", flat=True):
        send_after_commit(compare_with_the_best, version_id)


def _send_version(made: BoardVersion) -> None:
    send_after_commit(prepare_version, made.pk)
    for placing_id in made.placings.order_by("pk").values_list("pk", flat=True):
        send_after_commit(place_entry, placing_id)
