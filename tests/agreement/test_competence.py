"""Competence of annotators and posteriors of units, by crowd-kit, against an EM written out here."""

import numpy as np
import pytest

from agreement.competence import crowd_models
from agreement.competence.crowd_models import annotator_competence

pytest.importorskip("crowdkit", reason="pip install -r requirements-competence.txt")


def crowd(seed=0, n=80, accuracy=(0.95, 0.9, 0.85, 0.75, 0.55), missing=0.1):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    right = rng.random((n, len(accuracy))) < np.array(accuracy)
    ratings = np.where(right, truth[:, None], 1 - truth[:, None])
    ratings[rng.random(ratings.shape) < missing] = -1
    return truth, ratings


def dawid_skene_by_hand(ratings, q, rounds=2000):
    """Return prior, confusion (raters, true, given) and posterior, beginning with the shares of votes."""
    units, raters = ratings.shape
    posterior = np.array([[(row == c).sum() for c in range(q)] for row in ratings], float)
    posterior /= posterior.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        prior = posterior.mean(axis=0)
        confusion = np.zeros((raters, q, q))
        for u in range(units):
            for r in range(raters):
                if ratings[u, r] >= 0:
                    confusion[r, :, ratings[u, r]] += posterior[u]
        confusion /= confusion.sum(axis=2, keepdims=True)
        log = np.tile(np.log(prior), (units, 1))
        for u in range(units):
            for r in range(raters):
                if ratings[u, r] >= 0:
                    log[u] += np.log(np.maximum(confusion[r, :, ratings[u, r]], 1e-10))
        new = np.exp(log - log.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        if np.abs(new - posterior).max() < 1e-4:
            break
        posterior = new
    return prior, confusion, posterior


def mace_by_hand(ratings, q, rounds=50):
    """Return competence and posterior by variational Bayes, as the paper has it; begins from equal shares."""
    from scipy.special import digamma

    units, raters = ratings.shape
    knows, habit = np.full(raters, 0.5), np.full((raters, q), 1 / q)
    spam = 1 - knows
    for _ in range(rounds + 1):
        like = np.ones((units, q)) / q
        for u in range(units):
            for r in range(raters):
                if (a := ratings[u, r]) >= 0:
                    like[u] *= spam[r] * habit[r, a] + knows[r] * (np.arange(q) == a)
        posterior = like / like.sum(axis=1, keepdims=True)
        knowing, spamming, strategy = np.zeros(raters), np.zeros(raters), np.zeros((raters, q))
        for u in range(units):
            for r in range(raters):
                if (a := ratings[u, r]) >= 0:
                    k = posterior[u, a] * knows[r] / (spam[r] * habit[r, a] + knows[r])
                    knowing[r] += k
                    spamming[r] += 1 - k
                    strategy[r, a] += 1 - k
        total = digamma(knowing + spamming + 1.0)
        knows, spam = np.exp(digamma(knowing + 0.5) - total), np.exp(digamma(spamming + 0.5) - total)
        habit = np.exp(digamma(strategy + 10) - digamma(strategy.sum(axis=1) + 10 * q)[:, None])
    return knows / (knows + spam), posterior


def test_dawid_skene_is_the_em_written_out():
    _, ratings = crowd()
    found = annotator_competence(ratings, q=2, seed=1).fits["dawid_skene"]
    prior, confusion, posterior = dawid_skene_by_hand(ratings, 2)
    assert found.posterior == pytest.approx(posterior, abs=0.03)
    expected = [sum(prior[c] * confusion[r, c, c] for c in range(2)) for r in range(5)]
    assert found.competence == pytest.approx(expected, abs=0.02)


def test_mace_finds_what_the_definition_written_out_finds():
    _, ratings = crowd()
    found = annotator_competence(ratings, q=2, seed=1).fits["mace"]
    knows, posterior = mace_by_hand(ratings, 2)
    assert found.posterior.argmax(axis=1).tolist() == posterior.argmax(axis=1).tolist()
    assert found.competence == pytest.approx(knows, abs=0.05)


@pytest.mark.parametrize("method", crowd_models.METHODS)
def test_who_is_right_more_often_is_more_competent_and_the_posterior_finds_the_truth(method):
    truth, ratings = crowd(n=300)
    fit = annotator_competence(ratings, q=2, seed=1).fits[method]
    assert np.argmin(fit.competence) == 4
    assert fit.competence[0] > fit.competence[3] > fit.competence[4]
    assert fit.posterior.sum(axis=1) == pytest.approx(np.ones(300))
    assert (fit.posterior.argmax(axis=1) == truth).mean() > 0.93


@pytest.mark.parametrize("method", crowd_models.METHODS)
def test_the_order_of_raters_and_of_labels_says_nothing(method):
    _, ratings = crowd()
    fit = annotator_competence(ratings, q=2, seed=1).fits[method]
    turned = np.where(ratings < 0, -1, 1 - ratings)[:, ::-1]
    other = annotator_competence(turned, q=2, seed=1).fits[method]
    assert other.competence[::-1] == pytest.approx(fit.competence, abs=0.03)
    assert other.posterior[:, ::-1] == pytest.approx(fit.posterior, abs=0.05)


def test_the_same_table_and_seed_give_the_same_figures_and_gaps_stay_gaps():
    _, ratings = crowd()
    ratings = np.hstack([np.full((80, 1), -1), ratings])
    ratings[7] = -1
    once, again = (annotator_competence(ratings, q=3, seed=4) for _ in range(2))
    for method in crowd_models.METHODS:
        one, other = once.fits[method], again.fits[method]
        np.testing.assert_array_equal(one.competence, other.competence)
        np.testing.assert_array_equal(one.posterior, other.posterior)
        assert np.isnan(one.competence[0])
        assert np.isnan(one.posterior[7]).all()
        assert (one.posterior[:7, 2] == 0).all()


def test_what_is_not_computed_says_why(monkeypatch):
    _, ratings = crowd()
    assert annotator_competence(ratings[:, :4], q=2, seed=1).reason == "fewer_than_five_annotators"
    assert annotator_competence(np.ones((9, 5), int), q=2, seed=1).reason == "no_variation"
    monkeypatch.setattr(crowd_models, "library_version", lambda: "")
    found = annotator_competence(ratings, q=2, seed=1)
    assert (found.reason, found.fits) == ("crowd_kit_not_installed", {})
    assert "requirements-competence.txt" in crowd_models.REASONS[found.reason]
