import LatchkeyWire

extension Latchkey {
  /// Gives an entitlement to a customer by hand. It is on disk when this returns.
  ///
  ///     let granted = try await latchkey.grantAccess(
  ///       customer: "alice", entitlement: "pro", by: "support", note: "lost a week in the outage", until: nextMonth)
  ///
  /// The very same grant again changes nothing where `from` is given. If the connection is lost after the request was sent, it
  /// isn't sent again unasked.
  ///
  /// - Parameters:
  ///   - by: who decided it; kept with the grant.
  ///   - note: why; kept with the grant.
  ///   - from: when it begins, in milliseconds since 1970 UTC; 0: now.
  ///   - until: when it ends; nil: never.
  public func grantAccess(
    customer: String, entitlement: String, by: String, note: String, from: Int64 = 0, until: Int64?,
    deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> GrantAccessResponse {
    let request = GrantAccessRequest.with {
      ($0.customerID, $0.entitlement, $0.by, $0.note) = (customer, entitlement, by, note)
      ($0.fromMilliseconds, $0.untilMilliseconds) = (from, until)
    }
    return try await call(.grantAccess, request, deadline: deadline)
  }

  /// Takes back what operators gave: every grant of the entitlement that would end later ends at a moment.
  ///
  ///     let ended = try await latchkey.takeBackAccess(customer: "alice", entitlement: "pro", by: "support", note: "a mistake")
  ///
  /// Where all of them are over by then, nothing changes. Throws FAILED_PRECONDITION where there never was one.
  ///
  /// - Parameters:
  ///   - by: who decided it; kept with the grants.
  ///   - note: why; kept with the grants.
  ///   - at: that moment, in milliseconds since 1970 UTC; 0: now.
  public func takeBackAccess(
    customer: String, entitlement: String, by: String, note: String, at: Int64 = 0, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> GrantAccessResponse {
    let request = GrantAccessRequest.with {
      ($0.customerID, $0.entitlement, $0.by, $0.note) = (customer, entitlement, by, note)
      ($0.takeBack, $0.atMilliseconds) = (true, at)
    }
    return try await call(.grantAccess, request, deadline: deadline)
  }
}
