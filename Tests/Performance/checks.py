"""Rows about the processor time of a check: beside Redis, in batches, with more loops, customers and connections."""

import contextlib
import resource
import socket
import struct

from measuring import Missing, fill, in_turns, load, load_may_use_any_core, serving, tell
from families import LATER
from flatness import resident_bytes, status
from rivals import redis
from wire import Connection, encoded

CONNECTIONS, DEPTH, BATCH = 50, 64, 64
FEW_CUSTOMERS = 100_000
# What a customer of `bench load` takes while it is recorded, in bytes, with something to spare (docs/performance.md).
BYTES_PER_CUSTOMER = 2_000
IDLE_BYTES_AIM = 4_096
# A server takes 10,000 connections, of which the load needs some; the process that keeps idle ones has files of its own, too.
OTHER_FILES = 100
RESET_WHEN_CLOSED = struct.pack("ii", 1, 0)


def nanoseconds(plan, target, depth=DEPTH, *words, customers=None):
    """What a call takes of the server's processor time in a closed loop, that of the kernel for it included."""
    return load(plan, target, CONNECTIONS, depth, *words, customers=customers)["server_ns_per_call"]


def beside_redis(plan):
    """A check and a GET of the same keys."""
    with redis(plan.folder / "redis", "--appendonly", "no") as other, serving(plan, "data") as server:
        for target in (other, server):
            fill(plan.binary, target, plan.customers, plan.seed)
        for depth, aim in ((1, 1), (16, 1 / 2.5), (64, 1 / 3)):
            pairs = in_turns(plan, lambda: nanoseconds(plan, server, depth), lambda: nanoseconds(plan, other, depth))
            tell(f"a check, {CONNECTIONS} connections, {depth} in flight", *pairs, ("Latchkey", "Redis"), aim, "ns")


def batches(plan):
    """A check in a batch, one batch in flight and several, and a check with as many in flight."""
    with serving(plan, "data") as server:
        fill(plan.binary, server, plan.customers, plan.seed)

        def in_batch(depth):
            return nanoseconds(plan, server, depth, "--mix", "batch", "--batch", BATCH) / BATCH
        for depth in (1, 8):
            pairs = in_turns(plan, lambda: in_batch(depth), lambda: nanoseconds(plan, server))
            tell(f"a check in batches of {BATCH}, {depth} in flight", *pairs, ("in a batch", f"{DEPTH} in flight"), 0.6, "ns")


def loops(plan):
    """A check with two loops and with one, where server and load share all cores."""
    load_may_use_any_core()
    with serving(plan, "two", loops=2, before=()) as two, serving(plan, "one", before=()) as one:
        for server in (two, one):
            fill(plan.binary, server, plan.customers, plan.seed)
        for depth in (16, 64):
            pairs = in_turns(plan, lambda: nanoseconds(plan, two, depth), lambda: nanoseconds(plan, one, depth))
            tell(f"a check, {CONNECTIONS} connections, {depth} in flight", *pairs, ("two loops", "one loop"), 1.1, "ns")


def growth(plan):
    """A check with many customers and with few."""
    few = min(FEW_CUSTOMERS, plan.customers // 10)
    needed = (plan.customers + few) * BYTES_PER_CUSTOMER
    if needed > _available_bytes():
        raise Missing(f"{needed / 2**30:.1f} GiB of free memory for {plan.customers:,} customers; see --customers")
    with serving(plan, "large") as large, serving(plan, "small") as small:
        fill(plan.binary, large, plan.customers, plan.seed)
        fill(plan.binary, small, few, plan.seed)
        pairs = in_turns(plan, lambda: nanoseconds(plan, large), lambda: nanoseconds(plan, small, customers=few))
        tell(f"a check, {DEPTH} in flight", *pairs, (f"{plan.customers:,} customers", f"{few:,}"), 1.5, "ns")
        print(f"  memory of all of the server with {plan.customers:,}: {resident_bytes(status(large)) / 2**30:.2f} GiB")


def idle_connections(plan):
    """What idle connections take of memory, and of the processor from busy ones."""
    count = _idle_count(plan)
    with serving(plan, "data") as server:
        _measure_memory(server, count)  # First, since memory that other work has freed would be taken by connections unseen.
        fill(plan.binary, server, plan.customers, plan.seed)

        def beside():
            with _idle(server, count):
                return nanoseconds(plan, server)
        pairs = in_turns(plan, beside, lambda: nanoseconds(plan, server))
        tell(f"a check, {DEPTH} in flight", *pairs, (f"beside {count:,} idle connections", "alone"), 1.05, "ns")


def _idle_count(plan):
    """How many idle connections there are, for which this process and its servers may open enough files from now on."""
    count = plan.idle_connections - OTHER_FILES
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < plan.idle_connections + OTHER_FILES:
        raise Missing(f"{plan.idle_connections + OTHER_FILES:,} open files; ulimit -Hn says {hard:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return count


@contextlib.contextmanager
def _idle(server, count):
    """So many connections that wait for nothing. At the end they are reset, so that their ports can be had again at once."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(count):
            connections.append(stack.enter_context(contextlib.closing(Connection(server.address))))
            connections[-1].socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_WHEN_CLOSED)
        yield connections


def _measure_memory(server, count):
    """Prints what connections take of a server that has done nothing yet."""
    with _idle(server, 1) as connections:
        _check(connections)
    before = resident_bytes(status(server))
    with _idle(server, count) as connections:
        _tell_memory(f"{count:,} connections that made no call", server, before, count)
        _check(connections)
        _tell_memory(f"{count:,} connections that each made a check", server, before, count)


def _check(connections):
    """Makes one check on each connection."""
    for connection in connections:
        connection.call("CheckAccess", encoded([(1, "nobody"), (2, "bench.onetime"), (3, LATER)]))


def _tell_memory(what, server, before, count):
    """Prints by how many bytes a server has grown for each connection."""
    each = (resident_bytes(status(server)) - before) / count
    verdict = "met" if each <= IDLE_BYTES_AIM else "missed"
    print(f"{what}: {each:,.0f} bytes each, aim ≤ {IDLE_BYTES_AIM:,}: {verdict}", flush=True)


def _available_bytes():
    """How much memory can be had without swapping."""
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))
