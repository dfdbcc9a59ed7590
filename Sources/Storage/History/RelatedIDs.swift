import Entitlements

/// The ids that hang together with some customers, whichever way and whenever: what an answer of theirs may ever have rested on.
struct RelatedIDs {
  enum ID: Hashable {
    case customer(Identifier)
    case transaction(Identifier)
    case lineage(Identifier)
    case account(Identifier)
  }

  private(set) var ids: Set<ID>

  init(of customers: Set<CustomerID>) { ids = Set(customers.map { .customer($0) }) }

  func contains(any more: Set<ID>) -> Bool { !ids.isDisjoint(with: more) }

  /// Takes in what stands beside an id that is known.
  mutating func follow(_ more: Set<ID>) { if contains(any: more) { ids.formUnion(more) } }

  /// What an input ties together; nil for one that concerns everyone.
  static func of(_ input: Input) -> Set<ID>? {
    switch input {
    case .settings, .catalog, .restoration(.settings), .restoration(.catalog): return nil
    case .restoration(.record(let record)): return of(record)
    case .restoration(.renewalInfo(let info)): return [.lineage(info.originalTransactionID)]
    case .restoration(.grants(_, let customer)): return [.customer(customer)]
    case .restoration(.tombstone), .restoration(.anonymousRecord): return []
    case .granting(let granting): return [.customer(granting.customer)]
    case .erasure(let erasure): return [.customer(erasure.customer)]
    case .move(let move): return [.customer(move.from), .customer(move.to)]
    case .recording(let recording):
      var ids: Set<ID> = Set(recording.sharedFrom.map { .lineage($0) })
      if let customer = recording.customer { ids.insert(.customer(customer)) }
      for row in recording.rows { ids.formUnion(of(row.transaction)) }
      for renewal in recording.renewalInfos { ids.insert(.lineage(renewal.info.originalTransactionID)) }
      return ids
    }
  }

  /// What an entry of a snapshot ties together; nil for one that concerns everyone.
  static func of(_ entry: StoredEntry) -> Set<ID>? {
    if let record = entry.record { return of(Record(record)) }
    if let info = entry.renewalInfo { return [.lineage(Identifier(info.originalTransactionID))] }
    return entry.customerGrants.map { [.customer(CustomerID($0.customerID))] }
  }

  /// What a record of the ledger ties together.
  static func of(_ record: Record) -> Set<ID> {
    of(record.transaction).union(record.holders.map { .customer($0) }).union(record.links.map { .lineage($0) })
  }

  private static func of(_ transaction: Transaction) -> Set<ID> {
    var ids: Set<ID> = [.transaction(transaction.transactionID), .lineage(transaction.originalTransactionID)]
    if let account = transaction.appTransactionID { ids.insert(.account(account)) }
    // By the settings it may stand for a customer.
    if let token = transaction.appAccountToken { ids.insert(.customer(Identifier(token))) }
    return ids
  }
}
