"""What Apple sends, as the values that the model reasons about.

Every name is Apple's, in Python's spelling. Moments are integers of milliseconds since 1970 UTC, as Apple has them.
"""

import datetime
from dataclasses import dataclass
from typing import Optional

AUTO_RENEWABLE = "Auto-Renewable Subscription"
NON_RENEWING = "Non-Renewing Subscription"
NON_CONSUMABLE = "Non-Consumable"
CONSUMABLE = "Consumable"
PURCHASED, FAMILY_SHARED = "PURCHASED", "FAMILY_SHARED"
NEVER, LONG_AGO = float("inf"), float("-inf")


@dataclass(frozen=True)
class Transaction:
    """One version of a transaction: what Apple signed at one moment."""

    environment: str
    transaction_id: str
    original_transaction_id: str
    product_id: str
    type: Optional[str]
    ownership: str
    purchase_date: Optional[int]
    expires_date: Optional[int]
    revocation_date: Optional[int]
    revocation_reason: object
    revocation_type: Optional[str]
    revocation_percentage: Optional[int]
    signed_date: int
    is_upgraded: bool
    price: Optional[int]
    currency: Optional[str]
    app_transaction_id: Optional[str]
    app_account_token: Optional[str]

    @property
    def key(self):
        return self.environment, self.transaction_id

    @property
    def lineage(self):
        return self.environment, self.original_transaction_id

    @property
    def order(self):
        """The greatest is the newest: signed last; then the revoked one, the earlier date first; upgraded; the later expiry."""
        revoked = self.revocation_date is not None
        expiry = LONG_AGO if self.expires_date is None else self.expires_date
        return self.signed_date, revoked, -(self.revocation_date or 0), self.is_upgraded, expiry


@dataclass(frozen=True)
class RenewalInfo:
    """One signed renewal state of a lineage."""

    environment: str
    original_transaction_id: str
    signed_date: int
    grace_period_expires_date: Optional[int]
    is_in_billing_retry_period: bool

    @property
    def lineage(self):
        return self.environment, self.original_transaction_id

    @property
    def order(self):
        grace = self.grace_period_expires_date
        return self.signed_date, LONG_AGO if grace is None else grace, self.is_in_billing_retry_period


@dataclass(frozen=True)
class Contents:
    """What a recording carries; a notification of version 2 and a device carry at most one of each."""

    transactions: list
    renewal_infos: list
    bundle_id: Optional[str]
    revoked_without_date: Optional[int] = None


def contents(record, settings, received_at):
    """What a recording carries, as a scenario's step `record` holds it."""
    if "notification_v1" in record:
        return _contents_v1(record["notification_v1"], settings, received_at)
    if "notification" in record:
        envelope = record["notification"]
        data = envelope.get("data", {})
        signed, info = data.get("signedTransactionInfo"), data.get("signedRenewalInfo")
    else:
        envelope, data = {}, {}
        signed, info = record["transaction"], record.get("renewal_info")
    environment = _first("environment", signed, data if signed else info, data) or settings["environment"]
    transaction = signed and _transaction(signed, environment)
    revoked = None
    if envelope.get("notificationType") == "REVOKE" and transaction and transaction.revocation_date is None:
        revoked = envelope.get("signedDate") or transaction.signed_date
    return Contents([transaction] if transaction else [], [_renewal_info(info, transaction, environment)] if info else [],
                    _first("bundleId", signed, info, data), revoked)


def _first(name, *holders):
    """The first value of a name among the objects that have it."""
    return next((holder[name] for holder in holders if holder and holder.get(name)), None)


def _renewal_info(info, transaction, environment):
    return RenewalInfo(
        environment=info.get("environment") or environment,
        original_transaction_id=info.get("originalTransactionId") or transaction.original_transaction_id,
        signed_date=info.get("signedDate", 0), grace_period_expires_date=info.get("gracePeriodExpiresDate"),
        is_in_billing_retry_period=info.get("isInBillingRetryPeriod", False))


