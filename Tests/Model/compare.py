"""Compares the model with a real server over the wire, on random histories.

    compare.py [--histories N] [--seed S] [--binary PATH] [--jobs N] [--families] [--with-grants]

Histories that failed once are kept in `found/` and run first. A new one that fails is shrunk, printed with its seed and the
difference, and kept there too. Exit status: 0 if nothing differs, 1 if something does.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

from fields import set_fields
from history import DAY, History, random_settings
from model import DEFAULT_SETTINGS, NEVER, Answer, Model, Refused
from payloads import iso, milliseconds
from server import Server, Status
from shrink import shrunk

FOLDER = pathlib.Path(__file__).resolve().parent
BATCH = 20  # histories that share a server, one after the other


class Difference(Exception):
    """The server and the model differ: `kind` says how; `check` is the question as a scenario's step, if it was one."""

    def __init__(self, what, server, model, check=None, said=""):
        said = said if server in said.split(":")[:1] else ""
        super().__init__(f"{what}:\n    server: {server} {said}\n    model:  {model}")
        self.kind = what.split()[0] if check is None else "check", _gist(server), _gist(model)
        self.check = check


class Comparison:
    """One history, told to a server and to the model step by step."""

    def __init__(self, scenario, server, seed):
        self.scenario, self.server, self.dice = scenario, server, random.Random(seed)
        self.asked = collections.Counter()  # the answers of checks by reason, and the outcomes of recordings
        self.said = ""  # with the last status that wasn't OK
        self.model = Model({**DEFAULT_SETTINGS, **scenario.get("settings", {})}, scenario.get("catalog"))
        self.customers = sorted({customer for step in scenario["steps"] for customer in _customers(step)}) + ["nobody"]
        # The names of products and entitlements begin with the history's prefix.
        self.entitlements = sorted({name for name in _strings(scenario) if name.split(".")[0].isdigit() and "." in name})
        self.entitlements.append("nothing")
        self.now = time.time_ns() // 1_000_000

    def run(self):
        """Tells the whole history; raises the first `Difference`."""
        self._use_catalog(self.scenario.get("catalog"))
        self.report_before = self._report()
        for number, step in enumerate(self.scenario["steps"], 1):
            (kind, value), = step.items()
            try:
                getattr(self, f"_{kind}")(value)
                self._ask_some(8)
            except Difference as difference:
                difference.args = (f"step {number} ({kind}): {difference}",)
                raise
        self._ask_all()
        self._compare_lists()
        self._compare_reports()

    # Steps

    def _record(self, value):
        request = self.server.message("RecordTransactionRequest", customer_id=value.get("customer") or "")
        body = value.get("notification") or value.get("notification_v1") or value.get("transaction")
        if self.dice.random() < 0.3 and "notification_v1" not in value:
            set_fields(request, value, self.server.schema)
        else:
            request.apple_json = json.dumps(body)
            if "renewal_info" in value:
                request.renewal_info_json = json.dumps(value["renewal_info"])
        links = value.get("shared_from") or []
        request.shared_from.extend([links] if isinstance(links, str) else links)
        if "source" in value:
            request.source = self.server.schema.enumerations["latchkey.v1.Source"].values_by_name[
                f"SOURCE_{value['source'].upper()}"].number
        if "received_at" in value:
            request.received_at_ms = milliseconds(value["received_at"])
        request.evaluate_changes_at_ms = milliseconds((value.get("expect") or {}).get("at") or iso(self.now))
        expected = self._model_records(value)
        self.asked[f"recording {expected if isinstance(expected, str) else expected[0]}"] += 1
        self._differ("recording", self._server_records(request), expected)

    def _server_records(self, request):
        try:
            answer = self.server.call("RecordTransaction", request)
        except Status as status:
            self.said = str(status)
            return status.name
        changes = sorted((c.customer_id, c.entitlement, c.allowed) for c in answer.changes)
        return self.server.name("Outcome", answer.outcome), answer.customer_id or None, changes

    def _model_records(self, value):
        try:
            outcome, customer, changes = self.model.record(value, self.now)
        except Refused as refused:
            return str(refused)
        return outcome, customer, sorted(changes)

    def _restart(self, how):
        self.server.stop(signal.SIGTERM if how == "clean" else signal.SIGKILL)
        self.server.start()

    def _snapshot(self, _):
        self.server.call("TakeSnapshot", self.server.message("TakeSnapshotRequest"))

    def _rebuild(self, value):
        request = self.server.message("RebuildEntitlementsRequest", customer_id=value.get("customer", ""),
                                      original_transaction_id=value.get("lineage", ""), everyone=value.get("everyone", False))
        recorded = 0
        if "history" in value:
            request.history_json = json.dumps(value["history"])
            try:
                recorded = self.model.rebuild_with_history(value["customer"], value["history"], self.now)
            except Refused as refused:
                recorded = str(refused)
        try:
            progress = list(self.server.connection.stream("RebuildEntitlements", request, "latchkey.v1.RebuildProgress"))
            answer = progress[-1].summary.recorded, progress[-1].summary.corrections
        except Status as status:
            answer = status.name, 0
        self._differ("rebuild (recorded, corrections)", answer, (recorded, 0))

    def _catalog(self, value):
        self._use_catalog(value)
        self.model.use_catalog(value)

    def _use_catalog(self, catalog):
        self.server.catalog.write_text(json.dumps(catalog or {"products": []}))
        self.server.call("ReloadConfiguration", self.server.message("ReloadConfigurationRequest", force=True))

    def _grant(self, value):
        request = self._grant_request(value)
        request.from_ms = milliseconds(value["from"])
        if "until" in value:
            request.until_ms = milliseconds(value["until"])
        self.server.call("GrantAccess", request)
        self.model.grant(value, self.now)

    def _ungrant(self, value):
        request = self._grant_request(value)
        request.take_back, request.at_ms = True, milliseconds(value["at"])
        # The rules say nothing of taking back what was never given; the server refuses it, for whoever mistyped a name.
        was_given = any(grant["customer"] == value["customer"] and grant["entitlement"] == value["entitlement"]
                        for grant in self.model.recorded["grants"])
        try:
            self.server.call("GrantAccess", request)
            answer = "taken back"
        except Status as status:
            answer = status.name
        self._differ("ungrant", answer, "taken back" if was_given else "FAILED_PRECONDITION")
        self.model.ungrant(value, self.now)

    def _grant_request(self, value):
        return self.server.message("GrantAccessRequest", customer_id=value["customer"], entitlement=value["entitlement"],
                                   by=value["by"], note=value["note"])

    def _check(self, value):
        self._ask([(value["customer"], value["entitlement"], milliseconds(value["at"]))])

    # Questions

    def _moments(self, random_ones):
        around = {moment + offset for moment in self.model.boundaries() for offset in (-1, 0, 1)}
        first, last = min(around, default=self.now), max(around, default=self.now)
        return sorted(around | {self.dice.randrange(first - DAY, last + DAY) for _ in range(random_ones)})

    def _ask_some(self, count):
        moments = self._moments(3)
        self._ask([(self.dice.choice(self.customers), self.dice.choice(self.entitlements), self.dice.choice(moments))
                   for _ in range(count)])

    def _ask_all(self):
        self._ask([(customer, entitlement, moment) for moment in self._moments(8)
                   for customer in self.customers for entitlement in self.entitlements])

    def _ask(self, questions):
        questions = [question for question in questions if question[2] > 0]  # on the wire 0 is now
        for begin in range(0, len(questions), 1000):
            some = questions[begin:begin + 1000]
            request = self.server.message("CheckAccessBatchRequest")
            for customer, entitlement, moment in some:
                request.checks.add(customer_id=customer, entitlement=entitlement, at_time_ms=moment)
            results = self.server.call("CheckAccessBatch", request).results
            for (customer, entitlement, moment), result in zip(some, results, strict=True):
                expected = self.model.answer(customer, entitlement, moment)
                self.asked[expected.reason] += 1
                check = {"customer": customer, "entitlement": entitlement, "at": iso(moment), "allowed": expected.allowed,
                         "reason": expected.reason}
                self._differ(f"{customer} {entitlement} at {moment} ({iso(moment)})", self._answer(result), expected, check)

    def _answer(self, given):
        """The answer of the wire in the model's terms."""
        reason = self.server.name("Reason", given.reason)
        if not given.allowed:
            return Answer(False, reason)
        until = given.valid_until_ms if given.HasField("valid_until_ms") else NEVER
        ownership = self.server.name("Ownership", given.ownership)
        return Answer(True, reason, until, None if ownership == "UNSPECIFIED" else ownership)

    def _compare_lists(self):
        for customer in self.customers:
            for moment in self.dice.sample([moment for moment in self._moments(2) if moment > 0], 2):
                request = self.server.message("ListEntitlementsRequest", customer_id=customer, at_time_ms=moment)
                listed = self.server.call("ListEntitlements", request)
                names = self.model.list_entitlements(customer)
                self._differ(f"the list of {customer} at {moment}",
                             (listed.customer_known, [(e.entitlement, self._answer(e)) for e in listed.entitlements]),
                             (self.model.is_known(customer), [(e, self.model.answer(customer, e, moment)) for e in names]))

    def _report(self):
        report = self.server.call("GetRefundReport", self.server.message("GetRefundReportRequest"))
        counts = {name: getattr(report, name) for name in self.model.refund_report() if name != "amounts"}
        return {**counts, **{f"amount of {a.currency}": a.amount_milliunits for a in report.amounts}}

    def _compare_reports(self):
        now, model = self._report(), self.model.refund_report()
        amounts = model.pop("amounts")
        expected = {**model, **{f"amount of {currency}": amount for currency, amount in amounts.items() if amount}}
        added = {name: now[name] - self.report_before.get(name, 0) for name in now}
        self._differ("the refund report", {n: v for n, v in added.items() if v}, {n: v for n, v in expected.items() if v})

    def _differ(self, what, server, model, check=None):
        if server != model:
            raise Difference(what, server, model, check, self.said)


