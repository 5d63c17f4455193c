#!/usr/bin/env python3
# tuners.py - other ways to search for the best configuration, beside kpred
# SPDX-License-Identifier: MIT
"""Other strategies of auto-tuners on a full table, beside `kpred-train tune --replay`.

  random        each configuration as likely as any other
  genetic       genetic algorithm: population of 20, uniform crossover, mutation of one in ten
  annealing     simulated annealing, cooled down over the budget
  differential  differential evolution, best/1/bin
  iterated      greedy iterated local search
  climb         restarted climb over one-parameter neighbours (MLS)
  process       Gaussian process, Matern 3/2, expected improvement, 20 random ones at first
  boosted       gradient-boosted trees, refitted every ten measurements, a fifth of these random
  order         the order of the mean share of the best speed in the tables of --data

The first six follow Kernel Tuner's published strategies and their defaults, in code of our own.
process and boosted learn from the tables of --data as well: these give further columns, and their
best configurations come first. The other strategies do without them.

The table, and those of --data, are files of Kernel Tuner or KTT, with or without .gz or .bz2. All
is counted as `kpred-train tune --replay` does: until within 5 and 1 percent of the best time,
failures count, what was measured before does not, a miss is the budget; share is that of the best
speed at the budget. Columns are the same, so that both outputs can be put one below the other.

Needs python3-numpy and python3-sklearn for process, boosted and order, which are skipped with a
message where these are missing.
"""
import math
import os
import random
import sys

from rows import chosen, die, parser_of, print_lines, progress
from tuner_tables import FAILED, Done, Search, Stuck, Table

try:
    import numpy as np
    LACKING = None
except ImportError as missing:
    LACKING = missing

HEADING = "table,strategy,start,seed,evals_5,evals_1,share".split(",")


# ---- the classic strategies ----
#
# A strategy measures until the search ends it; where it comes to its own end, or asks only for what it
# knows, it is started again.

def random_order(search):
    """Each as likely as any other."""
    for config in search.rng.sample(search.table.configs, len(search.table.configs)):
        search.measure(config)


# ---- a population ----

POPULATION = 20
GENERATIONS = 100


def two_parents(ranked, rng):
    """Two different ones; the better ones are the more likely, by a beta distribution."""
    chosen = set()
    while len(chosen) < 2:
        chosen.add(int(rng.betavariate(1, 2.5) * len(ranked)))
    return [ranked[i] for i in sorted(chosen, key=lambda _: rng.random())]


def uniform_children(pair, rng):
    """Each parameter of the one or of the other, and the opposite."""
    picks = [rng.random() < 0.5 for _ in pair[0]]
    return [tuple(pair[int(pick) ^ flip][i] for i, pick in enumerate(picks)) for flip in (0, 1)]


def mutated(config, search):
    """One of ten becomes a neighbour."""
    near = search.table.neighbours(config) if search.rng.random() < 0.1 else []
    return search.rng.choice(near) if near else config


def next_generation(ranked, search):
    """Different legal children."""
    size = min(POPULATION, len(search.table.configs))
    children = []
    for _ in range(100 * POPULATION):
        for child in uniform_children(two_parents(ranked, search.rng), search.rng):
            child = mutated(child, search)
            if child in search.table.time and child not in children and len(children) < size:
                children.append(child)
        if len(children) == size:
            break
    return children


def genetic(search):
    """Uniform crossover of better ones, mutation of one in ten; no elite."""
    population = [search.any() for _ in range(POPULATION)]
    for _ in range(GENERATIONS):
        if len(population) < 2:
            break
        ranked = sorted(population, key=search.measure)
        population = next_generation(ranked, search)


def mutant(population, best, at, search):
    """best/1/bin: the best and a difference of two others, crossed with the one at this place."""
    rng, scale = search.rng, search.rng.uniform(0.5, 1)
    a, b = rng.sample([p for i, p in enumerate(population) if i != at], 2)
    forced = rng.randrange(len(best))
    child = list(population[at])
    for i, values in enumerate(search.table.values):
        if i == forced or rng.random() < 0.7:
            moved = best[i] + scale * (a[i] - b[i])
            inside = 0 <= moved <= len(values) - 1
            child[i] = round(moved) if inside else rng.randrange(len(values))
    return tuple(child)


def differential(search):
    """Differential evolution; what is not legal takes no place and costs nothing."""
    population = [search.any() for _ in range(POPULATION)]
    time = [search.measure(p) for p in population]
    for _ in range(GENERATIONS):
        for at in range(POPULATION):
            child = mutant(population, population[time.index(min(time))], at, search)
            if child in search.table.time and search.measure(child) <= time[at]:
                population[at], time[at] = child, search.table.time[child]


# ---- one at a time ----

HOTTEST, COLDEST, COOLING = 1.0, 0.001, 0.995
STUCK = 100  # steps without a measurement


def adjacent(table, config):
    """Legal ones none of whose parameters is more than a step away."""
    found = [()]
    for i, at in enumerate(config):
        steps = range(max(at - 1, 0), min(at + 2, len(table.values[i])))
        found = [c + (step,) for c in found for step in steps]
    return [c for c in found if c in table.time and c != config]


def step(config, search):
    """One of five changes a parameter to any value, the others all by a step at most."""
    if search.rng.random() < 0.2:
        near = search.table.neighbours(config)
    else:
        near = adjacent(search.table, config)
    return search.rng.choice(near) if near else search.any()


