"""The broker of files under several writers and readers at once."""

import subprocess
import sys
from pathlib import Path
from queue import Empty

import pytest
from kombu import Exchange, Queue

from tests.faults.broker_processes import connect

ROOT = Path(__file__).resolve().parents[2]
PRODUCERS, CONSUMERS, MESSAGES = 3, 3, 150


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.broker_processes", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_no_message_is_lost_or_taken_twice_by_many_writers_and_readers(tmp_path):
    folder = str(tmp_path / "broker")
    consumers = [start("consume", folder) for _ in range(CONSUMERS)]
    producers = [start("produce", folder, f"p{number}", str(MESSAGES)) for number in range(PRODUCERS)]
    try:
        for producer in producers:
            _, errors = producer.communicate(timeout=60)
            assert producer.returncode == 0, errors
        with connect(folder) as connection, connection.SimpleQueue("work") as queue:
            for _ in consumers:
                queue.put({"name": "stop"})
        taken = []
        for consumer in consumers:
            output, errors = consumer.communicate(timeout=60)
            assert consumer.returncode == 0, errors
            taken += output.split()
    finally:
        for process in [*producers, *consumers]:
            process.kill()
            process.wait()
    expected = [f"p{producer}-{number}" for producer in range(PRODUCERS) for number in range(MESSAGES)]
    assert sorted(taken) == sorted(expected)
    assert [file.name for file in (tmp_path / "broker" / "messages").iterdir()] == []
    assert [file.name for file in (tmp_path / "broker" / "claimed").iterdir()] == []


def test_one_writers_messages_come_in_the_order_they_were_sent(tmp_path):
    with connect(str(tmp_path)) as connection, connection.SimpleQueue("work", no_ack=True) as queue:
        for number in range(20):
            queue.put(number)
        assert [queue.get(timeout=1).payload for _ in range(20)] == list(range(20))


def test_a_draft_that_a_killed_writer_left_is_never_read(tmp_path):
    with connect(str(tmp_path)) as connection, connection.SimpleQueue("work", no_ack=True) as queue:
        queue.put("whole")
        (tmp_path / "messages" / "0_killed.draft").write_text('{"half')
        assert queue.get(timeout=1).payload == "whole"
        with pytest.raises(Empty):
            queue.get_nowait()


def test_a_broadcast_reaches_every_bound_queue_and_none_after_it_is_unbound(tmp_path):
    news = Exchange("news", type="fanout")
    with connect(str(tmp_path)) as connection:
        channel = connection.channel()
        first, second = (Queue(name, exchange=news, channel=channel) for name in ("first", "second"))
        first.declare()
        second.declare()
        second.delete()
        connection.Producer().publish("hello", exchange=news)
        assert first.get(no_ack=True).payload == "hello"
        assert second.get(no_ack=True) is None
