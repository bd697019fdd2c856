"""Who saves at once saves in turn: the queue before SQLite's one writer."""

import fcntl
import os
import subprocess
import sys
import threading
import time

import pytest
from django.db import OperationalError, connection, connections, transaction

from annotation.models import Project
from config.sqlite3.base import Queue, queue_of
from tests.config.test_one_after_another import waiting


@pytest.fixture
def queue(tmp_path):
    return Queue(str(tmp_path / "queue"), os.getuid())


def test_turns_come_in_the_order_in_which_they_were_asked_for(queue):
    assert queue.enter(1)
    order = []

    def wait(number):
        assert queue.enter(30)
        order.append(number)
        queue.leave()

    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=wait, args=[number]))
        threads[-1].start()
        waiting(queue.here, number + 1)
    assert order == []
    queue.leave()
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    assert queue.enter(0)


def test_who_waited_too_long_leaves_the_queue_to_the_others(queue):
    assert queue.enter(1)
    assert not queue.enter(0.01)
    assert not queue.here.waiting
    queue.leave()
    assert queue.enter(0)


def test_another_process_is_waited_for(tmp_path, queue):
    hold = "import fcntl, sys; fcntl.flock(f := open(sys.argv[1]), 2); print('held', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path / "queue")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "held\n"
        assert not queue.enter(0.02)
        other.stdin.write("\n")
        other.stdin.flush()
        assert queue.enter(30)
    queue.leave()


def held(path):
    """Return once another one holds the lock on this file."""
    deadline = time.monotonic() + 30
    with path.open() as file:
        while time.monotonic() < deadline:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.flock(file, fcntl.LOCK_UN)
    raise AssertionError(f"nobody holds {path.name}")


def test_after_one_process_comes_the_other_that_waits_and_not_the_next_of_the_same(tmp_path, queue):
    other = Queue(str(tmp_path / "queue"), os.getuid())  # the locks are of whoever opened the files
    assert queue.enter(1)
    order = []

    def wait(whose, name):
        assert whose.enter(30)
        order.append(name)
        whose.leave()

    here = [threading.Thread(target=wait, args=[queue, "here"]) for _ in range(3)]
    there = threading.Thread(target=wait, args=[other, "there"])
    for thread in here:
        thread.start()
    waiting(queue.here, 3)
    there.start()
    held(tmp_path / "queue-next")
    queue.leave()
    for thread in (*here, there):
        thread.join()
    assert order == ["there", "here", "here", "here"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_queue_that_root_makes_belongs_to_the_owner_of_the_database(tmp_path):
    database = tmp_path / "db.sqlite3"
    database.touch()
    os.chown(database, 12345, -1)
    queue = queue_of(str(database))
    for name in ("queue", "queue-next"):
        assert os.stat(f"{database}-{name}").st_uid == 12345
    assert queue.enter(0)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the queue is SQLite's")
class TestTransactions:
    def name(self):
        return str(connection.settings_dict["NAME"])

    @pytest.mark.django_db(transaction=True)
    def test_a_transaction_holds_its_turn_until_it_ends_however_it_ends(self):
        queue = queue_of(self.name())
        assert not queue.here.taken
        with transaction.atomic():
            assert queue.here.taken
            with transaction.atomic():
                Project.objects.count()
            assert queue.here.taken
        assert not queue.here.taken
        with pytest.raises(ValueError), transaction.atomic():
            raise ValueError
        assert not queue.here.taken
        with pytest.raises(OperationalError), transaction.atomic():
            connection.cursor().execute("no statement")
        assert not queue.here.taken
        with transaction.atomic():
            connection.close()
            transaction.set_rollback(True)
        assert not queue.here.taken

    @pytest.mark.django_db(transaction=True)
    def test_who_gets_no_turn_is_told_as_by_sqlite_itself(self, monkeypatch):
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.01)
        queue = queue_of(self.name())
        assert queue.enter(1)
        try:
            with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
                pass
        finally:
            queue.leave()
        with transaction.atomic():
            assert queue.here.taken

    @pytest.mark.django_db(transaction=True)
    def test_without_a_file_for_the_queue_sqlite_orders_the_writers_itself(self, monkeypatch):
        def refused(name):
            raise PermissionError(13, "Permission denied", f"{name}-queue")

        monkeypatch.setattr("config.sqlite3.base.queue_of", refused)
        with transaction.atomic():
            assert Project.objects.count() == 0
        assert not queue_of(self.name()).here.taken

    @pytest.mark.django_db(transaction=True)
    def test_a_database_that_another_program_locks_leaves_no_turn_taken(self):
        other = connections.create_connection("default")
        try:
            other.ensure_connection()
            connection.ensure_connection()
            other.connection.execute("BEGIN IMMEDIATE")
            connection.connection.execute("PRAGMA busy_timeout = 0")
            with pytest.raises(OperationalError), transaction.atomic():
                pass
            assert not queue_of(self.name()).here.taken
            other.connection.execute("ROLLBACK")
        finally:
            other.close()
            connection.close()