def _gist(value):
    """The part of a result that tells one sort of difference from another."""
    if isinstance(value, Answer):
        return value.reason
    return value[0] if isinstance(value, tuple) else value if isinstance(value, str) else None


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _customers(step):
    (_, value), = step.items()
    if isinstance(value, dict):
        yield from [value["customer"]] if value.get("customer") else []
        yield from (text for name, text in _pairs(value) if name == "appAccountToken")


def _pairs(value):
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield name, each
        if isinstance(each, (dict, list)):
            yield from _pairs(each)


def run_alone(scenario, binary, seed):
    """Tells one history to a server of its own: the difference, or nothing."""
    directory = tempfile.mkdtemp(prefix="latchkey-model-")
    server = Server(binary, directory, {**DEFAULT_SETTINGS, **scenario.get("settings", {})})
    try:
        server.catalog.write_text(json.dumps(scenario.get("catalog") or {"products": []}))
        server.start()
        Comparison(scenario, server, seed).run()
    except Difference as difference:
        return difference
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)


def run_batch(batch, arguments):
    """Runs some histories on one server: (histories, what was asked, failures)."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # an end by a signal ends the server too
    count = min(BATCH, arguments.histories - batch * BATCH)
    settings = random_settings(random.Random(f"{arguments.seed} {batch}"))
    directory = tempfile.mkdtemp(prefix="latchkey-model-")
    server = Server(arguments.binary, directory, settings)
    asked = collections.Counter()
    try:
        server.catalog.write_text('{"products": []}')
        server.start()
        for number in range(count):
            seed = f"{arguments.seed} {batch} {number}"
            of_families = arguments.families and number % 2 == 1
            history = History(str(1000 + number), settings, seed, of_families, arguments.with_grants)
            scenario = {"settings": settings, "catalog": history.catalog, "steps": history.steps}
            comparison = Comparison(scenario, server, seed)
            try:
                comparison.run()
            except Difference as difference:
                return number + 1, asked, [keep(scenario, seed, difference, arguments.binary)]
            asked += comparison.asked
        return count, asked, []
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)


def keep(scenario, seed, difference, binary):
    """Shrinks a history that failed, keeps it as a scenario, and says so."""
    def fails_alike(candidate):
        again = run_alone(candidate, binary, seed)
        return again is not None and again.kind == difference.kind

    small = shrunk(scenario, fails_alike)
    again = run_alone(small, binary, seed)
    if again is None:
        return f"seed {seed}: differs only beside others:\n  {difference}"
    file = FOLDER / "found" / f"{seed.replace(' ', '-')}.json"
    file.parent.mkdir(exist_ok=True)
    steps = small["steps"] + ([{"check": again.check}] if again.check else [])
    story = {"name": f"history {seed}", "why": str(again), **small, "steps": steps}
    file.write_text(json.dumps(story, indent=1) + "\n")
    return f"seed {seed}: {again}\n  kept in {file}"


def main():
    arguments = parse()
    failures, histories, asked, started = [], 0, collections.Counter(), time.monotonic()
    for file in sorted((FOLDER / "found").glob("*.json")):
        difference = run_alone(json.loads(file.read_text()), arguments.binary, file.stem)
        histories += 1
        failures += [f"{file.name}: {difference}"] if difference else []
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        waiting = {pool.submit(run_batch, batch, arguments) for batch in range(-(-arguments.histories // BATCH))}
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, timeout=1, return_when=concurrent.futures.FIRST_COMPLETED)
            for batch in done:
                more = batch.result()
                histories, asked, failures = histories + more[0], asked + more[1], failures + more[2]
                for failure in more[2]:
                    print(failure, flush=True)
            print(f"\r{histories} histories, {count_of(asked, False)} checks", end="", file=sys.stderr, flush=True)
            if len(failures) >= arguments.failures:
                for batch in waiting:
                    batch.cancel()
                break
    seconds = time.monotonic() - started
    print(file=sys.stderr)
    for name, count in sorted(asked.items()):
        print(f"{count:12,}  {name}")
    print(f"seed {arguments.seed}: {histories:,} histories, {count_of(asked, True):,} recordings, "
          f"{count_of(asked, False):,} checks, {len(failures)} differences, {seconds:.0f} s")
    return 1 if failures else 0


def count_of(asked, recordings):
    """How many recordings, or how many checks, were compared."""
    return sum(count for name, count in asked.items() if name.startswith("recording") == recordings)


def parse():
    parser = argparse.ArgumentParser(description="Compares the model with a real server on random histories.")
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--binary", default=str(FOLDER.parents[1] / ".build/release/latchkey"))
    parser.add_argument("--jobs", type=int, default=1, help="how many servers run beside each other")
    parser.add_argument("--failures", type=int, default=5, help="how many differences end the run")
    parser.add_argument("--families", action="store_true", help="every other history has more sharing, links and refunds")
    parser.add_argument("--with-grants", action="store_true", help="manual grants too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
