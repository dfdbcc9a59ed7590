#!/usr/bin/env python3
"""Measures the rows of the table in docs/performance.md, each in pairs whose ratios count, and prints each with its aim.

The server is kept on one core and the load on the others, but for the row of two loops. A row that needs what a machine lacks
says so and is skipped. Customers, pairs and seconds are each row's own where 0 stands for them. What the state takes of memory and
time is measured by state.py, instructions by Tests/InstructionCounts.

    swift build -c release --product latchkey
    Tests/Performance/table.py                 # all rows: about two hours and 19 GiB of memory
    Tests/Performance/table.py redis batch     # these rows
    Tests/Performance/table.py --quick         # short forms, whose figures say little
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Callable

from measuring import Missing, Plan, describe_machine, load_keeps_off_server_core, scratch, tell_warnings
import checks
import recordings
import tails
from server import NotStarted, options


@dataclass
class Row:
    """One row: what it is about, what measures it, and how many customers there are."""

    title: str
    measure: Callable
    customers: int = 100_000


ROWS = {
    "redis": Row("a check beside Redis", checks.beside_redis, 1_000_000),
    "batch": Row("checks in batches", checks.batches, 1_000_000),
    "slow-calls": Row("checks among slow calls", tails.slow_calls),
    "snapshots": Row("checks during snapshots", tails.snapshots),
    "rebuilds": Row("checks during rebuilds", tails.rebuilds),
    "recordings": Row("checks beside recordings", tails.recordings),
    "tmpfs": Row("durable recordings on a disk and in memory", recordings.on_tmpfs),
    "postgres": Row("durable recordings beside PostgreSQL", recordings.beside_postgres),
    "durable-redis": Row("durable recordings beside Redis", recordings.beside_redis),
    "loops": Row("two loops", checks.loops),
    "growth": Row("growth", checks.growth, 10_000_000),
    "idle": Row("idle connections", checks.idle_connections),
}
PAIRS, SECONDS, IDLE_CONNECTIONS = 10, 5, 10_000
QUICK_PAIRS, QUICK_SECONDS, QUICK_CUSTOMERS, QUICK_IDLE_CONNECTIONS = 2, 1, 5_000, 1_000


def plan(chosen, row, folder):
    """How a row is measured as the options say, where they say nothing as it is meant."""
    pairs, seconds, idle, customers = PAIRS, SECONDS, IDLE_CONNECTIONS, row.customers
    if chosen.quick:
        pairs, seconds, idle, customers = QUICK_PAIRS, QUICK_SECONDS, QUICK_IDLE_CONNECTIONS, QUICK_CUSTOMERS
    return Plan(chosen.binary, chosen.seed, folder, chosen.customers or customers, chosen.pairs or pairs,
                chosen.seconds or seconds, idle)


def measure(chosen, name):
    """Measures a row; gives whether that could be done, or was skipped for a reason."""
    row = ROWS[name]
    with scratch("latchkey-table-", chosen.folder) as folder:
        folder.chmod(0o711)  # PostgreSQL runs as another user, below it.
        how = plan(chosen, row, folder)
        print(f"{name}: {row.title}; {how.customers:,} customers, {how.pairs} pairs of {how.seconds} s", flush=True)
        try:
            load_keeps_off_server_core()
            row.measure(how)
            tell_warnings(how)
        except Missing as missing:
            print(f"  skipped, since it needs {missing}")
        except (RuntimeError, NotStarted, OSError, subprocess.SubprocessError) as error:
            print(f"  failed: {error}")
            return False
    return True


def main():
    chosen = options(__doc__, row=tuple(ROWS), quick=False, customers=0, pairs=0, seconds=0, folder=tempfile.gettempdir())
    strange = [name for name in chosen.row if name not in ROWS]
    if strange:
        sys.exit(f"there is no row {strange[0]}; there are: {', '.join(ROWS)}")
    try:
        describe_machine(chosen.binary)
        are_done = [measure(chosen, name) for name in chosen.row]
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0 if all(are_done) else 1)


if __name__ == "__main__":
    main()
