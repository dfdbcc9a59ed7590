"""Apple's decoded objects as the fields of Latchkey's own messages, the other form in which a recording may come."""

PREFIXES = {"type": "PRODUCT_TYPE", "inAppOwnershipType": "OWNERSHIP", "environment": "ENVIRONMENT",
            "revocationType": "REVOCATION_TYPE", "revocationReason": "REVOCATION_REASON"}
SPELLED = {"LocalTesting": "LOCAL_TESTING", 0: "OTHER", 1: "DEVELOPER_ISSUE", "upgradedToBundle": "UPGRADED_TO_BUNDLE"}
NAMES = {
    "transactionId": "transaction_id", "originalTransactionId": "original_transaction_id", "productId": "product_id",
    "type": "type", "inAppOwnershipType": "ownership", "environment": "environment", "purchaseDate": "purchase_date_ms",
    "expiresDate": "expires_date_ms", "revocationDate": "revocation_date_ms", "signedDate": "signed_date_ms",
    "isUpgraded": "is_upgraded", "revocationReason": "revocation_reason", "revocationType": "revocation_type",
    "revocationPercentage": "revocation_percentage", "price": "price_milliunits", "currency": "currency",
    "appTransactionId": "app_transaction_id", "appAccountToken": "app_account_token", "bundleId": "bundle_id",
    "gracePeriodExpiresDate": "grace_period_expires_date_ms", "isInBillingRetryPeriod": "is_in_billing_retry_period",
    "notificationType": "type", "subtype": "subtype", "notificationUUID": "uuid",
}


def set_fields(request, record, schema):
    """Fills a request with a notification of version 2, or a bare transaction, as fields."""
    envelope = record.get("notification")
    data = envelope.get("data", {}) if envelope else {}
    signed = data.get("signedTransactionInfo") if envelope else record["transaction"]
    info = data.get("signedRenewalInfo") if envelope else record.get("renewal_info")
    if signed:
        _fill(request.transaction, signed, schema)
    if info:
        _fill(request.renewal_info, info, schema)
    if envelope:
        _fill(request.notification, {n: v for n, v in {**envelope, **data}.items() if n in NAMES}, schema)


def _fill(message, values, schema):
    message.SetInParent()
    for name, value in values.items():
        field = NAMES[name]
        described = message.DESCRIPTOR.fields_by_name[field].enum_type
        if described is None:
            setattr(message, field, value)
            continue
        spelled = SPELLED.get(value, str(value).upper().replace("-", "_").replace(" ", "_"))
        known = described.values_by_name.get(f"{PREFIXES[name]}_{spelled}")
        setattr(message, field, known.number if known else described.values_by_name[f"{PREFIXES[name]}_OTHER"].number)
        if not known:
            setattr(message, f"raw_{field}", value)
