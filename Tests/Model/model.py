"""An independent model of what Latchkey decides: the domain's rules in their own words and order, and none of its code.

Everything is computed anew from what was recorded, slowly and obviously. Only who holds a transaction is kept, since that
depends on the order of the recordings by nature.
"""

import copy
from dataclasses import dataclass
from typing import Optional

from payloads import (AUTO_RENEWABLE, CONSUMABLE, FAMILY_SHARED, LONG_AGO, NEVER, NON_CONSUMABLE, NON_RENEWING, PURCHASED,
                      after_period, contents, milliseconds)

DEFAULT_SETTINGS = {"environment": "Production", "transfer_policy": "move", "customer_from_app_account_token": False,
                    "clock_skew_ms": 60_000, "bundle_id": None, "sandbox_customers": []}
TO_BUNDLE = "upgradedToBundle"
STRONGEST_FIRST = ["APPLIED", "UNCLAIMED", "HELD_BY_ANOTHER", "STALE", "DUPLICATE"]


class Refused(Exception):
    """The recording is refused with a status, and changes nothing."""


@dataclass(frozen=True)
class Answer:
    """Whether an entitlement is allowed, why, until when (`NEVER` has no end), and by which ownership."""

    allowed: bool
    reason: str
    valid_until: Optional[float] = None
    ownership: Optional[str] = None


