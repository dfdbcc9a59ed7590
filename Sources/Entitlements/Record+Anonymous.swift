extension Record {
  /// Whether this is what remains of an erased transaction. No recording gives an empty id.
  package var isAnonymous: Bool { transaction.transactionID.isEmpty }

  /// Whether it is anonymous, and counts in no report: then nothing of it is kept on the disk.
  package var isBlank: Bool { isAnonymous && revokedFrom == nil && !isReversed }

  /// What may stay when the transaction is erased: what a refund of it cost, without ids, and with no date finer than a day in UTC.
  ///
  /// Blank where nothing was refunded. The time from the revocation to its recording stays as it was.
  var anonymous: Record {
    var kept = Transaction(
      transactionID: "", productID: "", ownership: transaction.ownership, environment: transaction.environment)
    guard revokedFrom != nil || isReversed else {
      return Record(transaction: kept, source: source, recordedAt: Moment(milliseconds: 0))
    }
    kept.productID = transaction.productID
    kept.type = transaction.type
    kept.revocationDate = transaction.revocationDate?.startOfDay
    kept.revocationReason = transaction.revocationReason
    kept.revocationType = transaction.revocationType
    kept.revocationPercentage = transaction.revocationPercentage
    kept.priceMilliunits = transaction.priceMilliunits
    kept.currency = transaction.currency
    kept.signedDate = transaction.signedDate.startOfDay
    let origin = revokedFrom ?? transaction.signedDate
    let shift = origin.milliseconds - origin.startOfDay.milliseconds
    var record = Record(transaction: kept, source: source, recordedAt: recordedAt.earlier(byMilliseconds: shift))
    record.firstRecordedAt = firstRecordedAt.earlier(byMilliseconds: shift)
    record.restore(revocationRecordedAt: revocationRecordedAt?.earlier(byMilliseconds: shift))
    record.earliestRevokedVersion = isReversed ? Moment(milliseconds: 0) : nil
    if isReversed { record.transaction.signedDate = max(kept.signedDate, Moment(milliseconds: 1)) }
    if let mark = markedFrom { record.marks = [RevokeMark(date: mark.startOfDay, lastsThrough: .distantFuture)] }
    return record
  }
}

extension Moment {
  /// The beginning of its day in UTC.
  var startOfDay: Moment {
    let millisecondsADay: Int64 = 86_400_000
    let rest = milliseconds % millisecondsADay
    return earlier(byMilliseconds: rest < 0 ? rest + millisecondsADay : rest)
  }
}
