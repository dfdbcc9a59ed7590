"""Several connections that pipeline recordings into a server until it ends."""

import threading

from families import record
from wire import Status


class Load:
    """Threads that record, each over a connection of its own, until the server is gone or a number of waves is sent."""

    def __init__(self, server, families, connections=4, depth=16, waves=1_000_000, snapshots=False):
        self.refusals, self.is_over = [], False
        self.threads = [threading.Thread(target=self._send, args=(server, families, depth, waves)) for _ in range(connections)]
        if snapshots:
            self.threads.append(threading.Thread(target=self._snapshot, args=(server,)))
        for thread in self.threads:
            thread.start()

    def join(self):
        """Waits until every thread has seen the end."""
        for thread in self.threads:
            thread.join()

    def stop(self):
        """Ends the load while the server goes on."""
        self.is_over = True
        self.join()

    def _send(self, server, families, depth, waves):
        try:
            connection = server.connect()
            for _ in range(waves):
                if self.is_over:
                    break
                self.refusals += record(connection, families.next_recordings(depth))
            connection.close()
        except OSError:
            pass  # The end that the test is about.

    def _snapshot(self, server):
        try:
            connection = server.connect()
            while not self.is_over:
                connection.call("TakeSnapshot", b"")
        except (OSError, Status):
            pass  # Likewise; a full disk refuses a snapshot.
