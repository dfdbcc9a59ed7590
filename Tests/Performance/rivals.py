"""Redis and PostgreSQL as they are compared with: each on the server's core, a loopback port and a folder of its own."""

import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass

from measuring import ON_SERVER_CORE, Missing

READY_SECONDS = 30
DURABLE_REDIS = ("--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0")
# Nothing of it is synced later than it says, or beside the inserts: neither checkpoints nor vacuums come while it is measured.
POSTGRES_SETTINGS = {
    "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "100", "shared_buffers": "1GB",
    "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "checkpoint_timeout": "1h", "max_wal_size": "16GB",
    "autovacuum": "off", "dynamic_shared_memory_type": "mmap"}
TABLE = """
create table recordings (transaction_id text primary key, customer_id text not null, product_id text not null, type int not null,
  purchase_date_ms bigint not null, signed_date_ms bigint not null, price_milliunits bigint not null, currency text not null);
create index on recordings (customer_id);
"""
# The client draws all values, so that the server does nothing but store them; ids are digits, as Apple's transactions have.
INSERT = r"""
\set transaction random(100000000000000000, 999999999999999999)
\set number random(1, :customers)
\set customer hash(:number)
insert into recordings values (:transaction, :customer, 'bench.coins', 4, 1767225600000, 1767225600000, 990, 'USD');
"""


@dataclass
class Redis:
    """A Redis that runs."""

    process: subprocess.Popen
    address: str


@contextlib.contextmanager
def redis(folder, *words):
    """A Redis that keeps nothing unless the words say so; it is killed, and its folder removed, at the end."""
    program, port = _program("redis-server", "redis-server"), _free_port()
    folder.mkdir()
    process = subprocess.Popen(
        [*ON_SERVER_CORE, program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder), *words],
        stdout=subprocess.DEVNULL)
    try:
        _await(lambda: _answers_ping(port), "Redis")
        yield Redis(process, f"127.0.0.1:{port}")
    finally:
        _end(process, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


class Postgres:
    """A PostgreSQL that runs with the table of recordings, and pgbench beside it."""

    def __init__(self, programs, folder, port):
        self.programs, self.folder, self.port = programs, folder, port

    def inserts_per_second(self, customers, clients, seconds):
        """How many recordings are committed a second, each in a transaction of its own, one in flight of each client."""
        words = ["-M", "prepared", "-c", str(clients), "-T", str(seconds), "-D", f"customers={customers}"]
        printed = self.pgbench(INSERT, *words)
        if not re.search(r"failed transactions: 0 ", printed):
            raise RuntimeError(f"PostgreSQL refused inserts: {printed}")
        return float(re.search(r"tps = ([\d.]+)", printed)[1])

    def pgbench(self, script, *words):
        """Runs a script of pgbench; gives what it prints."""
        path = self.folder / "script.sql"
        path.write_text(script)
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        finished = subprocess.run(
            [self.programs / "pgbench", "-n", *address, *words, "-f", path, "postgres"], capture_output=True, text=True)
        if finished.returncode != 0:
            raise RuntimeError(f"pgbench ended with status {finished.returncode}: {finished.stderr[-1500:]}")
        return finished.stdout


@contextlib.contextmanager
def postgres(folder):
    """A PostgreSQL 15 that commits durably; it is stopped, and its folder removed, at the end.

    It refuses to run as root, so that root has the user `postgres` run it, who must be able to reach the folder.
    """
    programs, port = _postgres_programs(), _free_port()
    folder.mkdir()
    user = {}
    if os.geteuid() == 0:
        user = {"user": _postgres_user()}
        shutil.chown(folder, "postgres")
    settings = [word for name, value in POSTGRES_SETTINGS.items() for word in ("-c", f"{name}={value}")]
    initialize = [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C"]
    process = None
    try:
        subprocess.run(initialize, check=True, stdout=subprocess.DEVNULL, cwd=folder, **user)
        with open(folder / "log", "wb") as log:
            words = [*ON_SERVER_CORE, programs / "postgres", "-D", folder / "data", "-p", str(port), *settings]
            process = subprocess.Popen(words, stdout=log, stderr=log, cwd=folder, **user)
        server = Postgres(programs, folder, port)
        is_ready = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        _await(lambda: subprocess.run(is_ready).returncode == 0, "PostgreSQL")
        server.pgbench(TABLE, "-t", "1")
        yield server
    finally:
        if process is not None:
            _end(process, signal.SIGQUIT)  # At once, and with its children; what it holds isn't needed any more.
        shutil.rmtree(folder, ignore_errors=True)


def _program(name, package):
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{name} (Debian's package {package})")
    return path


def _postgres_programs():
    """Where PostgreSQL 15 has its programs, which Debian keeps out of the path."""
    found = shutil.which("postgres")
    folder = pathlib.Path(found).resolve().parent if found else pathlib.Path("/usr/lib/postgresql/15/bin")
    missing = [name for name in ("postgres", "initdb", "pgbench", "pg_isready") if not (folder / name).exists()]
    if missing:
        raise Missing(f"{', '.join(missing)} in {folder} (Debian's packages postgresql-15 and postgresql-client-15)")
    version = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    if version.split(".")[0] != "15":
        raise Missing(f"PostgreSQL 15 (there is {version})")
    return folder


def _postgres_user():
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        raise Missing("a user named postgres, since PostgreSQL doesn't run as root") from None


def _free_port():
    """A port that was free a moment ago."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def _answers_ping(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def _await(is_so, what):
    """Waits until a server is ready."""
    end = time.monotonic() + READY_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"{what} wasn't ready within {READY_SECONDS} seconds")
        time.sleep(0.05)


def _end(process, number):
    """Ends a process by a signal and waits; one that doesn't heed it is killed."""
    process.send_signal(number)
    try:
        process.wait(READY_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
