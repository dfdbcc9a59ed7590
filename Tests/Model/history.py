"""Seeded random histories over universes so small that collisions and ties happen.

A history is a scenario (`docs/scenarios.md`) without expectations: settings, a catalog, and steps. Its ids begin with a prefix
of its own, so that many histories can run on one server and know nothing of each other.
"""

import random

from payloads import AUTO_RENEWABLE, CONSUMABLE, NON_CONSUMABLE, NON_RENEWING, iso

START, DAY = 1_767_225_600_000, 86_400_000
CURRENCIES = ["USD", "JPY"]


def random_settings(dice):
    """Settings of a server, for all histories that run on it."""
    return {
        "environment": dice.choice(["Production"] * 5 + ["Sandbox"]),
        "transfer_policy": dice.choice(["move", "keep", "share"]),
        "customer_from_app_account_token": dice.random() < 0.4,
        "clock_skew_ms": dice.choice([0, 60_000, 60_000, DAY]),
        "bundle_id": dice.choice([None, "com.example.app"]),
        "sandbox_customers": dice.choice([[], ["review-*"]]),
    }


class History:
    """One random history: `settings`, `catalog` and `steps`. One `of_families` has more sharing, links and refunds."""

    def __init__(self, prefix, settings, seed, of_families=False, with_grants=False):
        self.dice = random.Random(seed)
        self.prefix, self.settings, self.of_families, self.with_grants = prefix, settings, of_families, with_grants
        self.signed = {}
        self.customers = [f"{name}-{prefix}" for name in self.dice.sample(["ana", "bob", "cleo", "dan", "eve"],
                                                                           self.dice.choice([2, 3, 3, 4]))]
        if settings["sandbox_customers"]:
            self.customers.append(f"review-{prefix}")
        self.entitlements = [f"{prefix}.{name}" for name in ("pro", "plus", "themes")]
        self.catalog = self._catalog()
        drawn = [self._transaction() for _ in range(self.dice.choice([2, 3, 4, 5, 6, 9]))]
        # Two transactions may have one id only in two environments.
        self.transactions = list({self._key(t["fixed"]): t for t in drawn}.values())
        self.v1_lineages = {t["fixed"].get("originalTransactionId", t["fixed"]["transactionId"])
                            for t in self.transactions if t["v1"]}
        self.steps = self._steps()

    # The universe

    def _catalog(self):
        products = []
        for name, kind in (("monthly", AUTO_RENEWABLE), ("yearly", AUTO_RENEWABLE), ("lifetime", NON_CONSUMABLE),
                           ("season", NON_RENEWING), ("coins", CONSUMABLE)):
            product = {"product_id": f"{self.prefix}.{name}"}
            if self.dice.random() < 0.8:
                product["type"] = kind
            if self.dice.random() < 0.85:
                product["entitlements"] = self.dice.sample(self.entitlements, self.dice.choice([1, 1, 2]))
            if kind == NON_RENEWING and self.dice.random() < 0.8:
                product["access_period"] = self.dice.choice(["P2D", "P1W", "P1M", "P1Y1M"])
            products.append(product)
        return {"products": self.dice.sample(products, self.dice.choice([3, 4, 5, 5]))}

    def _key(self, signed):
        return signed.get("environment", self.settings["environment"]), signed["transactionId"]

    def _day(self, most=8):
        return START + self.dice.randrange(most + 1) * DAY

    def _id(self):
        return self.prefix + self.dice.choice(["1", "2", "3", "9", "10", "11", "04", "x", "X7"])

    def _transaction(self):
        """What all versions of one transaction have in common."""
        dice = self.dice
        name, kind = dice.choice([("monthly", AUTO_RENEWABLE)] * 4 + [("yearly", AUTO_RENEWABLE)] * 2 + [
            ("lifetime", NON_CONSUMABLE)] * 3 + [("season", NON_RENEWING), ("coins", CONSUMABLE), ("unlisted", NON_CONSUMABLE)])
        purchased = self._day()
        fixed = {"transactionId": self._id(), "productId": f"{self.prefix}.{name}"}
        if dice.random() < 0.8:
            fixed["originalTransactionId"] = self.prefix + dice.choice(["1", "2", "3"])
        fixed["type"] = dice.choice([kind] * 16 + [None, None, "Rental", NON_CONSUMABLE])
        fixed["inAppOwnershipType"] = dice.choice(["PURCHASED"] * 9 + ["FAMILY_SHARED"] * 8 + [None, None, "ASSIGNED"])
        fixed["purchaseDate"] = dice.choice([purchased] * 30 + [None, 0])
        if kind == AUTO_RENEWABLE:
            fixed["expiresDate"] = dice.choice([purchased + dice.randrange(1, 5) * DAY] * 20 + [purchased, None])
        other = "Sandbox" if self.settings["environment"] == "Production" else "Production"
        often = 4 if self.settings["sandbox_customers"] else 1
        fixed["environment"] = dice.choice([self.settings["environment"]] * 24 + [None] * 4 + [other] * often + ["Xcode"])
        fixed["bundleId"] = dice.choice(["com.example.app"] * 20 + [None] * 4 + ["com.example.other"])
        fixed["appTransactionId"] = dice.choice([None, None] + [f"app{self.prefix}{n}" for n in "123"])
        if self.of_families:
            fixed.update(environment=self.settings["environment"], bundleId="com.example.app",
                         inAppOwnershipType=dice.choice(["PURCHASED", "FAMILY_SHARED"]),
                         productId=f"{self.prefix}.{name if name in ('yearly', 'lifetime') else 'monthly'}")
        if dice.random() < 0.3:
            fixed["appAccountToken"] = dice.choice(self.customers)
        if dice.random() < 0.6:
            fixed["price"], fixed["currency"] = dice.choice([990, 9999, 300_000, 0]), dice.choice(CURRENCIES)
        fixed = {name: value for name, value in fixed.items() if value is not None}
        # What a body of version 1 and one of version 2 say of a transaction must never tie: only the bytes would decide.
        return {"fixed": fixed, "v1": dice.random() < 0.2, "owner": dice.choice(self.customers)}

    # What Apple signs

    def _once(self, *key, make):
        """Gives the same content for the same key: where all else ties only the bytes decide, and no model knows those."""
        return self.signed.setdefault(key, make)

    def _version(self, transaction):
        """A signed snapshot of a transaction."""
        dice, signed = self.dice, dict(transaction["fixed"])
        signed["signedDate"] = self._day(12) + (1 if transaction["v1"] else dice.choice([0, 0, 1]))
        if dice.random() < 0.03:
            del signed["signedDate"]
        if dice.random() < 0.1:
            signed["isUpgraded"] = True
        if "expiresDate" in signed and dice.random() < 0.1:
            signed["expiresDate"] += DAY
        is_shared = signed.get("inAppOwnershipType") == "FAMILY_SHARED"
        # In a family the purchaser's refund says more where the member's own copy wasn't revoked too.
        if dice.random() < ((0.1 if is_shared else 0.6) if self.of_families else 0.35):
            signed["revocationDate"] = self._day(12)
            signed["revocationReason"] = dice.choice([0, 0, 1, "upgradedToBundle"])
            if dice.random() < 0.5:
                kinds = ["REFUND_FULL", "REFUND_PRORATED"]
                if is_shared and signed["revocationReason"] != "upgradedToBundle":
                    kinds = ["REFUND_FULL", "FAMILY_REVOKE"]
                signed["revocationType"] = dice.choice(kinds)
            if dice.random() < 0.4:
                signed["revocationPercentage"] = dice.choice([0, 15, 33_333, 67_932, 100_000])
        if not transaction["v1"] and dice.random() < 0.06:
            self._change(signed)
        key = (*self._key(signed), signed.get("signedDate", 0), signed.get("revocationDate"), signed.get("isUpgraded"),
               signed.get("expiresDate"))
        return dict(self._once(*key, make=signed))

    def _change(self, signed):
        """A newer version may say something else of what usually stays."""
        name = self.dice.choice(["appTransactionId", "appTransactionId", "purchaseDate"])
        if name == "purchaseDate":
            signed[name] = self._day()
        elif name in signed:
            del signed[name]
        else:
            signed[name] = f"app{self.prefix}{self.dice.choice('123')}"

    def _renewal_info(self, transaction):
        """A renewal info of a transaction's lineage, or, seldom, of another."""
        dice, fixed = self.dice, transaction["fixed"]
        lineage = fixed.get("originalTransactionId", fixed["transactionId"])
        if dice.random() < 0.05:
            lineage = self.prefix + dice.choice(["1", "2", "3"])
        offsets = [-1, 3] if lineage in self.v1_lineages else [-1, 0, 3, 3]
        info = {"originalTransactionId": lineage, "signedDate": self._day(10) + dice.choice(offsets),
                "isInBillingRetryPeriod": dice.random() < 0.6}
        if dice.random() < 0.6:
            info["gracePeriodExpiresDate"] = self._day(14)
        if fixed.get("environment"):
            info["environment"] = fixed["environment"]
        key = ("info", lineage, info.get("environment", self.settings["environment"]), info["signedDate"],
               info["isInBillingRetryPeriod"], info.get("gracePeriodExpiresDate"))
        return dict(self._once(*key, make=info))

    def _body_v1(self):
        """A body of version 1 with some rows and renewal infos; nothing where no transaction is of that kind."""
        dice = self.dice
        usable = [t for t in self.transactions if t["v1"] and t["fixed"].get("purchaseDate")]
        if not usable:
            return None
        rows, infos = [], []
        for transaction in dice.sample(usable, min(len(usable), dice.choice([1, 1, 2, 3]))):
            rows.append(self._row(transaction["fixed"]))
            if dice.random() < 0.4:
                info = {"original_transaction_id": rows[-1].get("original_transaction_id", rows[-1]["transaction_id"]),
                        "auto_renew_status": "1", "is_in_billing_retry_period": dice.choice("01")}
                if dice.random() < 0.6:
                    info["grace_period_expires_date_ms"] = str(self._day(14) + 5)
                if dice.random() < 0.1:
                    info["original_transaction_id"] = self.prefix + dice.choice("123")
                infos.append(info)
        body = {"notification_type": dice.choice(["DID_RENEW", "CANCEL", "REVOKE"]), "bid": "com.example.app",
                "unified_receipt": {"latest_receipt_info": rows, "pending_renewal_info": infos}}
        body["environment"] = {"Production": "PROD"}.get(self.settings["environment"], self.settings["environment"])
        return body

    def _row(self, fixed):
        row = {"transaction_id": fixed["transactionId"], "product_id": fixed["productId"],
               "purchase_date_ms": str(fixed["purchaseDate"])}
        if "originalTransactionId" in fixed:
            row["original_transaction_id"] = fixed["originalTransactionId"]
        if "expiresDate" in fixed:
            row["expires_date_ms"] = str(fixed["expiresDate"])
        if "inAppOwnershipType" in fixed:
            row["in_app_ownership_type"] = fixed["inAppOwnershipType"]
        if self.dice.random() < 0.1:
            row["is_upgraded"] = "true"
        if self.dice.random() < 0.3:
            row["cancellation_date_ms"] = str(self._day(12))
            row["cancellation_reason"] = "1"
        return row

    # What happens, in which order

    def _steps(self):
        dice = self.dice
        steps = []
        for transaction in self.transactions:
            steps += [self._record(transaction) for _ in range(dice.choice([1, 1, 2, 2, 3, 4]))]
        steps += [self._bare_notification() for _ in range(dice.choice([0, 0, 1]))]
        steps += [step for step in (self._record_v1() for _ in range(dice.choice([0, 1, 2]))) if step]
        dice.shuffle(steps)
        for _ in range(dice.choice([0, 1, 2, 3])):
            steps.insert(dice.randrange(len(steps) + 1), dice.choice(steps))
        for _ in range(dice.choice([0, 0, 1, 2])):
            steps.insert(dice.randrange(len(steps) + 1), self._operation())
        if self.with_grants:
            for _ in range(dice.choice([0, 1, 2])):
                steps.insert(dice.randrange(len(steps) + 1), self._grant())
        return steps

    def _record(self, transaction):
        """A notification or a bare transaction, mostly in its owner's name or in none."""
        dice, record = self.dice, {}
        version = self._version(transaction)
        info = self._renewal_info(transaction) if dice.random() < 0.3 else None
        if dice.random() < 0.5:
            record["transaction"] = version
            if info:
                record["renewal_info"] = info
            record["source"] = dice.choice(["device", "server_api", "import"])
        else:
            record["notification"] = self._notification(version, info)
        self._name(record, transaction["owner"])
        is_shared = version.get("inAppOwnershipType") == "FAMILY_SHARED"
        if is_shared and dice.random() < (0.9 if self.of_families else 0.5) or dice.random() < 0.01:
            record["shared_from"] = dice.sample([self.prefix + n for n in "123"], dice.choice([1, 1, 1, 2]))
        return {"record": record}

    def _notification(self, version, info):
        dice = self.dice
        data = {"signedTransactionInfo": version}
        if info:
            data["signedRenewalInfo"] = info
            if dice.random() < 0.15:
                del data["signedTransactionInfo"]
        if dice.random() < 0.8:
            data["environment"] = version.get("environment", self.settings["environment"])
        if dice.random() < 0.8:
            data["bundleId"] = version.get("bundleId", "com.example.app")
        kind = "REVOKE" if dice.random() < 0.3 else dice.choice(["SUBSCRIBED", "DID_RENEW", "REFUND", "REFUND_REVERSED"])
        envelope = {"notificationType": kind, "version": "2.0", "data": data}
        if dice.random() < 0.9:
            envelope["signedDate"] = self._day(12) + dice.choice([0, 0, 2])
        return envelope

    def _name(self, record, owner):
        dice = self.dice
        if dice.random() < 0.6:
            record["customer"] = owner if dice.random() < 0.75 else dice.choice(self.customers)
        record["expect"] = {"at": iso(self._day(14) + dice.choice([-1, 0, 1]))}

    def _record_v1(self):
        body = self._body_v1()
        if body is None:
            return None
        record = {"notification_v1": body, "received_at": iso(self._day(14))}
        self._name(record, self.dice.choice(self.customers))
        return {"record": record}

    def _bare_notification(self):
        return {"record": {"notification": {"notificationType": "TEST", "signedDate": self._day()},
                           "customer": self.dice.choice(self.customers)}}

    def _operation(self):
        dice = self.dice
        kind = dice.choice(["restart", "restart", "snapshot", "rebuild", "rebuild", "rebuild", "catalog"])
        if kind == "restart":
            return {"restart": dice.choice(["clean", "kill"])}
        if kind == "snapshot":
            return {"snapshot": {}}
        if kind == "catalog":
            return {"catalog": self._catalog()}
        rebuild = dice.choice([{"everyone": True}, {"lineage": self.prefix + dice.choice("123")},
                               {"customer": dice.choice(self.customers)}, self._rebuild_with_history()])
        return {"rebuild": {**rebuild, "corrections": 0}}

    def _rebuild_with_history(self):
        own = [t for t in self.transactions if t["fixed"].get("environment") == self.settings["environment"]
               and t["fixed"].get("bundleId") != "com.example.other"]
        listed = self.dice.sample(own, min(len(own), 2))
        return {"customer": self.dice.choice(self.customers), "history": [self._version(t) for t in listed]}

    def _grant(self):
        dice = self.dice
        step = {"customer": dice.choice(self.customers), "entitlement": dice.choice(self.entitlements), "by": "support",
                "note": "goodwill"}
        if dice.random() < 0.3:
            return {"ungrant": {**step, "at": iso(self._day(12))}}
        begin = self._day()
        step["from"] = iso(begin)
        if dice.random() < 0.7:
            step["until"] = iso(begin + dice.randrange(1, 6) * DAY)
        return {"grant": step}
