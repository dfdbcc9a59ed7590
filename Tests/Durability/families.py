"""What the durability scripts record, and a model of what must be there afterwards.

A family is a purchaser and three members. The purchase has versions: 0 grants, 1 is its refund, 2 its reversal, and so on; each
is one recording that changes the answers of all four. A member's shared transaction has one version. So the state of a family
is the newest version of its purchase and which of its members are recorded, whatever the order.

Each recording is untouched, sent (nobody knows), acknowledged, or refused. After a crash the acknowledged ones must be there,
the refused ones must not, and any of the others may be, whole.
"""

import hashlib
import json
import threading
from dataclasses import dataclass, field

from wire import Status, decoded, encoded

START, MEMBERS, PRODUCT = 1_767_225_600_000, 3, "lifetime"
LATER = START + 86_400_000
UNTOUCHED, SENT, ACKNOWLEDGED, REFUSED = "untouched", "sent", "acknowledged", "refused"


@dataclass
class Recording:
    """One version of one transaction, and what is known of its fate."""

    customer: str
    transaction: str
    version: int
    shared_from: str = ""
    fate: str = UNTOUCHED

    def request(self):
        signed = {"transactionId": self.transaction, "productId": PRODUCT, "type": "Non-Consumable",
                  "purchaseDate": START, "signedDate": START + self.version, "environment": "Production",
                  "inAppOwnershipType": "FAMILY_SHARED" if self.shared_from else "PURCHASED"}
        if self.version % 2:
            signed |= {"revocationDate": START + self.version, "revocationReason": 1}
        links = [(5, self.shared_from)] if self.shared_from else []
        return encoded([(1, self.customer), *links, (7, LATER), (9, json.dumps(signed))])


@dataclass
class Family:
    """A purchase, those who share it, and every recording about them."""

    name: str
    purchases: list = field(default_factory=list)
    members: list = field(default_factory=list)

    def __post_init__(self):
        self.members = [Recording(f"{self.name}-{n}", f"{self.name}-s{n}", 0, f"{self.name}-p") for n in range(MEMBERS)]

    def next_version(self):
        """One more version of the purchase."""
        version = self.purchases[-1].version + 1 if self.purchases else 0
        self.purchases.append(Recording(f"{self.name}-buyer", f"{self.name}-p", version))
        return self.purchases[-1]

    def forget_replaced(self):
        """Forgets the versions of the purchase before the newest that was acknowledged, which decide nothing any more."""
        newest = max((r.version for r in self.purchases if r.fate == ACKNOWLEDGED), default=0)
        self.purchases = [r for r in self.purchases if r.version >= newest]

    @property
    def customers(self):
        return [f"{self.name}-buyer", *(member.customer for member in self.members)]

    @property
    def recordings(self):
        return [*self.purchases, *self.members]

    def faults(self, versions, answers):
        """What is wrong with the stored versions, by transaction id, and with the answers of its customers."""
        found = self._version_faults(self.purchases, versions.get(f"{self.name}-p"))
        for member in self.members:
            found += self._version_faults([member], versions.get(member.transaction))
        stored = versions.get(f"{self.name}-p")
        refunded = stored is not None and stored % 2 == 1
        expected = [stored is not None and not refunded]
        expected += [versions.get(member.transaction) is not None and not refunded for member in self.members]
        if answers != expected:
            found.append(f"{self.name}: purchase at version {stored} answers {answers}, expected {expected}")
        return found

    def _version_faults(self, recordings, stored):
        least = max((r.version for r in recordings if r.fate == ACKNOWLEDGED), default=None)
        possible = {r.version for r in recordings if r.fate in (SENT, ACKNOWLEDGED) and (least is None or r.version >= least)}
        if stored in possible or (stored is None and least is None):
            return []
        return [f"{recordings[0].transaction if recordings else self.name}: stored is version {stored}, acknowledged {least}"]


class Families:
    """All families of a run, and the endless load about them."""

    def __init__(self, random, prefix="f"):
        self.random, self.prefix, self.all, self.lock = random, prefix, [], threading.Lock()

    def next_recordings(self, count):
        """So many recordings to be sent now; of one family, the purchase comes first or last or between, as it happens."""
        taken = []
        with self.lock:
            while len(taken) < count:
                if not self.all or self.random.random() < 0.3:
                    family = Family(f"{self.prefix}{len(self.all)}")
                    self.all.append(family)
                    wave = [family.next_version(), *family.members]
                    self.random.shuffle(wave)
                    taken += wave
                else:
                    taken.append(self.random.choice(self.all[-64:]).next_version())
            for recording in taken:
                recording.fate = SENT
        return taken

    def unknown(self):
        return [r for family in self.all for r in family.recordings if r.fate == SENT]

    def acknowledged_count(self):
        return sum(r.fate == ACKNOWLEDGED for family in self.all for r in family.recordings)


def record(connection, recordings):
    """Sends recordings at once, and notes the fate of each; raises `ConnectionError` or `OSError` where the server ends."""
    waiting = dict(zip(connection.send("RecordTransaction", [r.request() for r in recordings]), recordings))
    refusals = []
    while waiting:
        stream, answer = connection.receive()
        recording = waiting.pop(stream)
        if isinstance(answer, Status):
            refusals.append(answer)
            # UNKNOWN says that nobody knows; every other status, that nothing was done.
            recording.fate = SENT if answer.name == "UNKNOWN" else REFUSED
        else:
            recording.fate = ACKNOWLEDGED
    return refusals


def resend(connection, families):
    """Sends again what is unknown, as a client would."""
    unknown = families.unknown()
    for start in range(0, len(unknown), 64):
        record(connection, unknown[start:start + 64])


def compare(connection, families):
    """Compares what a server holds and answers with what these families must be; gives the faults."""
    versions, _ = _histories(connection, [c for family in families for c in family.customers])
    answers = _answers(connection, [c for family in families for c in family.customers])
    faults, size = [], MEMBERS + 1
    for index, family in enumerate(families):
        faults += family.faults(versions, answers[index * size:(index + 1) * size])
    return faults


def digest(connection, families):
    """A digest of all that a server holds and answers about these families, without its revisions."""
    customers = [c for family in families for c in family.customers]
    _, entries = _histories(connection, customers)
    report = decoded(connection.call("GetRefundReport", b""))
    report.pop(8, None)
    told = (entries, _answers(connection, customers), sorted(report.items()))
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _histories(connection, customers):
    """The stored version of each transaction of these customers, and the entries themselves."""
    versions, all_entries = {}, []
    for answer in connection.call_all("GetHistory", [encoded([(1, customer)]) for customer in customers]):
        if isinstance(answer, Status):
            raise answer
        entries = decoded(answer).get(1, [])
        all_entries.append(entries)
        for entry in entries:
            transaction = decoded(decoded(entry)[1][-1])
            versions[transaction[1][-1].decode()] = transaction[10][-1] - START
    return versions, all_entries


def _answers(connection, customers):
    """Whether each customer may use the product, asked in batches."""
    allowed = []
    for start in range(0, len(customers), 1000):
        checks = [(1, encoded([(1, c), (2, PRODUCT), (3, LATER)])) for c in customers[start:start + 1000]]
        results = decoded(connection.call("CheckAccessBatch", encoded(checks))).get(1, [])
        allowed += [bool(decoded(result).get(1, [0])[-1]) for result in results]
    return allowed
