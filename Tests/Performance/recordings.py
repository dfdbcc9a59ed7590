"""Rows about durable recordings: beside the same in memory, PostgreSQL and Redis, on one disk in one run."""

import pathlib
import statistics
import subprocess

from measuring import Missing, fill, in_turns, load, scratch, serving, tell
from rivals import DURABLE_REDIS, postgres, redis

CONNECTIONS, DEPTHS = 64, (1, 16)
IN_MEMORY = pathlib.Path("/dev/shm")


def on_tmpfs(plan):
    """The rate on the disk and in a directory that is memory."""
    _check_disk(plan)
    if not IN_MEMORY.is_dir() or _kind(IN_MEMORY) != "tmpfs":
        raise Missing(f"a tmpfs at {IN_MEMORY}")
    with scratch("latchkey-table-", IN_MEMORY) as memory:
        with serving(plan, "disk") as disk, serving(plan, "memory", folder=memory) as other:
            for server in (disk, other):
                fill(plan.binary, server, plan.customers, plan.seed)
            _compare(plan, disk, lambda depth: _rate(plan, other, depth), "tmpfs", 0.8)


def beside_postgres(plan):
    """The rate, and that of inserts of the same fields by as many clients with one in flight each."""
    _check_disk(plan)
    with postgres(plan.folder / "postgres") as other, serving(plan, "data") as server:
        fill(plan.binary, server, plan.customers, plan.seed)
        _compare(plan, server, lambda depth: other.inserts_per_second(plan.customers, CONNECTIONS, plan.seconds), "PostgreSQL", 5)


def beside_redis(plan):
    """The rate, and that of hashes of the same fields in a Redis that syncs before it answers."""
    _check_disk(plan)
    with redis(plan.folder / "redis", *DURABLE_REDIS) as other, serving(plan, "data") as server:
        for target in (other, server):
            fill(plan.binary, target, plan.customers, plan.seed)
        _compare(plan, server, lambda depth: _rate(plan, other, depth), "Redis", 1)


def _compare(plan, server, rate_of_other, name, aim):
    """Prints the rates of a server and of something else, for each number of recordings in flight."""
    for depth in DEPTHS:
        spent = []
        pairs = in_turns(plan, lambda: _rate(plan, server, depth, spent), lambda: rate_of_other(depth))
        tell(f"recordings, {CONNECTIONS} connections, {depth} in flight", *pairs, ("Latchkey on the disk", name), aim, "a second",
             is_rate=True)
        print(f"  of Latchkey's processor time each took {statistics.median(spent) / 1000:,.1f} µs")


def _rate(plan, target, depth, spent=None):
    """How many recordings are answered a second; notes what each took of the server's processor time, in ns."""
    result = load(plan, target, CONNECTIONS, depth, "--mix", "record")
    if spent is not None:
        spent.append(result["server_ns_per_call"])
    return result["answers_per_second"]


def _check_disk(plan):
    if _kind(plan.folder) == "tmpfs":
        raise Missing(f"a directory on a disk: {plan.folder} is memory; see --folder")


def _kind(folder):
    """What kind of file system a folder is on."""
    return subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout.strip()