class Model:
    """All that was recorded, and every answer that follows from it."""

    def __init__(self, settings=None, catalog=None):
        self.settings = {**DEFAULT_SETTINGS, **(settings or {})}
        self.recorded = {"versions": {}, "marks": {}, "links": {}, "infos": {}, "holders": {}, "grants": []}
        self.use_catalog(catalog)

    def use_catalog(self, catalog):
        self.products = {product["product_id"]: product for product in (catalog or {}).get("products", [])}
        self._forget()

    def _forget(self):
        """Drops what was computed: something new is known."""
        self._memory = {}

    def _once(self, name, of, compute):
        """Computes something once for each state."""
        key = name, of
        if key not in self._memory:
            self._memory[key] = compute()
        return self._memory[key]

    # ------------------------------------------------------------------------------------------------------------------
    # Words
    # ------------------------------------------------------------------------------------------------------------------

    def newest(self, key):
        """The newest version of a transaction."""
        return self._once("newest", key, lambda: max(self.recorded["versions"][key], key=lambda version: version.order))

    def all_newest(self):
        return self._once("all", None, lambda: [self.newest(key) for key in self.recorded["versions"]])

    def lineage(self, lineage):
        """The transactions of one environment that share an original transaction id."""
        return self._once("lineage", lineage, lambda: [t for t in self.all_newest() if t.lineage == lineage])

    def renewal_info(self, lineage):
        """The newest renewal info of a lineage."""
        return max(self.recorded["infos"].get(lineage, []), key=lambda info: info.order, default=None)

    def type_of(self, transaction):
        """The transaction's type; where it is missing, the catalog's, else auto-renewable if there is an expiry."""
        known = transaction.type or self.products.get(transaction.product_id, {}).get("type")
        return known or (AUTO_RENEWABLE if transaction.expires_date is not None else None)

    def entitlements_of(self, transaction):
        return {transaction.product_id, *self.products.get(transaction.product_id, {}).get("entitlements", [])}

    def held_by(self, customer):
        return self._once("held", customer, lambda: [
            t for t in self.all_newest() if customer in self.recorded["holders"].get(t.key, [])])

    # ------------------------------------------------------------------------------------------------------------------
    # The fold: the rules 1 to 7
    # ------------------------------------------------------------------------------------------------------------------

    def can_grant(self, transaction):
        """Rule 1 and the first half of rule 7."""
        shareable = self.type_of(transaction) in (NON_CONSUMABLE, AUTO_RENEWABLE)
        return ((transaction.ownership == PURCHASED and (shareable or self.type_of(transaction) == NON_RENEWING))
                or (transaction.ownership == FAMILY_SHARED and shareable))

    def start(self, transaction):
        """Rule 3: when it begins; never without a purchase date."""
        purchased = transaction.purchase_date
        return NEVER if purchased is None else purchased - self.settings["clock_skew_ms"]

    def revoked_at(self, transaction):
        """Rule 5: when it was revoked; `NEVER` if it wasn't."""
        if transaction.revocation_date is not None:
            return transaction.revocation_date
        return min(self.marks_that_count(transaction), default=NEVER)

    def marks_that_count(self, transaction):
        """The moments of REVOKE notifications without a date that no later version overrules."""
        marks = self.recorded["marks"].get(transaction.key, set())
        return {moment for moment, came_with in marks if transaction.signed_date <= max(moment, came_with)}

    def has_latest_expiry(self, transaction):
        expiries = [t.expires_date for t in self.lineage(transaction.lineage)
                    if not t.is_upgraded and t.expires_date is not None]
        return not transaction.is_upgraded and transaction.expires_date is not None and transaction.expires_date == max(expiries)

    def end(self, transaction):
        """Rule 6: when it is over, grace included."""
        return self._once("end", transaction, lambda: self._end(transaction))

    def _end(self, transaction):
        kind, purchased, expires = self.type_of(transaction), transaction.purchase_date, transaction.expires_date
        if kind == NON_RENEWING:
            period = self.products.get(transaction.product_id, {}).get("access_period")
            return after_period(purchased, period) if period and purchased is not None else NEVER
        if kind != AUTO_RENEWABLE:
            return NEVER
        if expires is None:
            return LONG_AGO
        info = self.renewal_info(transaction.lineage)
        if info and info.grace_period_expires_date is not None and purchased is not None \
                and info.signed_date >= purchased and self.has_latest_expiry(transaction):
            return max(expires, info.grace_period_expires_date)
        return expires

    def fulfils_own_rules(self, transaction, moment):
        """Rules 1 to 6 at a moment."""
        known = self.type_of(transaction) in (NON_CONSUMABLE, AUTO_RENEWABLE, NON_RENEWING) \
            and transaction.ownership in (PURCHASED, FAMILY_SHARED)
        return (known and moment >= self.start(transaction) and not transaction.is_upgraded
                and moment < self.revoked_at(transaction) and moment < self.end(transaction))

    def grants(self, transaction, moment):
        return (self.can_grant(transaction) and self.fulfils_own_rules(transaction, moment)
                and self.unbacked_since(transaction, moment) is None)

    def granted_until(self, transaction, moment):
        """When a transaction that grants at a moment stops, if nothing else happens."""
        turns = {self.end(transaction), self.revoked_at(transaction)}
        for purchase in self.linked_purchases(transaction):
            turns |= {self.end(purchase), self.revoked_at(purchase)}
        later = sorted(turn for turn in turns if moment < turn < NEVER)
        return next((turn for turn in later if not self.grants(transaction, turn)), NEVER)

    # ------------------------------------------------------------------------------------------------------------------
    # Family
    # ------------------------------------------------------------------------------------------------------------------

    def linked_purchases(self, transaction):
        """The recorded purchases behind a shared transaction."""
        return self._once("linked", transaction, lambda: self._linked_purchases(transaction))

    def _linked_purchases(self, transaction):
        if transaction.ownership != FAMILY_SHARED:
            return []
        originals = {transaction.original_transaction_id}
        for key in self.held_together(transaction.key):
            originals |= self.recorded["links"].get(key, set())
        return [purchase for original in originals for purchase in self.lineage((transaction.environment, original))
                if purchase.ownership == PURCHASED and self.entitlements_of(purchase) & self.entitlements_of(transaction)]

    def overlap(self, one, other):
        """Whether the periods of two transactions overlap; those that only touch don't."""
        if not (self.has_period(one) and self.has_period(other)):
            return False
        return max(one.purchase_date, other.purchase_date) < min(self.end(one), self.end(other))

    def has_period(self, transaction):
        known = self.type_of(transaction) in (NON_CONSUMABLE, AUTO_RENEWABLE, NON_RENEWING) \
            and transaction.ownership in (PURCHASED, FAMILY_SHARED)
        return known and transaction.purchase_date is not None and self.end(transaction) != LONG_AGO

    def unbacked_since(self, transaction, moment):
        """Rule 7: the purchaser's refund that a shared transaction is without backing for at a moment, or nothing."""
        linked = self.linked_purchases(transaction)
        refunds = [purchase.revocation_date for purchase in linked
                   if purchase.revocation_date is not None and purchase.revocation_date <= moment
                   and not purchase.is_upgraded and purchase.revocation_reason != TO_BUNDLE
                   and self.overlap(purchase, transaction)]
        if not refunds or any(self.fulfils_own_rules(purchase, moment) for purchase in linked):
            return None
        return min(refunds)

    # ------------------------------------------------------------------------------------------------------------------
    # Decisions and reasons
    # ------------------------------------------------------------------------------------------------------------------

    def answer(self, customer, entitlement, moment):
        """May this customer use this entitlement at this moment?"""
        held = self.held_by(customer)
        grants = [g for g in self.recorded["grants"] if g["customer"] == customer]
        if not held and not grants:
            return Answer(False, "UNKNOWN_CUSTOMER")
        candidates = [t for t in held if entitlement in self.entitlements_of(t) and self.could_grant(t)]
        grants = [g for g in grants if g["entitlement"] == entitlement]
        if not candidates and not grants:
            return Answer(False, "NEVER_OWNED")
        granting = [t for t in candidates if self.grants(t, moment)]
        by_grant = max((g["until"] for g in grants if g["from"] <= moment < g["until"]), default=None)
        if granting:
            best = max(granting, key=lambda t: (self.granted_until(t, moment), t.ownership == PURCHASED, id_order(t)))
            until = self.granted_until(best, moment)
            if by_grant is None or until >= by_grant:
                return Answer(True, self.allowed_reason(best, moment), until, best.ownership)
        if by_grant is not None:
            return Answer(True, "MANUAL_GRANT", by_grant)
        return Answer(False, self.denied_reason(candidates, grants, moment))

    def could_grant(self, transaction):
        """Whether a transaction counts for a reason at all: a consumable does, so as to be named."""
        if self.type_of(transaction) == CONSUMABLE:
            return transaction.ownership in (PURCHASED, FAMILY_SHARED)
        return self.can_grant(transaction)

    def allowed_reason(self, transaction, moment):
        in_grace = self.type_of(transaction) == AUTO_RENEWABLE and moment >= transaction.expires_date
        return "GRACE_PERIOD" if in_grace else transaction.ownership

    def denied_reason(self, candidates, grants, moment):
        """The reason of what ended last; only if no access ever ended, of what never was."""
        ended, others = [], set()
        for transaction in candidates:
            reason, since = self.denial(transaction, moment)
            if since is None:
                others.add(reason)
            else:
                ended.append(((since, 1, transaction.ownership == PURCHASED, id_order(transaction)), reason))
        for grant in grants:
            if moment >= grant["until"]:
                ended.append(((grant["until"], 0), "GRANT_ENDED"))
            else:
                others.add("NOT_YET_VALID")
        if ended:
            return max(ended)[1]
        return next(reason for reason in ("NOT_YET_VALID", "UPGRADED", "CONSUMABLE") if reason in others)

    def denial(self, transaction, moment):
        """Why a transaction doesn't grant at a moment, and when its access ended, if it did."""
        return self._once("denial", (transaction, moment), lambda: self._denial(transaction, moment))

    def _denial(self, transaction, moment):
        if self.type_of(transaction) == CONSUMABLE:
            return "CONSUMABLE", None
        if transaction.is_upgraded:
            return "UPGRADED", None
        if moment < self.start(transaction):
            return "NOT_YET_VALID", None
        unbacked = self.unbacked_since(transaction, moment)
        causes = [(self.revoked_at(transaction), 0, self.revoked_reason(transaction)),
                  (NEVER if unbacked is None else unbacked, 1, "SHARED_PURCHASE_REFUNDED"),
                  (self.end(transaction), 2, self.over_reason(transaction))]
        since, _, reason = min(cause for cause in causes if cause[0] <= moment)
        return reason, since

    def revoked_reason(self, transaction):
        if transaction.revocation_reason == TO_BUNDLE:
            return "UPGRADED"
        if transaction.ownership == PURCHASED:
            return "REFUNDED"
        departed = transaction.revocation_date is None or transaction.revocation_type == "FAMILY_REVOKE"
        return "FAMILY_ACCESS_ENDED" if departed else "SHARED_PURCHASE_REFUNDED"

    def over_reason(self, transaction):
        info = self.renewal_info(transaction.lineage)
        retrying = self.type_of(transaction) == AUTO_RENEWABLE and info and info.is_in_billing_retry_period \
            and self.has_latest_expiry(transaction)
        return "BILLING_RETRY" if retrying else "EXPIRED"

    def list_entitlements(self, customer):
        """The names of all that some transaction or grant of a customer could grant."""
        names = {g["entitlement"] for g in self.recorded["grants"] if g["customer"] == customer}
        for transaction in self.held_by(customer):
            if self.could_grant(transaction):
                names |= self.entitlements_of(transaction)
        return sorted(names, key=str.encode)

    def is_known(self, customer):
        return bool(self.held_by(customer)) or any(g["customer"] == customer for g in self.recorded["grants"])

    # ------------------------------------------------------------------------------------------------------------------
    # Whose transaction is it?
    # ------------------------------------------------------------------------------------------------------------------

    def held_together(self, key):
        """The transactions that are held together with one, itself included."""
        return self._once("together", key, lambda: self._held_together(key))

    def _held_together(self, key):
        transaction = self.newest(key)
        alike = [t for t in self.lineage(transaction.lineage) if t.ownership == transaction.ownership]
        if transaction.ownership != FAMILY_SHARED:
            return [t.key for t in alike]
        several = len({t.app_transaction_id for t in alike} - {None}) > 1
        if not several:
            return [t.key for t in alike]
        if transaction.app_transaction_id is None:
            return [key]
        return [t.key for t in alike if t.app_transaction_id == transaction.app_transaction_id]

    def holders_of(self, keys):
        """Who holds any of some transactions, first holder first."""
        return list(dict.fromkeys(customer for key in keys for customer in self.recorded["holders"].get(key, [])))

    def found_customer(self, transaction):
        """The customer of a transaction that names none and is held together with nothing that is held."""
        apart = transaction.ownership == FAMILY_SHARED and transaction.app_transaction_id is not None
        same_ownership = [t.key for t in self.lineage(transaction.lineage) if t.ownership == transaction.ownership
                          and not (apart and t.app_transaction_id not in (None, transaction.app_transaction_id))]
        same_app = [t.key for t in self.all_newest() if t.environment == transaction.environment
                    and transaction.app_transaction_id is not None and t.app_transaction_id == transaction.app_transaction_id]
        for fitting in (self.holders_of(same_ownership), self.holders_of(same_app)):
            if len(fitting) == 1:
                return fitting[0]
        return transaction.app_account_token if self.settings["customer_from_app_account_token"] else None

    # ------------------------------------------------------------------------------------------------------------------
    # Recording
    # ------------------------------------------------------------------------------------------------------------------

    def record(self, record, now):
        """Records a step `record` of a scenario: (outcome, customer, changes), or `Refused` with the status."""
        expect = record.get("expect") or {}
        moment = milliseconds(expect["at"]) if expect.get("at") else now
        received_at = milliseconds(record["received_at"]) if record.get("received_at") else now
        before, saved = self.allowed_at(moment), copy.deepcopy(self.recorded)
        try:
            outcomes = self._record_all(record, contents(record, self.settings, received_at))
        except Refused:
            self.recorded = saved
            self._forget()
            raise
        outcome, customer = min(outcomes, key=lambda o: STRONGEST_FIRST.index(o[0]), default=("IGNORED", None))
        after = self.allowed_at(moment)
        changes = {(*name, name in after) for name in before ^ after}
        return outcome, customer, changes

    def allowed_at(self, moment):
        """Every (customer, entitlement) that is allowed at a moment."""
        customers = {c for holders in self.recorded["holders"].values() for c in holders}
        customers |= {g["customer"] for g in self.recorded["grants"]}
        return {(c, e) for c in customers for e in self.list_entitlements(c) if self.answer(c, e, moment).allowed}

    def _record_all(self, record, carried):
        """Records all that a recording carries; gives the outcome and customer of each part."""
        links = record.get("shared_from") or []
        links = [links] if isinstance(links, str) else links
        if links and not (carried.transactions and all(t.ownership == FAMILY_SHARED for t in carried.transactions)):
            raise Refused("INVALID_ARGUMENT")
        if self.settings["bundle_id"] and (carried.bundle_id or self.settings["bundle_id"]) != self.settings["bundle_id"]:
            raise Refused("FAILED_PRECONDITION")
        new_lineages = {info.lineage for info in carried.renewal_infos if self._add_info(info)}
        only = len(carried.transactions) == 1
        lineages = {transaction.lineage for transaction in carried.transactions}
        alone = [] if only else [info for info in carried.renewal_infos if info.lineage not in lineages]
        return [self._record_info_alone(info, record.get("customer"), info.lineage in new_lineages) for info in alone] + [
            self._record_transaction(t, carried.revoked_without_date, record.get("customer"), links,
                                     bool(new_lineages) if only else t.lineage in new_lineages)
            for t in carried.transactions]

    def _record_transaction(self, transaction, revoked_without_date, named, links, info_is_new):
        key = transaction.key
        known = key in self.recorded["versions"]
        newer = not known or transaction.order > self.newest(key).order
        same = known and transaction.order == self.newest(key).order
        self.recorded["versions"].setdefault(key, []).append(transaction)
        self._forget()
        mark_is_new = revoked_without_date is not None and self._add_mark(key, revoked_without_date, transaction)
        refused, holder_is_new = self._claim(key, named)
        link_is_new = not refused and self._add_links(key, links)
        self._forget()
        customer = next(iter(self.recorded["holders"].get(key, [])), None)
        self.was_new = newer or holder_is_new or link_is_new or info_is_new or mark_is_new
        if refused:
            return "HELD_BY_ANOTHER", customer
        if not self.was_new:
            return "DUPLICATE" if same else "STALE", customer
        return "APPLIED" if customer is not None else "UNCLAIMED", customer

    def _record_info_alone(self, info, named, is_new):
        """A renewal info alone claims nothing, whoever is named."""
        holders = self.holders_of([t.key for t in self.lineage(info.lineage)])
        self._check_environment(info.environment, [named] if named else holders)
        customer = next(iter(holders), None)
        if not is_new:
            return "DUPLICATE" if info.order == self.renewal_info(info.lineage).order else "STALE", customer
        return "APPLIED" if holders else "UNCLAIMED", customer

    def _check_environment(self, environment, customers):
        """Rule 2: the server's environment, or the sandbox's for customers who may hold it."""
        def is_listed(customer):
            return any(customer.startswith(entry[:-1]) if entry.endswith("*") else customer == entry
                       for entry in self.settings["sandbox_customers"])

        if environment == self.settings["environment"]:
            return
        if environment != "Sandbox" or not customers or not all(is_listed(customer) for customer in customers):
            raise Refused("FAILED_PRECONDITION")

    def _add_info(self, info):
        newest = self.renewal_info(info.lineage)
        self.recorded["infos"].setdefault(info.lineage, []).append(info)
        self._forget()
        return newest is None or info.order > newest.order

    def _add_mark(self, key, moment, transaction):
        """Adds a mark; says whether it counts: beside one that is as early and lasts as long it never will."""
        marks, lasts = self.recorded["marks"].setdefault(key, set()), max(moment, transaction.signed_date)
        outdone = any(other <= moment and max(other, came_with) >= lasts for other, came_with in marks)
        marks.add((moment, transaction.signed_date))
        return not outdone and moment in self.marks_that_count(self.newest(key))

    def _add_links(self, key, links):
        known = set().union(*(self.recorded["links"].get(each, set()) for each in self.held_together(key)))
        self.recorded["links"].setdefault(key, set()).update(links)
        return not known.issuperset(links)

    def _claim(self, key, named):
        """Decides who holds what a recording concerns: (whether the claim was refused, whether a holder is new)."""
        transaction, together, holders = self.newest(key), self.held_together(key), self.holders_of(self.held_together(key))
        is_transfer = named is not None and bool(holders) and named not in holders
        if is_transfer and self.settings["transfer_policy"] == "keep":
            self._check_environment(key[0], [named])
            return True, self._give([key], holders)
        if named is not None:
            moved = self.settings["transfer_policy"] == "move"
            customers = ([named] if moved else holders + [named]) if is_transfer else holders or [named]
        else:
            found = None if holders else self.found_customer(transaction)
            customers = holders or ([found] if found is not None else [])
        self._check_environment(key[0], [named] if named is not None else customers)
        is_new = False
        for each in together:
            own = self.recorded["holders"].get(each) if is_transfer and customers != [named] else None
            is_new = self._give([each], own + [named] if own else customers, instead=is_transfer) or is_new
        return False, self._adopt(transaction, [named] if named is not None else customers) or is_new

    def _adopt(self, transaction, customers):
        """Gives what nobody holds and what has the same app transaction id to the customers of a recording."""
        if transaction.app_transaction_id is None or not customers:
            return False
        unclaimed = [t.key for t in self.all_newest() if t.environment == transaction.environment
                     and t.app_transaction_id == transaction.app_transaction_id and not self.recorded["holders"].get(t.key)]
        together = [key for each in unclaimed for key in self.held_together(each)]
        return self._give(together, customers)

    def _give(self, keys, customers, instead=False):
        """Has customers hold transactions that nobody holds, or, `instead`, whoever held them before."""
        is_new = False
        for key in keys:
            if customers and (instead or not self.recorded["holders"].get(key)):
                is_new = is_new or self.recorded["holders"].get(key) != list(customers)
                self.recorded["holders"][key] = list(customers)
        self._forget()
        return is_new

    # ------------------------------------------------------------------------------------------------------------------
    # Manual grants, rebuilds with a history
    # ------------------------------------------------------------------------------------------------------------------

    def grant(self, grant, now):
        self.recorded["grants"].append({
            "customer": grant["customer"], "entitlement": grant["entitlement"],
            "from": milliseconds(grant["from"]) if grant.get("from") else now,
            "until": milliseconds(grant["until"]) if grant.get("until") else NEVER})
        self._forget()

    def ungrant(self, ungrant, now):
        moment = milliseconds(ungrant["at"]) if ungrant.get("at") else now
        for grant in self.recorded["grants"]:
            if (grant["customer"], grant["entitlement"]) == (ungrant["customer"], ungrant["entitlement"]):
                grant["until"] = min(grant["until"], moment)
        self._forget()

    def rebuild_with_history(self, customer, history, now):
        """Records Apple's history in the customer's name; says for how many transactions something was new."""
        recorded, saved = 0, copy.deepcopy(self.recorded)
        for signed in history:
            try:
                self.record({"transaction": signed, "customer": customer}, now)
            except Refused:
                self.recorded = saved
                self._forget()
                raise
            recorded += self.was_new
        return recorded

    # ------------------------------------------------------------------------------------------------------------------
    # Money
    # ------------------------------------------------------------------------------------------------------------------

    def refund_report(self):
        counts = dict.fromkeys(
            ["refunds", "shared_refunds", "family_departures", "bundle_upgrades", "reversals", "unclaimed"], 0)
        amounts = {}
        for transaction in self.all_newest():
            if transaction.environment != self.settings["environment"]:
                continue
            counts["unclaimed"] += not self.recorded["holders"].get(transaction.key)
            kind = self.refund_class(transaction)
            if kind:
                counts[kind] += 1
            if kind == "refunds" and transaction.price is not None:
                percentage = transaction.revocation_percentage
                amount = transaction.price * (100_000 if percentage is None else percentage) // 100_000
                amounts[transaction.currency] = amounts.get(transaction.currency, 0) + amount
        return {**counts, "amounts": amounts}

    def refund_class(self, transaction):
        if transaction.revocation_date is not None:
            if transaction.revocation_reason == TO_BUNDLE:
                return "bundle_upgrades"
            if transaction.ownership == PURCHASED:
                return "refunds"
            if transaction.ownership == FAMILY_SHARED:
                return "family_departures" if transaction.revocation_type == "FAMILY_REVOKE" else "shared_refunds"
            return None
        if transaction.ownership == FAMILY_SHARED and self.marks_that_count(transaction):
            return "family_departures"
        was_revoked = any(version.revocation_date is not None and version.signed_date < transaction.signed_date
                          for version in self.recorded["versions"][transaction.key])
        return "reversals" if transaction.ownership == PURCHASED and was_revoked else None

    # ------------------------------------------------------------------------------------------------------------------
    # What is worth asking
    # ------------------------------------------------------------------------------------------------------------------

    def boundaries(self):
        """Every moment at which some answer may turn."""
        moments = set()
        for t in self.all_newest():
            moments |= {t.purchase_date, self.start(t), t.expires_date, t.revocation_date, self.revoked_at(t), self.end(t)}
        for infos in self.recorded["infos"].values():
            moments |= {info.grace_period_expires_date for info in infos}
        for grant in self.recorded["grants"]:
            moments |= {grant["from"], grant["until"]}
        return {moment for moment in moments if moment is not None and LONG_AGO < moment < NEVER}


def id_order(transaction):
    """The greater transaction id: as numbers if both are all digits, else by bytes."""
    return IdOrder(transaction.transaction_id)


class IdOrder:
    """Compares two transaction ids."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return not self < other and not other < self

    def __lt__(self, other):
        if self.text.isdigit() and other.text.isdigit():
            return int(self.text) < int(other.text)
        return self.text.encode() < other.text.encode()
