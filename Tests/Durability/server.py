"""A real `latchkey serve` process on a data directory, and what it said."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys

from wire import Connection

ROOT = pathlib.Path(__file__).resolve().parents[2]


# The exit statuses of a store that can't be used, one for each trouble: docs/operating.md.
FAILURE, DAMAGED, MISSING_FILE, ANOTHER_STORE, NO_STORE, NEWER_FORMAT = 2, 65, 66, 67, 68, 69
DISK_FAILED, DISK_FULL, DISK_UNREADABLE, IN_USE, NOT_PERMITTED = 70, 73, 74, 75, 77


class NotStarted(Exception):
    """The server ended before it was ready: its exit status, and its log."""

    def __init__(self, status, log):
        super().__init__(f"the server did not start (status {status}): {log[-2000:]}")
        self.status, self.log = status, log


class Server:
    """One life of a server. Nothing of it is left when it has ended but its data directory and its log."""

    # Those whose end was not waited for yet.
    living = set()

    def __init__(self, binary, data, before=(), environment=None, log=None, loops=1, options=()):
        """Starts a server and waits until it is ready.

        `before` is a command line that runs it, such as strace's; `log` is where its log goes, beside the data unless told;
        `options` are more of `serve`'s own.
        """
        self.data, self.log_path = pathlib.Path(data), pathlib.Path(log or f"{data}.log")
        words = [*before, str(binary), "serve", "--listen", "127.0.0.1:0", "--loops", str(loops), "--data", str(data), *options]
        # Of a sanitized server: LeakSanitizer can't look under strace, and would end it with a status of its own.
        quiet = {"SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        with open(self.log_path, "wb") as output:
            self.process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=output, env={**os.environ, **quiet, **(environment or {})})
        Server.living.add(self)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            status = self.wait()
            raise NotStarted(status, self.log)
        self.address = line.split()[-1]

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def connect(self):
        return Connection(self.address)

    def send(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self):
        """Waits for the end; gives the exit status, or minus the signal."""
        status = self.process.wait(60)
        Server.living.discard(self)
        self.process.stdout.close()
        return status

    def end(self, number=signal.SIGKILL):
        """Ends the process by a signal; gives its status."""
        self.send(number)
        return self.wait()


def end_in_order():
    """Makes a script that is ended by SIGTERM clean up as at any other end: its servers are killed, its disks and folders go."""
    def end(number, frame):
        for server in list(Server.living):
            server.process.kill()
        sys.exit(128 + number)
    signal.signal(signal.SIGTERM, end)


def options(description, **defaults):
    """The options that every script here has, and its own with their defaults; from now on SIGTERM ends it in order.

    An option whose default is a tuple stands for words without a flag, of which those may be named.
    """
    end_in_order()
    parser = argparse.ArgumentParser(
        description=description.split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/latchkey"), help="the latchkey to test")
    parser.add_argument("--seed", type=int, default=1, help="of every random choice")
    for name, value in defaults.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            parser.add_argument(flag, action="store_true")
        elif isinstance(value, tuple):
            parser.add_argument(name, nargs="*", default=value, metavar=name.upper(), help="some of these words")
        else:
            parser.add_argument(flag, type=type(value), default=value)
    return parser.parse_args()


def skip(reason):
    """Ends a script that this machine can't run, in a way that is not taken for success."""
    print(f"skipped: {reason}")
    sys.exit(77)


def finish(figures, faults):
    """Prints what a script found, and ends it: with 0 only where there is no fault."""
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    print("; ".join(f"{value:,} {name}" if isinstance(value, int) else f"{name}: {value}" for name, value in figures.items())
          + f"; {len(faults)} faults")
    sys.exit(1 if faults else 0)
