# SPDX-License-Identifier: MIT
"""tuner_learned.py - strategies that learn from what they measure, and from tables of other GPUs

Needs python3-numpy, and python3-sklearn for the trees and for the error function. The same seed
gives the same choices as far as these packages sum in the same order.
"""
import math

import numpy as np

from tuner_tables import FAILED

SAMPLES = 20 # random ones at first
KNOWN = 10   # or so many that are the best elsewhere
REFIT = 10   # measurements from one growth of the trees to the next
NOISE = 1e-4 # of the process, as a variance


# ---- what is known elsewhere ----

def losses(times):
    """log2 of how much slower than the best of these. What failed is as slow as the slowest; None,
    unknown, gets the middle one."""
    ran = [t for t in times if t is not None and t < FAILED]
    if not ran:
        return np.zeros(len(times))
    known = np.array([math.nan if t is None else t for t in times])
    found = np.log2(np.minimum(known, max(ran)) / min(ran))
    return np.where(np.isnan(found), np.nanmedian(found), found)


def best_elsewhere(search):
    """Configurations by their mean share of the best speed in the other tables."""
    share = np.zeros(len(search.table.configs))
    for times in search.others:
        best = min(t for t in times if t is not None)
        share += [0 if t is None else best / t for t in times]
    return [search.table.configs[i] for i in np.argsort(-share, kind="stable")]


def first(search):
    """What to begin with: random ones, or the best elsewhere."""
    configs = search.table.configs
    if search.others:
        return best_elsewhere(search)[:KNOWN]
    return search.rng.sample(configs, min(SAMPLES, len(configs)))


def with_elsewhere(search, features):
    """The same, and what was lost with each configuration in the other tables, from 0 to 1."""
    found = [losses(times) for times in search.others]
    return np.column_stack([features, *(lost / (lost.max() or 1) for lost in found)])


def elsewhere_order(search):
    """No learning: the order of the mean share elsewhere."""
    for config in best_elsewhere(search):
        search.measure(config)


# ---- a Gaussian process ----

def points(table, columns):
    """A line a configuration: of each parameter what its column has for the value."""
    lines = [[column[i] for i, column in zip(config, columns)] for config in table.configs]
    return np.array(lines, float).reshape(len(lines), len(columns))


def places(table):
    """All configurations as points: the indices of their values, from 0 to 1."""
    return points(table, [np.linspace(0, 1, len(values)) for values in table.values])


class Process:
    """Means and variances of all points; a Matern covariance (3/2) with a fixed length, as Kernel
    Tuner has it. What a result adds is computed once: a row of the Cholesky factor's solution."""

    def __init__(self, points, most, length=1.5):
        self.points, self.length, self.n = points, length, 0
        self.rows = np.empty((most, len(points)))
        self.variance = np.ones(len(points))
        self.sums = np.zeros((2, len(points))) # means before scaling: of the results, of ones
        self.solved = np.empty((2, most))

    def covariance(self, at):
        """Of all points with one."""
        away = np.sqrt(((self.points - self.points[at]) ** 2).sum(1)) * math.sqrt(3) / self.length
        return (1 + away) * np.exp(-away)

    def add(self, at, result):
        """A result at a point."""
        n = self.n
        before = self.rows[:n, at].copy()
        scale = math.sqrt(1 + NOISE - (before ** 2).sum())
        row = (self.covariance(at) - before @ self.rows[:n]) / scale
        self.rows[n] = row
        for i, value in enumerate((result, 1)):
            self.solved[i, n] = (value - before @ self.solved[i, :n]) / scale
            self.sums[i] += self.solved[i, n] * row
        self.variance -= row ** 2
        self.n += 1

    def improvement(self, results):
        """Expected improvement of each point upon the least result, in deviations of these."""
        from scipy.special import ndtr # pylint: disable=import-outside-toplevel
        middle, spread = np.mean(results), np.std(results) or 1
        mean = (self.sums[0] - middle * self.sums[1]) / spread
        deviation = np.sqrt(np.maximum(self.variance, 1e-10))
        ahead = (min(results) - middle) / spread - mean
        z = ahead / deviation
        return ahead * ndtr(z) + deviation * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def process(search):
    """The largest expected improvement; what failed is not told to the process."""
    configs = search.table.configs
    at = {config: i for i, config in enumerate(configs)}
    model = Process(with_elsewhere(search, places(search.table)), search.budget)
    is_open, results = np.ones(len(configs), bool), []

    def measure(config):
        is_open[at[config]] = False
        time = search.measure(config)
        if time < FAILED:
            model.add(at[config], time)
            results.append(time)
    for config in first(search):
        measure(config)
    while True:
        if results:
            gain = np.where(is_open, model.improvement(results), -np.inf)
            measure(configs[int(np.argmax(gain))])
        else:
            measure(search.rng.choice(search.untried()))


# ---- boosted trees ----

def numbers(table):
    """All configurations by their values where these are numbers, else by the indices of these."""
    def number(values):
        try:
            return [float(text) for text in values]
        except ValueError:
            return range(len(values))
    return points(table, [number(values) for values in table.values])


def grow(features, targets, seed):
    """Boosted trees."""
    from sklearn.ensemble import GradientBoostingRegressor # pylint: disable=import-outside-toplevel
    trees = GradientBoostingRegressor(n_estimators=100, max_depth=4, learning_rate=0.1,
                                      subsample=0.8, random_state=seed)
    return trees.fit(features, targets)


def boosted(search):
    """Ten by the trees' order, a fifth of them random, then the trees are grown again."""
    configs = search.table.configs
    at = {config: i for i, config in enumerate(configs)}
    features = with_elsewhere(search, numbers(search.table))
    seed = search.rng.randrange(2 ** 31)
    for config in first(search):
        search.measure(config)
    while True:
        tried = [at[config] for config in search.time]
        trees = grow(features[tried], losses(list(search.time.values())), seed)
        order = np.argsort(trees.predict(features), kind="stable")
        best = [configs[i] for i in order if configs[i] not in search.time][:REFIT]
        for i, config in enumerate(best):
            left = search.untried() if i % 5 == 4 else [config]
            search.measure(search.rng.choice(left))
