import Entitlements

// The counters of allowed checks in the cache: kept over new answers, read, and put back.

/// The allowed checks of one customer, of each entitlement that had some.
struct CustomerUsage: Sendable {
  var customer: CustomerID
  var used: [(entitlement: Identifier, usage: Usage)]

  /// How many checks that are.
  var checks: Int64 { used.reduce(0) { $0 + $1.usage.total } }
}

extension EntitlementCache {
  /// What was counted for a customer and an entitlement. Not for the path of a check.
  package func usage(of customer: CustomerID, _ entitlement: Identifier) -> Usage {
    unsafe withBlock(of: customer) { block in unsafe usage(in: block, entitlement) }
  }

  /// The same, on the thread that writes.
  func usageWhileWriting(of customer: CustomerID, _ entitlement: Identifier) -> Usage {
    unsafe withBlockWhileWriting(of: customer) { block in unsafe usage(in: block, entitlement) }
  }

  private func usage(in block: AccessBlock?, _ entitlement: Identifier) -> Usage {
    guard let block = unsafe block, let name = names.knownNumber(of: entitlement), let entry = unsafe block.entry(of: name) else {
      return Usage()
    }
    return unsafe block.counter(ofEntry: entry).usage
  }

  /// Everything that was counted for the customers of a shard, while checks and recordings go on.
  ///
  /// What is on its way from a customer's answers to newer ones can be missing.
  func usages(inShard shard: Int) -> [CustomerUsage] {
    unsafe withBlocks(ofShard: shard) { block in
      let used = unsafe (0..<block.entryCount).compactMap { entry -> (entitlement: Identifier, usage: Usage)? in
        guard unsafe !block.counter(ofEntry: entry).isUntouched else { return nil }
        return unsafe (names.name(of: block.name(ofEntry: entry)), block.counter(ofEntry: entry).usage)
      }
      return used.isEmpty
        ? nil : unsafe CustomerUsage(customer: block.customer, used: used)
    }
  }

  /// Adds what was counted before, as a snapshot holds it. What the customer can't have any more is left out.
  func addWhileWriting(_ stored: StoredUsage) {
    unsafe withBlockWhileWriting(of: CustomerID(stored.customerID)) { block in
      guard let block = unsafe block else { return }
      for used in stored.entitlements {
        guard let name = names.knownNumber(of: Identifier(used.entitlement)), let entry = unsafe block.entry(of: name),
          let usage = used.usage
        else { continue }
        unsafe UsageCounter.buckets(of: usage).forEach { unsafe add($0, to: block, entry) }
      }
    }
  }
}

// MARK: - Adding

extension EntitlementCache {
  /// Counts an allowed check of an entry in an hour since 1970.
  @inline(__always)
  func count(inHour hour: UInt64, _ block: AccessBlock, _ entry: Int) {
    if unsafe !block.newestCounter(ofEntry: entry).count(inHour: hour) {
      unsafe add(UsageCounter.bucket(ofHour: hour), to: block, entry)
    }
  }

  /// Moves all that a block counted into another one of the same customer. What has no entry there is left where it is.
  func moveCounts(from other: AccessBlock, to block: AccessBlock) {
    for entry in unsafe 0..<other.entryCount {
      guard let own = unsafe block.entry(of: other.name(ofEntry: entry)) else { continue }
      unsafe other.counter(ofEntry: entry).takeBuckets().forEach { unsafe add($0, to: block, own) }
    }
  }

  /// Adds a bucket to the counter of an entry, with room for older ones where it needs that.
  @inline(never)
  private func add(_ bucket: UInt64, to block: AccessBlock, _ entry: Int) {
    if unsafe block.counter(ofEntry: entry).add(bucket) { return }
    unsafe older.makeRoom(for: block)
    let isAdded = unsafe block.counter(ofEntry: entry).add(bucket)
    precondition(isAdded, "with older counters there is room for every bucket")
  }
}
