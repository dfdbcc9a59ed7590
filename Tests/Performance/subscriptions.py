"""Recordings of a monthly subscription, as Apple signs them."""

import time

from wire import Status, encoded

MONTH = 30 * 86_400_000
# In milliseconds since 1970, as all moments here.
NOW = int(time.time() * 1000)


def month(customer, transaction, begin, original=None):
    """A recording of one month of the subscription that most customers have; a renewal names the original transaction."""
    subscription = [(1, transaction), (2, original or transaction), (3, "bench.monthly"), (4, 1), (7, begin), (8, begin + MONTH),
                    (10, begin), (15, 4_990), (16, "USD")]
    return encoded([(1, customer), (2, encoded(subscription))])


def begins(months):
    """When each of so many months begins, of which the last one is half over."""
    return [NOW - MONTH // 2 - MONTH * ago for ago in reversed(range(months))]


def record_all(connection, recordings):
    """Records them on one connection; raises what one is refused with."""
    for answer in connection.call_all("RecordTransaction", recordings):
        if isinstance(answer, Status):
            raise answer
