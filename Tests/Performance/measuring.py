"""What the rows of the table share: servers on a core of their own, loads on another one, and pairs whose ratios count.

It is imported before modules of the durability tests, since it says where they are.
"""

import contextlib
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Durability"))

from server import Server  # noqa: E402

WITHOUT_SNAPSHOTS = ("--snapshot-after-bytes", "0", "--snapshot-every", "0")
CORES = sorted(os.sched_getaffinity(0))
# A command line before a server's own that keeps it on the first core; the load has the others.
ON_SERVER_CORE = ("taskset", "-c", str(CORES[0]))


class Missing(Exception):
    """This machine lacks what a row needs, which the message says."""


@dataclass
class Plan:
    """How a row is measured: with which server, how much of it, and where."""

    binary: str
    seed: int
    folder: pathlib.Path
    customers: int
    pairs: int
    seconds: int
    idle_connections: int
    warnings: list = field(default_factory=list)


@contextlib.contextmanager
def scratch(prefix, under=None):
    """A folder of its own; at the end it goes, after every server that still lives, however the end came."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=under))
    try:
        yield folder
    finally:
        for server in list(Server.living):
            server.end(signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def load_keeps_off_server_core():
    """Keeps this process, and so the loads that it starts, off the core that servers have."""
    if len(CORES) < 2:
        raise Missing("a second core, for the load")
    os.sched_setaffinity(0, CORES[1:])


def load_may_use_any_core():
    """Lets this process, and what it starts, run wherever there is room."""
    os.sched_setaffinity(0, CORES)


@contextlib.contextmanager
def serving(plan, name, loops=1, before=ON_SERVER_CORE, folder=None):
    """A server on an empty directory, which takes no snapshot by itself, and is killed and removed at the end."""
    data = (folder or plan.folder) / name
    server = Server(plan.binary, data, before=before, loops=loops, options=WITHOUT_SNAPSHOTS)
    try:
        yield server
    finally:
        server.end(signal.SIGKILL)
        shutil.rmtree(data, ignore_errors=True)


def bench_words(binary, target, *words):
    """The command line of a bench that loads a server, Latchkey's or another's, and prints JSON."""
    address = ("--connect", target.address) if isinstance(target, Server) else ("--redis", target.address)
    return [binary, "bench", *map(str, words), *address, "--process", str(target.process.pid), "--json"]


def bench(binary, target, *words):
    """Loads a server, and gives what `docs/bench.md` says of it; an early end, or a call that failed, is an error."""
    finished = subprocess.run(bench_words(binary, target, *words), capture_output=True, text=True)
    if finished.returncode != 0:
        raise RuntimeError(f"the load ended with status {finished.returncode}: {finished.stderr[-1500:]}")
    result = json.loads(finished.stdout)
    if result["failures"] or result["failures_in_batches"]:
        raise RuntimeError(f"calls failed: {result['failures']} {result['failures_in_batches']}")
    return result


def fill(binary, target, customers, seed):
    """Fills a server with customers; gives how many recordings that took."""
    return bench(binary, target, "load", "--customers", customers, "--seed", seed)["answers"]


def load(plan, target, connections, depth, *words, customers=None):
    """Loads a server with calls for the plan's time, in a closed loop unless the words have a rate; warnings are kept."""
    result = bench(plan.binary, target, "--customers", customers or plan.customers, "--seed", plan.seed,
                   "--connections", connections, "--depth", depth, "--seconds", plan.seconds, *words)
    plan.warnings += result["warnings"]
    return result


def in_turns(plan, one, other):
    """Measures two things in pairs, whichever was last going first; gives the results of each, pair by pair."""
    ones, others = [], []
    for number in range(plan.pairs):
        turns = [(one, ones), (other, others)]
        for measure, results in turns if number % 2 == 0 else reversed(turns):
            results.append(measure())
    return ones, others


def spread(values, format="{:,.2f}"):
    """The median of values, the least and the greatest, in words."""
    return f"{format.format(statistics.median(values))} ({format.format(min(values))} to {format.format(max(values))})"


def tell(what, one, other, names, aim, unit, is_rate=False):
    """Prints two things that were measured in pairs, the ratio of the first to the second, and what it should be."""
    ratios = [a / b for a, b in zip(one, other)]
    median = statistics.median(ratios)
    is_met = median >= aim if is_rate else median <= aim
    format = "{:,.0f}" if min(*one, *other) >= 100 else "{:,.2f}"
    print(f"{what}: {names[0]} {spread(one, format)} {unit}, {names[1]} {spread(other, format)} {unit}; ratio {spread(ratios)}, "
          f"aim {'≥' if is_rate else '≤'} {aim:.3g}: {'met' if is_met else 'missed'}", flush=True)


def tell_warnings(plan):
    """Prints what the loads warned of, each kind once with how often, since such figures say less."""
    kinds = {}
    for warning in plan.warnings:
        kinds.setdefault(" ".join(warning.split()[:3]), []).append(warning)
    for warnings in kinds.values():
        print(f"  loads that warned: {len(warnings)}, such as: {warnings[0]}")


def describe_machine(binary):
    """Prints what figures depend on: the processor, the kernel, the load from other work, and the executable."""
    information = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(": ")[1] for line in information if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    version = subprocess.run([binary, "version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    print(f"{len(CORES)} cores of {model}, {memory:.0f} GiB, Linux {platform.release()}; load from other work "
          f"{os.getloadavg()[0]:.1f}; {version}", flush=True)
