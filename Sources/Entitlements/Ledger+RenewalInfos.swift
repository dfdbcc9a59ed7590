// What a recording's renewal infos come to.

extension Ledger {
  /// The renewal info with its environment: its own, else that of the transaction it came with, else the server's.
  func filled(_ info: RenewalInfo, of recording: Recording) -> RenewalInfo {
    var info = info
    let companion = recording.rows.first { $0.transaction.originalTransactionID == info.originalTransactionID }
    info.environment = info.environment ?? companion?.transaction.environment ?? settings.environment
    return info
  }

  func lineage(of info: RenewalInfo) -> ScopedID {
    ScopedID(info.environment ?? settings.environment, info.originalTransactionID)
  }

  func check(_ renewal: Recording.Renewal, of recording: Recording) throws(Refusal) {
    try checkApp(renewal.bundleID, field: "renewal_info.bundle_id")
    let lineage = lineage(of: filled(renewal.info, of: recording))
    let named = recording.customer.map { [$0] }
    let customers = named ?? holders(of: lineage)
    let companion = recording.rows.contains {
      isBeside($0, lineage, in: recording) && self.lineage(of: $0.transaction).environment == lineage.environment
    }
    // The transaction beside it was found to be in its place, and whose it is.
    guard !companion else { return }
    try checkEnvironment(
      lineage.environment, for: Attribution(before: [], customers: customers, claim: .none), field: "renewal_info.environment")
  }

  private func holders(of lineage: ScopedID) -> [CustomerID] {
    var holders = DistinctNumbers<CustomerNumber>()
    for number in transactions(of: lineage) { records.forEachHolder(of: number) { holders.insert($0) } }
    return holders.numbers.map { records.id(of: $0) }
  }

  /// Takes what is newer of a recording's renewal infos, adds what becomes of those that no row counts with, and gives the lineages
  /// of which something was newer.
  mutating func mergeRenewalInfos(
    of recording: Recording, into recorded: inout Recorded, touched: inout Touched
  ) -> Set<ScopedID> {
    var newLineages: Set<ScopedID> = []
    for renewal in recording.renewalInfos {
      let (lineage, order) = merge(renewal.info, of: recording, touched: &touched)
      if order == .newer { newLineages.insert(lineage) }
      guard !recording.rows.contains(where: { isBeside($0, lineage, in: recording) }) else { continue }
      let (outcome, customer) = result(ofRenewalInfoOf: lineage, order: order)
      recorded.add(outcome, of: customer)
    }
    recorded.isNews = !newLineages.isEmpty
    return newLineages
  }

  private mutating func merge(_ info: RenewalInfo, of recording: Recording, touched: inout Touched) -> (ScopedID, VersionOrder) {
    let info = filled(info, of: recording)
    let lineage = lineage(of: info)
    let order = renewalInfo(of: lineage).map { info.order(over: $0) } ?? .newer
    if order == .newer {
      set(info, of: lineage)
      touch(lineage, in: &touched)
    }
    return (lineage, order)
  }

  private func result(ofRenewalInfoOf lineage: ScopedID, order: VersionOrder) -> (Outcome, CustomerID?) {
    let holder = holders(of: lineage).first
    switch order {
    case .newer: return (holder == nil ? .unclaimed : .applied, holder)
    case .same: return (.duplicate, holder)
    case .older: return (.stale, holder)
    }
  }
}
