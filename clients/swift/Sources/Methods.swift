import LatchkeyWire
import Protobuf

extension Latchkey {
  /// Asks whether a customer may use an entitlement, why, and until when.
  ///
  ///     let access = try await latchkey.checkAccess(customer: "alice", entitlement: "pro")
  ///     print(access.allowed, access.reason)
  ///
  /// - Parameters:
  ///   - milliseconds: the moment asked about, since 1970 UTC; 0: now.
  ///   - minRevision: waits until the answer includes this revision, as that of a recording just made.
  public func checkAccess(
    customer: String, entitlement: String, at milliseconds: Int64 = 0, minRevision: UInt64 = 0,
    deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> CheckAccessResponse {
    let request = CheckAccessRequest(
      customerID: customer, entitlement: entitlement, atTimeMilliseconds: milliseconds, minRevision: minRevision)
    return try await call(.checkAccess, request, deadline: deadline)
  }

  /// Asks up to 1,000 checks at once; gives the answers in the order asked, each with a status of its own.
  ///
  ///     let checks = ["pro", "extras"].map { CheckAccessRequest(customerID: "alice", entitlement: $0) }
  ///     let answers = try await latchkey.checkAccess(batch: checks)
  public func checkAccess(
    batch checks: [CheckAccessRequest], deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> [CheckAccessResponse] {
    let response: CheckAccessBatchResponse = try await call(
      .checkAccessBatch, CheckAccessBatchRequest.with { $0.checks = checks }, deadline: deadline)
    guard response.results.count == checks.count else {
      throw .breach("\(response.results.count) answers to \(checks.count) checks")
    }
    return response.results
  }

  /// Records what Apple sent. It is on disk when this returns.
  ///
  ///     let recorded = try await latchkey.recordTransaction(.with { $0.appleJSON = notification })
  ///
  /// If the connection is lost after the request was sent, it isn't sent again unasked, and the error says that the outcome
  /// is unknown; recording the same again is safe.
  public func recordTransaction(
    _ request: RecordTransactionRequest, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> RecordTransactionResponse {
    try await call(.recordTransaction, request, deadline: deadline)
  }

  /// Lists every entitlement that some transaction of the customer could grant, with its answer.
  ///
  ///     let list = try await latchkey.listEntitlements(customer: "alice")
  ///     let open = list.entitlements.filter(\.allowed)
  ///
  /// - Parameter milliseconds: the moment asked about, since 1970 UTC; 0: now.
  public func listEntitlements(
    customer: String, at milliseconds: Int64 = 0, minRevision: UInt64 = 0, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> ListEntitlementsResponse {
    let request = ListEntitlementsRequest.with {
      $0.customerID = customer
      $0.atTimeMilliseconds = milliseconds
      $0.minRevision = minRevision
    }
    return try await call(.listEntitlements, request, deadline: deadline)
  }

  /// Explains an answer: each transaction of the customer, what it grants, or which rule stops it and since when.
  ///
  ///     for line in try await latchkey.explainAccess(customer: "alice", entitlement: "pro").transactions {
  ///       print(line.sentence)
  ///     }
  ///
  /// - Parameters:
  ///   - entitlement: the one asked about; empty: all.
  ///   - milliseconds: the moment asked about, since 1970 UTC; 0: now.
  public func explainAccess(
    customer: String, entitlement: String = "", at milliseconds: Int64 = 0, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> ExplainAccessResponse {
    let request = ExplainAccessRequest.with {
      $0.customerID = customer
      $0.entitlement = entitlement
      $0.atTimeMilliseconds = milliseconds
    }
    return try await call(.explainAccess, request, deadline: deadline)
  }

  /// Counts refunds, shared refunds and departures from families, and adds up the money by currency; of all time, unless the
  /// request names a window.
  ///
  ///     print(try await latchkey.refundReport().refunds)
  public func refundReport(
    _ request: GetRefundReportRequest = GetRefundReportRequest(), deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> GetRefundReportResponse {
    try await call(.getRefundReport, request, deadline: deadline)
  }

  /// Tells what was served on payments that were revoked, and what of it too late.
  ///
  ///     print(try await latchkey.leakReport().late?.checks ?? 0)
  public func leakReport(
    _ request: GetLeakReportRequest = GetLeakReportRequest(), deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> GetLeakReportResponse {
    try await call(.getLeakReport, request, deadline: deadline)
  }

  /// Tells what is known for the answer to Apple's CONSUMPTION_REQUEST about a purchase.
  ///
  ///     let known = try await latchkey.consumption(.with { $0.transactionID = "2000000123456789" })
  ///     print(known.deliveryStatus)
  public func consumption(
    _ request: GetConsumptionRequest, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> GetConsumptionResponse {
    try await call(.getConsumption, request, deadline: deadline)
  }
}

// MARK: - Operation

extension Latchkey {
  /// Takes a snapshot of the store now, which may take minutes.
  ///
  ///     print(try await latchkey.takeSnapshot().bytes)
  public func takeSnapshot(deadline: Deadline = .never) async throws(LatchkeyError) -> TakeSnapshotResponse {
    try await call(.takeSnapshot, TakeSnapshotRequest(), deadline: deadline)
  }

  /// Has the server read its catalog again. One that takes something from more customers than the server's limit fails with
  /// FAILED_PRECONDITION, unless it is forced.
  ///
  ///     print(try await latchkey.reloadConfiguration().products)
  public func reloadConfiguration(
    force: Bool = false, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> ReloadConfigurationResponse {
    try await call(.reloadConfiguration, ReloadConfigurationRequest.with { $0.force = force }, deadline: deadline)
  }

  /// Has the server forget a customer; the answer says what stays for others' sake, and when the rest is gone from the disk.
  ///
  ///     let erased = try await latchkey.eraseCustomer("alice", by: "privacy desk", note: "request 4711")
  ///
  /// If the connection is lost after the request was sent, it isn't sent again unasked. Erasing again what is erased already fails
  /// with NOT_FOUND.
  public func eraseCustomer(
    _ customer: String, by: String, note: String, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> EraseCustomerResponse {
    let request = EraseCustomerRequest.with { ($0.customerID, $0.by, $0.note) = (customer, by, note) }
    return try await call(.eraseCustomer, request, deadline: deadline)
  }

  /// Has the server give all that one customer holds to another, who may hold things already.
  ///
  ///     let moved = try await latchkey.moveCustomer(from: "guest-17", to: "alice", by: "support", note: "account merged")
  public func moveCustomer(
    from: String, to: String, by: String, note: String, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> MoveCustomerResponse {
    let request = MoveCustomerRequest.with {
      ($0.fromCustomerID, $0.toCustomerID, $0.by, $0.note) = (from, to, by, note)
    }
    return try await call(.moveCustomer, request, deadline: deadline)
  }

  /// Says what was known about a customer at a moment, what was answered by it, and what came later that answers otherwise.
  ///
  ///     for answer in try await latchkey.auditAccess(customer: "alice", at: moment).answers where answer.then != answer.today {}
  ///
  /// Fails with OUT_OF_RANGE for a moment before what the server's journal keeps.
  public func auditAccess(
    customer: String, entitlement: String = "", at milliseconds: Int64 = 0, deadline: Deadline = .never
  ) async throws(LatchkeyError) -> AuditAccessResponse {
    let request = AuditAccessRequest.with {
      ($0.customerID, $0.entitlement, $0.atTimeMilliseconds) = (customer, entitlement, milliseconds)
    }
    return try await call(.auditAccess, request, deadline: deadline)
  }

  /// Says what another catalog would give to customers and take from them now; changes nothing.
  ///
  ///     let difference = try await latchkey.compareCatalog(.with { $0.useFile = true })
  ///     print(difference.customersLosing)
  public func compareCatalog(
    _ request: CompareCatalogRequest, deadline: Deadline = .never
  ) async throws(LatchkeyError) -> CompareCatalogResponse {
    try await call(.compareCatalog, request, deadline: deadline)
  }

  /// Gives a piece of a backup, the file of a snapshot: first of one that is taken now, then from an offset of the same one on.
  ///
  ///     let first = try await latchkey.readBackup()
  ///     let second = try await latchkey.readBackup(revision: first.revision, from: UInt64(first.content.count))
  ///
  /// Fails with ABORTED where another backup was begun meanwhile.
  public func readBackup(
    revision: UInt64 = 0, from offset: UInt64 = 0, deadline: Deadline = .never
  ) async throws(LatchkeyError) -> ReadBackupResponse {
    try await call(.readBackup, ReadBackupRequest.with { ($0.revision, $0.offset) = (revision, offset) }, deadline: deadline)
  }

  /// Puts back one line of `latchkey dump`. It is on disk when this returns; the very same again changes nothing.
  ///
  ///     try await latchkey.restoreEntry(line)
  @discardableResult
  public func restoreEntry(
    _ json: String, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> RestoreEntryResponse {
    try await call(.restoreEntry, RestoreEntryRequest.with { $0.entryJSON = json }, deadline: deadline)
  }

  /// Asks for the server's version, limits and current revision.
  ///
  ///     print(try await latchkey.hello().serverVersion)
  public func hello(deadline: Deadline = .byOptions) async throws(LatchkeyError) -> HelloResponse {
    try await call(.hello, options.hello, deadline: deadline)
  }

  /// Asks the standard health service whether the server takes work.
  ///
  ///     let isServing = try await latchkey.health() == .serving
  public func health(deadline: Deadline = .byOptions) async throws(LatchkeyError) -> ServingStatus {
    let response: HealthCheckResponse = try await call(.healthCheck, HealthCheckRequest(), deadline: deadline)
    return response.status
  }
}
