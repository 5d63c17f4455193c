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
import os
import random
import sys

import tuner_classic as classic
from rows import die, parser_of, print_lines, progress
from tuner_tables import FAILED, Done, Search, Stuck, Table

HEADING = "table,strategy,start,seed,evals_5,evals_1,share".split(",")
CLASSIC = {"random": classic.random_order, "genetic": classic.genetic,
           "annealing": classic.annealing, "differential": classic.differential,
           "iterated": classic.iterated, "climb": classic.restarted}
LEARNED = {"process": "process", "boosted": "boosted", "order": "elsewhere_order"}
KNOWN = [*CLASSIC, *LEARNED]
COLD = "random,genetic,annealing,differential,iterated,climb,process,boosted"
WARM = "order,process,boosted"


def function_of(strategy):
    """What measures; ImportError where a package is missing."""
    if strategy in CLASSIC:
        return CLASSIC[strategy]
    import tuner_learned # pylint: disable=import-outside-toplevel
    return getattr(tuner_learned, LEARNED[strategy])


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
    p.add_argument("--gpu", help="of which the table has to be")
    p.add_argument("--data", nargs="+", default=[], help="tables of other GPUs")
    p.add_argument("--strategies", help=f"some of {', '.join(KNOWN)}; else all that are not told of"
                   f" other tables, or with --data {WARM}")
    p.add_argument("--seeds", type=int, default=30, help="1 to so many")
    p.add_argument("--budget", type=int, default=300, help="measurements")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    options.strategies = (options.strategies or (WARM if options.data else COLD)).split(",")
    for name in options.strategies:
        if name not in KNOWN:
            die(f"--strategies: \"{name}\": none of {', '.join(KNOWN)}")
    for name in ("seeds", "budget"):
        if getattr(options, name) < 1:
            die(f"--{name} {getattr(options, name)}: at least 1")
    return options


def main():
    """Rows of all strategies."""
    options = parse()
    table = Table(options.table, options.gpu)
    others, lines = other_times(options, table), []
    for strategy in options.strategies:
        if strategy == "order" and not others:
            die("--strategies order: needs another table in --data")
        try:
            lines += lines_of(options, table, strategy, others)
        except ImportError as e:
            print(f"skip {strategy}: needs python3-numpy and python3-sklearn ({e})",
                  file=sys.stderr)
    print_lines(HEADING, lines, options)


if __name__ == "__main__":
    main()
