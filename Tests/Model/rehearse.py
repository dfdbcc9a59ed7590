"""Has the model alone rehearse scenario files: its exit status is 0 only if every expectation holds."""

import json
import pathlib
import sys
import time

from model import Model, NEVER, Refused
from payloads import milliseconds


def rehearse(scenario, with_grants=True):
    """The expectations of a scenario that the model doesn't meet, in words; steps that only a server has are passed over."""
    model, now, broken = Model(scenario.get("settings"), scenario.get("catalog")), time.time_ns() // 1_000_000, []

    def compare(number, what, wanted, got):
        if wanted != got:
            broken.append(f"step {number}: {what}: expected {wanted}, the model says {got}")

    for number, step in enumerate(scenario["steps"], 1):
        (kind, value), = step.items()
        if kind == "record":
            compare(number, "record", *record(model, value, now))
        elif kind == "check":
            answer = model.answer(value["customer"], value["entitlement"], milliseconds(value["at"]))
            compare(number, "check", (value["allowed"], value["reason"]), (answer.allowed, answer.reason))
            compare(number, "ownership", value.get("ownership", answer.ownership), answer.ownership)
            if "valid_until" in value:
                until = value["valid_until"]
                compare(number, "valid_until", NEVER if until is None else milliseconds(until), answer.valid_until)
        elif kind == "entitlements":
            moment = milliseconds(value["at"])
            are = [e for e in model.list_entitlements(value["customer"]) if model.answer(value["customer"], e, moment).allowed]
            compare(number, "entitlements", sorted(value["are"]), sorted(are))
        elif kind == "rebuild" and "history" in value and not value.get("dry_run"):
            model.rebuild_with_history(value["customer"], value["history"], now)
        elif kind == "catalog":
            model.use_catalog(value)
        elif kind == "report":
            report = model.refund_report()
            compare(number, "report", value, {name: report[name] for name in value})
        elif kind == "grant":
            model.grant(value, now)
        elif kind == "ungrant":
            model.ungrant(value, now)
    return broken


def record(model, value, now):
    """What a recording was expected to do, and what the model did, as far as something was expected."""
    expect = dict(value.get("expect") or {})
    if "at" not in expect:
        apple = value.get("notification") or value.get("transaction") or {}
        signed = apple.get("signedDate") or apple.get("data", {}).get("signedTransactionInfo", {}).get("signedDate")
        now = signed or now
    try:
        outcome, customer, changes = model.record(value, now)
    except (Refused, KeyError) as error:
        return expect, {**expect, "error": str(error)}
    got = {"outcome": outcome, "customer": customer, "changes": changes}
    if "changes" in expect:
        expect["changes"] = {(c["customer"], c["entitlement"], c["allowed"]) for c in expect["changes"]}
    expect.pop("at", None)
    return expect, {name: got.get(name) for name in expect}


def main(paths):
    failed = 0
    for path in paths:
        broken = rehearse(json.loads(pathlib.Path(path).read_text()))
        failed += bool(broken)
        for line in broken:
            print(f"{path}: {line}")
    print(f"{len(paths) - failed} of {len(paths)} scenarios hold for the model")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
