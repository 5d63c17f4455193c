# SPDX-License-Identifier: MIT
"""tuner_classic.py - the classic strategies of auto-tuners

Written after what Kernel Tuner publishes of its strategies, with the defaults that it documents. A
strategy measures until the search ends it; where it comes to its own end, or asks only for what it
knows, it is started again.
"""
import math

from tuner_tables import FAILED


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

HOT, COLD, COOLING = 1.0, 0.001, 0.995
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
    steps = math.ceil(math.log(COLD) / math.log(COOLING))
    here = search.any()
    time = search.measure(here)
    while True:
        heat = HOT * COOLING ** (steps * len(search.time) / search.budget)
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
