#!/usr/bin/env python3
"""Uses a server for an hour, kills and restarts it all the while, and says whether what it takes stays flat.

A fixed number of families is recorded about, asked about, watched, compared and rebuilt, with a snapshot every few seconds. A
life is a minute or more, and ends by SIGKILL or, each third one, in an orderly way and with a `verify`. After each start all
that was acknowledged must be there. The middle third of the time is one long life, so that what grows within a life shows too.

Memory, descriptors, threads, files, stored bytes and the processor time of starts are compared between the lives of the first and
of the last third, each at the same age; and between the first and the last third of the long life.
"""

import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import flatness
from families import compare, digest, record, resend
from population import Population, Use, Watcher
from server import Server, finish, options

LIVES_TO_ORDERLY, LIVES_TO_COMPARE = 3, 5
SERVE = ("--snapshot-after-bytes", "512KiB", "--watch-memory", "1", "--watch-entries", "4096")


class Soak:
    """A store through all its lives, and what each of them took."""

    def __init__(self, binary, data, seed, families, seconds):
        self.binary, self.data, self.seconds, self.chance = binary, data, seconds, random.Random(seed)
        self.population, self.watcher = Population(random.Random(seed + 1), families), Watcher()
        self.life_seconds = min(60, seconds / 12)
        self.thirds, self.long, self.faults = ([], []), [], []
        self.figures = dict.fromkeys(
            ("kills", "orderly ends", "acknowledged", "unknown at a kill", "answers", "watched changes", "snapshots",
             "rebuilds", "files at most", "bytes at most"), 0)
        self.told = None

    def run(self):
        """Lives as long as it should, or until a fault."""
        self.begin = time.monotonic()
        self.live(self.life_seconds)  # The warm-up: the store is made, and filled.
        while not self.faults and self._age() < self.seconds / 3:
            self.thirds[0].append(self.live(self.life_seconds * self.chance.uniform(1, 1.5)))
        if not self.faults:
            self.long = self.live(self.seconds / 3, is_long=True)
        while not self.faults and self._age() < self.seconds:
            self.thirds[1].append(self.live(self.life_seconds * self.chance.uniform(1, 1.5)))

    def live(self, seconds, is_long=False):
        """One life of so many seconds: gives its samples; of a short one, the medians at the age that all reach."""
        started = time.monotonic()
        server = Server(self.binary, self.data, options=SERVE)
        start = {"start": time.monotonic() - started, "its processor time": flatness.processor_seconds(server)}
        watching = self.watcher.watch(server)
        self._compare(server)
        use, ready = Use(server, self.population, self.chance), time.monotonic()
        samples = self._sample(server, ready + seconds)
        self._end(server, use)
        watching.join()
        self._count(use, server)
        self.faults += use.faults + self.watcher.faults
        if self.faults or is_long:
            return [values for _, values in samples]
        same_age = [values for moment, values in samples if self.life_seconds / 2 <= moment - ready <= self.life_seconds]
        taken = flatness.medians(same_age) | start
        self._tell(taken)
        return taken

    def conclude(self):
        """Compares the thirds and tells of each measure; faults are what grew. A short run has too few lives for that."""
        if self.faults or min(map(len, self.thirds)) < LIVES_TO_COMPARE:
            return
        third = len(self.long) // 3
        for lines, faults in (flatness.compare("between lives", *self.thirds, (*flatness.MEASURES, flatness.STARTING)),
                              flatness.compare("within a life", self.long[third // 3:third], self.long[-third:])):
            print("\n".join(lines))
            self.faults += faults

    def _age(self):
        return time.monotonic() - self.begin

    def _tell(self, values):
        print(f"{self._age() / 60:5.1f} min: {flatness.told(values)}", flush=True)

    def _sample(self, server, until):
        """What the server takes, with the moment of each sample, until then or until it ends by itself."""
        samples, told = [], time.monotonic()
        while time.monotonic() < until and server.process.poll() is None:
            time.sleep(min(1, self.life_seconds / 20))
            moment, values = time.monotonic(), flatness.sample(server)
            if values is None:
                break
            samples.append((moment, values))
            if moment - told > 60 and until - moment > 60:
                self._tell(values)
                told = moment
        for figure, measure in (("files at most", "files"), ("bytes at most", "stored")):
            self.figures[figure] = max([self.figures[figure], *(values[measure] for _, values in samples)])
        return samples

    def _compare(self, server):
        """Compares everything with what was acknowledged and with the digest before an orderly end, then sends the unknown."""
        connection, population = server.connect(), self.population
        if population.is_new:
            everything = population.next_recordings(0)
            for start in range(0, len(everything), 64):
                record(connection, everything[start:start + 64])
        self.faults += compare(connection, population.all)
        if self.told not in (None, digest(connection, population.all)):
            self.faults.append("the digest after an orderly end and a start is another one")
        self.figures["unknown at a kill"] += len(population.unknown())
        resend(connection, population)
        population.forget_replaced()
        connection.close()

    def _end(self, server, use):
        """Kills the server, or ends it in order: then the watcher must know all, and the store must be whole."""
        lives, self.told = self.figures["kills"] + self.figures["orderly ends"] + 1, None
        if lives % LIVES_TO_ORDERLY:
            self._expect(server.end(), -signal.SIGKILL, "the killed server")
            self.figures["kills"] += 1
            return use.join()
        use.stop()
        self.faults += self.watcher.wait_for(self.population.expected())
        connection = server.connect()
        self.told = digest(connection, self.population.all)
        connection.close()
        self._expect(server.end(signal.SIGTERM), 0, "the server that was ended")
        verified = subprocess.run([self.binary, "verify", self.data], capture_output=True, text=True, check=False)
        self._expect(verified.returncode, 0, f"verify, which says {verified.stdout[-500:]}{verified.stderr[-500:]}")
        self.figures["orderly ends"] += 1

    def _expect(self, status, expected, whose):
        if status != expected:
            self.faults.append(f"{whose} ended with status {status}")

    def _count(self, use, server):
        counted = {"answers": use.answers, "rebuilds": use.rebuilds, "snapshots": server.log.count("took a snapshot")}
        for name, value in counted.items():
            self.figures[name] += value
        self.figures |= {"acknowledged": self.population.acknowledged, "watched changes": self.watcher.events}


def main():
    given = options(__doc__, minutes=60.0, families=2000, data="")
    data = pathlib.Path(given.data or tempfile.mkdtemp(prefix="latchkey-soak-") + "/data")
    soak = Soak(given.binary, data, given.seed, given.families, given.minutes * 60)
    soak.run()
    soak.conclude()
    if soak.faults:
        print(f"the store is left in {data}, and the log of its last life beside it")
    elif not given.data:
        shutil.rmtree(data.parent)
    finish(soak.figures, soak.faults)


if __name__ == "__main__":
    main()
