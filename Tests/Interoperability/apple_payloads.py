"""Prints decoded payloads of every kind that Apple's own server library knows, as JSON lines for `latchkey record`.

Every type and subtype of its notification enumerations appears with a transaction and a renewal info, every value of its
product, ownership, revocation and offer enumerations in a transaction, and every other part that a notification may carry
instead. The objects are made from the library's models and turned into JSON by the library's own converter.

The first line on standard error says how many of the lines carry nothing to record.
"""

import itertools
import json
import sys

import attr
from appstoreserverlibrary.models.AppData import AppData
from appstoreserverlibrary.models.AutoRenewStatus import AutoRenewStatus
from appstoreserverlibrary.models.Data import Data
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExpirationIntent import ExpirationIntent
from appstoreserverlibrary.models.ExternalPurchaseToken import ExternalPurchaseToken
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.JWSRenewalInfoDecodedPayload import JWSRenewalInfoDecodedPayload
from appstoreserverlibrary.models.JWSTransactionDecodedPayload import JWSTransactionDecodedPayload
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OfferDiscountType import OfferDiscountType
from appstoreserverlibrary.models.OfferType import OfferType
from appstoreserverlibrary.models.PriceIncreaseStatus import PriceIncreaseStatus
from appstoreserverlibrary.models.ResponseBodyV2DecodedPayload import ResponseBodyV2DecodedPayload
from appstoreserverlibrary.models.RevocationReason import RevocationReason
from appstoreserverlibrary.models.RevocationType import RevocationType
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.Summary import Summary
from appstoreserverlibrary.models.TransactionReason import TransactionReason
from appstoreserverlibrary.models.Type import Type

START = 1767225600000
DAY = 86_400_000
ids = itertools.count(1000)


def as_json(model):
    """The model as the library writes it, without what is absent."""

    def prune(value):
        if isinstance(value, dict):
            return {key: prune(part) for key, part in value.items() if part is not None}
        return [prune(part) for part in value] if isinstance(value, list) else value

    return prune(_get_cattrs_converter(type(model)).unstructure(model))


def transaction(**fields):
    number = next(ids)
    given = dict(
        transactionId=str(number), originalTransactionId=str(number), webOrderLineItemId="34343", bundleId="com.example.app",
        productId="pro.monthly", subscriptionGroupIdentifier="55555", purchaseDate=START, originalPurchaseDate=START,
        expiresDate=START + 30 * DAY, quantity=1, type=Type.AUTO_RENEWABLE_SUBSCRIPTION,
        inAppOwnershipType=InAppOwnershipType.PURCHASED, signedDate=START + DAY, environment=Environment.PRODUCTION,
        transactionReason=TransactionReason.PURCHASE, storefront="USA", storefrontId="143441", price=9990, currency="USD",
        offerType=OfferType.INTRODUCTORY_OFFER, offerDiscountType=OfferDiscountType.FREE_TRIAL, offerPeriod="P1M",
        appTransactionId=f"71{number}", appAccountToken="7e3fb20b-4cdb-47cc-936d-99d65f608138")
    given.update(fields)
    return JWSTransactionDecodedPayload(**given)


def renewal_info(of, **fields):
    given = dict(
        originalTransactionId=of.originalTransactionId, productId=of.productId, autoRenewProductId="pro.yearly",
        autoRenewStatus=AutoRenewStatus.ON, expirationIntent=ExpirationIntent.BILLING_ERROR, isInBillingRetryPeriod=True,
        priceIncreaseStatus=PriceIncreaseStatus.CUSTOMER_HAS_NOT_RESPONDED, gracePeriodExpiresDate=START + 46 * DAY,
        signedDate=START + DAY, environment=Environment.PRODUCTION, recentSubscriptionStartDate=START,
        renewalDate=START + 30 * DAY, renewalPrice=9990, currency="USD", eligibleWinBackOfferIds=["eligible1", "eligible2"],
        appTransactionId=of.appTransactionId)
    given.update(fields)
    return JWSRenewalInfoDecodedPayload(**given)


def notification(kind, subtype, number, **parts):
    return as_json(ResponseBodyV2DecodedPayload(
        notificationType=kind, subtype=subtype, notificationUUID=f"00000000-0000-4000-8000-{number:012d}", version="2.0",
        signedDate=START + DAY + 500, **parts))


def with_data(kind, subtype, number, decoded, info):
    """A notification whose data holds the decoded objects in place of the signed ones."""
    body = notification(kind, subtype, number, data=Data(
        environment=Environment.PRODUCTION, appAppleId=41234, bundleId="com.example.app", bundleVersion="1.2.3",
        status=Status.ACTIVE))
    body["data"]["signedTransactionInfo"] = as_json(decoded)
    if info is not None:
        body["data"]["signedRenewalInfo"] = as_json(info)
    return body


def every_value(model, skipped=()):
    """A transaction for each value of each enumeration of the model."""
    for field in attr.fields(model):
        enumeration = next((e for e in (Type, InAppOwnershipType, RevocationReason, RevocationType, OfferType,
                                        OfferDiscountType, TransactionReason) if field.type is not None and
                            e.__name__ in str(field.type)), None)
        if enumeration is None or field.name.startswith("raw") or field.name in skipped:
            continue
        for value in enumeration:
            extra = {"revocationDate": START + DAY} if field.name.startswith("revocation") else {}
            yield transaction(**{field.name: value, **extra})


def main():
    lines, ignored, number = [], 0, 0
    for kind, subtype in itertools.product(NotificationTypeV2, [None, *Subtype]):
        number += 1
        decoded = transaction()
        lines.append(with_data(kind, subtype, number, decoded, renewal_info(decoded) if number % 2 else None))
    for decoded in every_value(JWSTransactionDecodedPayload):
        lines.append(as_json(decoded))
    bare = dict(
        summary=Summary(environment=Environment.PRODUCTION, appAppleId=41234, bundleId="com.example.app", productId="pro.monthly",
                        requestIdentifier="r", storefrontCountryCodes=["USA"], succeededCount=5, failedCount=2),
        externalPurchaseToken=ExternalPurchaseToken(externalPurchaseId="e", tokenCreationDate=START, appAppleId=41234,
                                                    bundleId="com.example.app"),
        appData=AppData(environment=Environment.PRODUCTION, appAppleId=41234, bundleId="com.example.app"),
        data=Data(environment=Environment.PRODUCTION, appAppleId=41234, bundleId="com.example.app", bundleVersion="1.2.3"))
    for part, value in bare.items():
        number, ignored = number + 1, ignored + 1
        lines.append(notification(NotificationTypeV2.TEST, None, number, **{part: value}))
    print(ignored, file=sys.stderr)
    for line in lines:
        print(json.dumps(line))


main()