def _transaction(signed, environment):
    return Transaction(
        environment=environment, transaction_id=signed["transactionId"],
        original_transaction_id=signed.get("originalTransactionId") or signed["transactionId"],
        product_id=signed["productId"], type=signed.get("type"), ownership=signed.get("inAppOwnershipType") or PURCHASED,
        purchase_date=signed.get("purchaseDate") or None, expires_date=signed.get("expiresDate"),
        revocation_date=signed.get("revocationDate"), revocation_reason=signed.get("revocationReason"),
        revocation_type=signed.get("revocationType"), revocation_percentage=signed.get("revocationPercentage"),
        signed_date=signed.get("signedDate", 0), is_upgraded=signed.get("isUpgraded", False), price=signed.get("price"),
        currency=signed.get("currency"), app_transaction_id=signed.get("appTransactionId"),
        app_account_token=signed.get("appAccountToken"))


def _contents_v1(body, settings, received_at):
    environment = {"PROD": "Production", None: settings["environment"]}.get(body.get("environment"), body.get("environment"))
    receipt = body.get("unified_receipt", {})
    rows = [_row(row, environment) for row in receipt.get("latest_receipt_info", [])]
    infos = [_info_v1(info, environment, rows, received_at) for info in receipt.get("pending_renewal_info", [])]
    return Contents(rows, infos, body.get("bid"))


def _row(row, environment):
    def moment(name):
        return int(row[name]) if name in row else None

    purchased, cancelled = moment("purchase_date_ms"), moment("cancellation_date_ms")
    return Transaction(
        environment=environment, transaction_id=row["transaction_id"],
        original_transaction_id=row.get("original_transaction_id") or row["transaction_id"], product_id=row["product_id"],
        type=None, ownership=row.get("in_app_ownership_type") or PURCHASED, purchase_date=purchased or None,
        expires_date=moment("expires_date_ms"), revocation_date=cancelled,
        revocation_reason=int(row["cancellation_reason"]) if "cancellation_reason" in row else None, revocation_type=None,
        revocation_percentage=None, signed_date=max(purchased or 0, cancelled or 0),
        is_upgraded=row.get("is_upgraded") == "true", price=None, currency=None, app_transaction_id=None,
        app_account_token=row.get("app_account_token"))


def _info_v1(info, environment, rows, received_at):
    lineage = info["original_transaction_id"]
    dates = [date for row in rows if row.original_transaction_id == lineage
             for date in (row.purchase_date, row.revocation_date, row.expires_date) if date is not None]
    grace = info.get("grace_period_expires_date_ms")
    return RenewalInfo(
        environment=environment, original_transaction_id=lineage,
        signed_date=max((date for date in dates if date <= received_at), default=0),
        grace_period_expires_date=int(grace) if grace else None,
        is_in_billing_retry_period=info.get("is_in_billing_retry_period") == "1")


def after_period(start, period):
    """The moment that lies one ISO 8601 period of calendar units of UTC after another moment."""
    counts, digits = {}, ""
    for character in period[1:]:
        if character.isdigit():
            digits += character
        else:
            counts[character], digits = int(digits), ""
    date = datetime.datetime.fromtimestamp(start // 1000, datetime.timezone.utc)
    months = date.year * 12 + date.month - 1 + counts.get("Y", 0) * 12 + counts.get("M", 0)
    first = date.replace(year=months // 12, month=months % 12 + 1, day=1)
    last_day = ((first.replace(day=28) + datetime.timedelta(days=4)).replace(day=1) - datetime.timedelta(days=1)).day
    moved = first.replace(day=min(date.day, last_day)) + datetime.timedelta(days=counts.get("D", 0), weeks=counts.get("W", 0))
    return int(moved.timestamp()) * 1000 + start % 1000


def milliseconds(text):
    """A moment from ISO 8601 in UTC."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def iso(moment):
    """A moment as ISO 8601 in UTC, to the millisecond."""
    date = datetime.datetime.fromtimestamp(moment // 1000, datetime.timezone.utc)
    return date.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment % 1000:03d}Z"
