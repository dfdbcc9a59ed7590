import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Storage

/// What a page may hold, as the ledger had it; made an answer without holding up recordings.
struct HistoryPage: Sendable {
  /// In order; those that don't fit go to the next page.
  private let records: [Record]
  /// For each record the renewal info of its lineage, where the record is the lineage's first on this page.
  private let renewalInfos: [Entitlements.RenewalInfo?]
  /// Where the page begins in the whole history, and where that ends.
  private let whole: Range<Int>
  /// What stands behind the entries.
  private var rest = GetHistoryResponse()

  /// How many bytes of grants and entries a page begins at most one more with: a page, renewal infos included, is to fit into a frame.
  private static let byteLimit = Limits.frameBytes / 2

  init(_ ledger: Ledger, _ query: HistoryQuery, revision: UInt64) {
    let numbers = ledger.inOrder(query.numbers(in: ledger))
    whole = query.offset..<max(query.offset, numbers.count)
    let page = numbers.dropFirst(query.offset).prefix(query.pageSize)
    records = page.map { ledger.records[$0] }
    renewalInfos = ledger.renewalInfos(ofLineagesOf: page)
    rest.revision = revision
    if case .customer(let customer) = query.subject, query.offset == 0 {
      rest.grants = (ledger.grants[customer] ?? []).map { LatchkeyWire.ManualGrant($0) }
    }
  }

  /// The bytes of a ``GetHistoryResponse``, whose entries are written one by one, so that the page ends where it is full.
  consuming func encoded() -> [UInt8] {
    var encoder = MessageEncoder(roomFor: 256 * (records.count + 1))
    var byteCount = rest.grants.isEmpty ? 0 : rest.encoded().count
    var end = whole.lowerBound
    var pauses = CorePauses()
    for index in records.indices where byteCount < HistoryPage.byteLimit || end == whole.lowerBound {
      byteCount += encoder.append(1) { encoder in encoder.append(entryOf: records[index]) }
      if let info = renewalInfos[index] { rest.renewalInfos.append(LatchkeyWire.RenewalInfo(info)) }
      end += 1
      pauses.yieldIfDue()
    }
    if end < whole.upperBound { rest.nextPageToken = String(end) }
    rest.encode(into: &encoder)
    return encoder.bytes
  }
}

extension MessageEncoder {
  /// Writes the fields of an entry: its transaction, which is the first, and what the entry says beside it.
  fileprivate mutating func append(entryOf record: Record) {
    append(1, record.transaction)
    var rest = record.historyEntry(withTransaction: false)
    rest.encode(into: &self)
  }
}

extension Record {
  /// What is kept of one transaction, in the terms of the wire.
  func historyEntry(withTransaction: Bool = true) -> HistoryEntry {
    var entry = HistoryEntry()
    if withTransaction { entry.transaction = transaction.message() }
    entry.customerIDs = holders.map(\.text)
    entry.firstRecordedAtMilliseconds = firstRecordedAt.milliseconds
    entry.recordedAtMilliseconds = recordedAt.milliseconds
    entry.source = LatchkeyWire.Source(source)
    entry.sharedFrom = links.map(\.text)
    entry.revokedWithoutDateMilliseconds = markedFrom?.milliseconds
    entry.refundReversed = isReversed
    return entry
  }
}
