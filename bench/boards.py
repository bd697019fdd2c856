"""What a team gains on a board that climbs by the scores alone, and what the board's page says it could.

    .venv/bin/python -m bench.boards [--teams 200] [--items 34] [--seed 1]

Each team has two wordings of every question; which of the two people would call useful is chance, so there is
nothing to learn but the labels. It hands in as often as it may: first files at random, each item weighed by
the scores that came back; or, from its best, files with a third of the wordings changed. What it ends with is
scored against the hidden labels, and against fresh ones. The difference is what it learned of the labels, and
the page's bound holds for its mean over teams.
"""

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boards.figures.bits import learnable, most_ahead
from boards.figures.feedback import beats, to_step

QUESTIONS = 3
BITS_A_LABEL = 1.555
LABELS = 806

Wordings = NDArray[np.int64]
Told = Callable[[Wordings], float | None]


class HiddenBoard:
    """Labels of one team's wordings, and what the board tells of a file under one feedback."""

    def __init__(self, items: int, feedback: str, rng: np.random.Generator) -> None:
        self.labels = rng.integers(0, 2, (items * QUESTIONS, 2))
        self.fresh = rng.integers(0, 2, (items * QUESTIONS, 2))
        self.items, self.feedback = items, feedback
        self.best: Wordings | None = None

    def score(self, labels: Wordings, file: Wordings) -> float:
        return float(self._by_item(labels, file).mean())

    def told(self, file: Wordings) -> float | None:
        """Return what the team reads of a file."""
        value = self.score(self.labels, file)
        if self.feedback == "after_close":
            return None
        if self.feedback == "rounded":
            return to_step(value, self.items)
        if self.feedback == "better":
            if self.best is not None:
                own, best = (self._by_item(self.labels, one) for one in (file, self.best))
                differences = own - best
                error = float(differences.std(ddof=1) / np.sqrt(self.items))
                if not beats(float(differences.mean()), error):
                    return None
            self.best = file
        return value

    def _by_item(self, labels: Wordings, file: Wordings) -> NDArray[np.float64]:
        useful = labels[np.arange(len(file)), file]
        return useful.reshape(self.items, QUESTIONS).mean(axis=1)


def weigh(told: Told, size: int, entries: int, rng: np.random.Generator) -> Wordings:
    """Hand in random files and keep of each question the wording whose files scored higher."""
    files = rng.integers(0, 2, (entries, size))
    found = [(file, score) for file in files if (score := told(file)) is not None]
    if not found:
        return files[0]
    scores = np.array([score for _, score in found])
    votes = sum((score - scores.mean()) * (2 * file - 1) for file, score in found)
    return (np.asarray(votes) > 0).astype(np.int64)


def climb(told: Told, size: int, entries: int, rng: np.random.Generator) -> Wordings:
    """Change a third of the best file and keep it where the board says that it is better."""
    best = rng.integers(0, 2, size)
    known = told(best)
    for _ in range(entries - 1):
        file = np.where(rng.random(size) < 1 / 3, 1 - best, best)
        score = told(file)
        if score is not None and (known is None or score > known):
            best, known = file, score
    return best


def main() -> None:
    """Print the gain on hidden and on fresh labels for each feedback and number of entries."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--items", type=int, default=34)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    size = given.items * QUESTIONS
    print("feedback     entries  strategy  hidden  fresh   ahead  bits   page: ahead by at most")
    for feedback in ("full", "rounded", "better", "after_close"):
        for entries in (10, 100, 1000):
            bits = learnable(
                feedback,
                items=given.items,
                entries=entries,
                labels=LABELS,
                bits_a_label=BITS_A_LABEL,
            ).scores
            bound = most_ahead(bits, size)
            for strategy in (weigh, climb):
                rng = np.random.default_rng([given.seed, entries])
                gains = []
                for _ in range(given.teams):
                    board = HiddenBoard(given.items, feedback, rng)
                    file = strategy(board.told, size, entries, rng)
                    gains.append([board.score(labels, file) - 0.5 for labels in (board.labels, board.fresh)])
                hidden, fresh = np.mean(gains, axis=0)
                # Three standard errors of a mean over so many teams.
                noise = 3 * float(np.std(np.subtract(*np.transpose(gains)))) / np.sqrt(given.teams)
                holds = "holds" if hidden - fresh <= bound + noise else "DOES NOT HOLD"
                print(
                    f"{feedback:<12} {entries:>7}  {strategy.__name__:<8}  {hidden:+.3f}  {fresh:+.3f}  "
                    f"{hidden - fresh:+.3f}  {bits:>6.0f}  {bound:.2f} {holds}"
                )


if __name__ == "__main__":
    main()
