"""A fixed number of families that are recorded about, asked about and watched for as long as a soak lasts."""

import threading
import time

from families import LATER, PRODUCT, SENT, Families, Family, compare, record
from wire import Status, decoded, encoded

WAVE, WAVE_SECONDS, CHECKS, WAVES_TO_COMPARISON, WAVES_TO_REBUILD = 40, 0.05, 24, 25, 500


class Population(Families):
    """Families of which none is added later: their versions are replaced, so that the state has one size."""

    def __init__(self, random, count):
        super().__init__(random)
        self.all = [Family(f"f{number}") for number in range(count)]
        self.is_new, self.acknowledged = True, 0

    def next_recordings(self, count):
        """So many new versions of purchases; at first, everything once."""
        if self.is_new:
            self.is_new, taken = False, [r for family in self.all for r in (family.next_version(), *family.members)]
        else:
            taken = [family.next_version() for family in self.random.choices(self.all, k=count)]
        for recording in taken:
            recording.fate = SENT
        return taken

    def forget_replaced(self):
        """Forgets what no comparison needs any more."""
        for family in self.all:
            family.forget_replaced()

    def expected(self):
        """Whether each customer may use the product, where every recording was acknowledged."""
        return {customer: family.purchases[-1].version % 2 == 0 for family in self.all for customer in family.customers}


class Use:
    """Threads that use a server as its clients would, at a steady rate, until they are stopped or the server is gone.

    One records waves, and compares and rebuilds now and then; one asks single checks, batches and explanations meanwhile. The
    rate is far below what either could do, so that a run says the same on a busy machine.
    """

    def __init__(self, server, population, random):
        self.population, self.random, self.is_over = population, random, threading.Event()
        self.faults, self.answers, self.rebuilds = [], 0, 0
        self.threads = [threading.Thread(target=self._run, args=(server, turn)) for turn in (self._record, self._ask)]
        for thread in self.threads:
            thread.start()

    def join(self):
        """Waits until every thread has seen the end."""
        for thread in self.threads:
            thread.join()

    def stop(self):
        """Ends the use while the server goes on; every recording has its answer then."""
        self.is_over.set()
        self.join()

    def _run(self, server, turn):
        number = 0
        try:
            connection = server.connect()
            while not self.is_over.wait(WAVE_SECONDS):
                turn(connection, number)
                number += 1
            connection.close()
        except OSError:
            pass  # The server was ended.
        except Status as status:
            self.faults.append(f"a call was refused: {status}")

    def _record(self, connection, number):
        sent = self.population.next_recordings(WAVE)
        self.faults += [f"a recording was refused: {status}" for status in record(connection, sent)]
        self.population.acknowledged += len(sent)
        if number % WAVES_TO_COMPARISON == 0:
            self.faults += compare(connection, self.population.random.sample(self.population.all, 10))
            self.population.forget_replaced()
        if number % WAVES_TO_REBUILD == WAVES_TO_REBUILD // 5:
            self._rebuild(connection)

    def _rebuild(self, connection):
        """Has everyone folded anew, which must correct nothing."""
        for message in connection.stream("RebuildEntitlements", encoded([(3, 1)])):
            corrected = decoded(message).get(4, [])
            self.faults += [f"a rebuild corrected {correction}" for correction in corrected]
        self.rebuilds += 1

    def _ask(self, connection, number):
        customers = [self.random.choice(self.random.choice(self.population.all).customers) for _ in range(CHECKS)]
        checks = [encoded([(1, customer), (2, PRODUCT), (3, LATER)]) for customer in customers]
        answers = connection.call_all("CheckAccess", checks)
        answers += connection.call_all("ExplainAccess", checks[:2])
        answers.append(connection.call("CheckAccessBatch", encoded([(1, check) for check in checks])))
        self.faults += [f"a check was refused: {answer}" for answer in answers if isinstance(answer, Status)]
        self.answers += 2 * CHECKS + 2


class Watcher:
    """One who watches everyone through every life of a server, and goes on after each where the last one ended."""

    def __init__(self):
        self.allowed, self.position, self.checkpoint, self.events, self.faults = {}, (0, 0), None, 0, []

    def watch(self, server):
        """Watches this life in a thread, which is given; it ends with the server."""
        connection = server.connect()
        thread = threading.Thread(target=self._watch, args=(connection,))
        thread.start()
        return thread

    def wait_for(self, expected, longest_seconds=60):
        """Waits until the answers that were told are the expected ones; gives the faults where they don't become it."""
        end = time.monotonic() + longest_seconds
        while self.allowed != expected and time.monotonic() < end:
            time.sleep(0.05)
        wrong = [customer for customer, allowed in expected.items() if self.allowed.get(customer) != allowed]
        return [f"the watcher knows {self.allowed.get(customer)} of {customer}" for customer in wrong]

    def _watch(self, connection):
        self.position = self.checkpoint or (0, 0)
        request = [(3, encoded([(1, self.checkpoint[0]), (2, self.checkpoint[1])]))] if self.checkpoint else []
        try:
            for message in connection.stream("WatchChanges", encoded(request)):
                self._take(decoded(message))
        except OSError:
            pass  # The server was ended.
        except Status as status:
            if status.name != "UNAVAILABLE":
                self.faults.append(f"the watch was ended: {status}")
        connection.close()

    def _take(self, event):
        position = decoded(event[1][-1])
        position = (position.get(1, [0])[-1], position.get(2, [0])[-1])
        if position < self.position:
            self.faults.append(f"the watch went from {self.position} back to {position}")
        self.position = position
        for content in event.get(2, []):
            change = decoded(content)
            self.allowed[change[1][-1].decode()] = bool(change.get(3, [0])[-1])
            self.events += 1
        if event.get(3):
            self.checkpoint = position
