"""Makes a history that fails as small as it can, so that a person can read it."""

import copy

MOST_TRIES = 250


def shrunk(scenario, fails):
    """The smallest history found that still fails; `fails` says whether one does."""
    tries = 0

    def still_fails(candidate):
        nonlocal tries
        tries += 1
        try:
            return tries <= MOST_TRIES and bool(fails(candidate))
        except Exception:  # a history that can't be told at all is no smaller form of this one
            return False

    smaller = _fewer(scenario, lambda s: s["steps"], still_fails)
    smaller = _fewer(smaller, lambda s: s["catalog"]["products"], still_fails)
    return _plainer(smaller, still_fails)


def _fewer(scenario, items, still_fails):
    """Leaves out runs of items, the longest first."""
    length = max(1, len(items(scenario)) // 2)
    while length >= 1:
        begin = 0
        while begin < len(items(scenario)):
            candidate = copy.deepcopy(scenario)
            del items(candidate)[begin:begin + length]
            if still_fails(candidate):
                scenario = candidate
            else:
                begin += length
        length //= 2
    return scenario


def _plainer(scenario, still_fails):
    """Leaves out what Apple, the caller, and the settings needn't say."""
    needed = {"transactionId", "originalTransactionId", "original_transaction_id", "transaction_id", "inAppOwnershipType",
              "productId", "product_id", "transaction", "notification", "notification_v1", "notificationType", "record", "steps",
              "settings", "catalog", "products", "expect", "customer"}
    for path in [path for path in _paths(scenario) if path[-1] not in needed]:
        candidate = copy.deepcopy(scenario)
        holder = candidate
        try:
            for name in path[:-1]:
                holder = holder[name]
            del holder[path[-1]]
        except (KeyError, IndexError):
            continue
        if still_fails(candidate):
            scenario = candidate
    return scenario


def _paths(value, path=()):
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(name, str):
            yield (*path, name)
        if isinstance(each, (dict, list)):
            yield from _paths(each, (*path, name))
