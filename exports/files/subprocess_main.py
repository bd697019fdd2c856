"""The process that `exports.files.subprocess_writer` starts: it writes the items it is sent, to the last."""

from __future__ import annotations

import pickle
import signal
import sys
from contextlib import suppress
from typing import IO, Any

import django


def main() -> None:
    """Read pickled messages from standard input and answer once, on standard output."""
    # Ctrl-C reaches this process too, but when it ends is for the one that builds to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    messages, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    django.setup()
    answer = written(messages)
    with suppress(BrokenPipeError):
        pickle.dump(answer, answers)
        answers.flush()


def written(messages: IO[bytes]) -> tuple[str, Any, dict[str, str]]:
    """Write a release's items; return what went wrong in words, what the files hold, and their SHA-256."""
    from core.failure import failure_words
    from core.gc import gc_relaxed
    from exports.files.checksums import Sums
    from exports.files.item_files import ItemFiles

    try:
        plan, directory = pickle.load(messages)
        with gc_relaxed(), Sums(directory) as sums, ItemFiles(plan, sums) as files:
            while (batch := pickle.load(messages)) is not None:
                files.add(batch)
            tallies = files.finish()
            return "", tallies, sums.written()
    except EOFError:
        sys.exit("The process that builds the release is gone.")
    except Exception as error:
        return failure_words(error), None, {}


if __name__ == "__main__":
    main()