def is_accepted(old, new, heat, rng):
    """Better ones always, failures never, others by how hot it is."""
    if old == FAILED or new < old:
        return True
    return new < FAILED and rng.random() < math.exp((old - new) / old / heat)


def annealing(search):
    """Simulated annealing, cooled down by what is spent of the budget."""
    steps = math.ceil(math.log(COLDEST) / math.log(COOLING))
    here = search.any()
    time = search.measure(here)
    while True:
        heat = HOTTEST * COOLING ** (steps * len(search.time) / search.budget)
        new = step(here, search)
        found = search.measure(new)
        if is_accepted(time, found, heat, search.rng):
            here, time = new, found
        if search.known > STUCK:
            here = search.any()
            time = search.measure(here)


# ---- hill climbing ----

def climb(here, search, is_greedy):
    """To where no one-parameter neighbour is better. A better value of a parameter is taken at
    once; the greedy climb then begins again with a new order of the parameters."""
    params = list(range(len(here)))
    best = search.measure(here)
    while True:
        search.rng.shuffle(params)
        before = best
        for param in params:
            near = search.table.along(here, param)
            for new in search.rng.sample(near, len(near)):
                if search.measure(new) < best:
                    here, best = new, search.table.time[new]
                    if is_greedy:
                        break
            if is_greedy and best < before:
                break
        if not best < before:
            return here, best


def restarted(search):
    """Multi-start local search: climbs from random places."""
    while True:
        climb(search.any(), search, False)


WALK = 0.3 # of the parameters
NO_GAIN = 50


def iterated(search):
    """Greedy iterated local search: the next climb begins a short random walk away, after many
    climbs without a gain at a random place."""
    here, record, since = search.any(), FAILED, 0
    while True:
        here, best = climb(here, search, True)
        since = 0 if best < record else since + 1
        record = min(record, best)
        if since >= NO_GAIN:
            here = search.any()
        for _ in range(max(1, int(WALK * len(here)))):
            here = search.rng.choice(search.table.neighbours(here) or search.table.configs)


# ---- strategies that learn from what they measure, and from tables of other GPUs ----
#
# The same seed gives the same choices as far as numpy and scikit-learn sum in the same order.

SAMPLES = 20 # random ones at first
TOLD = 10    # or so many that are the best elsewhere
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
        return best_elsewhere(search)[:TOLD]
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


# ---- replays ----

CLASSIC = {"random": random_order, "genetic": genetic, "annealing": annealing,
           "differential": differential, "iterated": iterated, "climb": restarted}
LEARNED = {"process": process, "boosted": boosted, "order": elsewhere_order}
KNOWN = [*CLASSIC, *LEARNED]
COLD = "random,genetic,annealing,differential,iterated,climb,process,boosted"
WARM = "order,process,boosted"


def function_of(strategy):
    """What measures; ImportError where a package is missing."""
    if strategy in CLASSIC:
        return CLASSIC[strategy]
    if LACKING:
        raise LACKING
    return LEARNED[strategy]


def run(function, search):
    """Measures until the search ends. A strategy that has come to its own end, or does not get any
    further, begins again behind a random configuration that was not measured."""
    try:
        while True:
            try:
                function(search)
            except Stuck:
                pass
            search.measure(search.rng.choice(search.untried()))
    except Done:
        pass


def replay(table, strategy, seed, budget, others=()):
    """A finished search."""
    search = Search(table, budget, random.Random(seed), others)
    run(function_of(strategy), search)
    return search


def lines_of(options, table, strategy, others):
    """A line a seed."""
    used = others if strategy in WARM.split(",") else ()
    for seed in range(1, options.seeds + 1):
        progress(f"{os.path.basename(options.table)}: {strategy}, seed {seed} of {options.seeds}")
        search = replay(table, strategy, seed, options.budget, used)
        yield [os.path.basename(options.table), strategy, "data" if used else "cold", str(seed),
               *map(str, search.evals), f"{search.share():.5f}"]
    progress("")


def other_times(options, table):
    """What the tables of --data say, without the table itself and those that say nothing."""
    told = [table.times_of(Table(path)) for path in options.data
            if not (os.path.exists(path) and os.path.samefile(path, options.table))]
    return [times for times in told if any(t is not None and t < FAILED for t in times)]


def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.error = die # one line, as all that goes wrong here
    p.add_argument("table", help="a table of all configurations")
    p.add_argument("--data", nargs="+", default=[], help="tables of other GPUs")
    p.add_argument("--strategies", help=f"some of {', '.join(KNOWN)}; else all that are not told of"
                   f" other tables, or with --data {WARM}")
    p.add_argument("--seeds", type=int, default=30, help="1 to so many")
    p.add_argument("--budget", type=int, default=300, help="measurements")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    options.strategies = chosen("strategies", options.strategies or (WARM if options.data else COLD), KNOWN)
    for name in ("seeds", "budget"):
        if getattr(options, name) < 1:
            die(f"--{name} {getattr(options, name)}: at least 1")
    return options


def main():
    """Rows of all strategies."""
    options = parse()
    table = Table(options.table)
    others, lines = other_times(options, table), []
    for strategy in options.strategies:
        if strategy == "order" and not others:
            die("--strategies order: needs another table in --data")
        try:
            lines += lines_of(options, table, strategy, others)
        except ImportError as e:
            print(f"skip {strategy}: needs python3-numpy and python3-sklearn ({e})", file=sys.stderr)
    print_lines(HEADING, lines, options)


if __name__ == "__main__":
    main()
