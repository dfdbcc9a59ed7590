import LatchkeyWire

extension Latchkey {
  /// Gives one page of the transactions of a customer or a lineage.
  ///
  ///     let page = try await latchkey.history(.with { $0.customerID = "alice" })
  public func history(
    _ request: GetHistoryRequest, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> GetHistoryResponse {
    try await call(.getHistory, request, deadline: deadline)
  }

  /// Gives all pages from that of the request on, each asked for when it is wanted.
  ///
  ///     for try await page in latchkey.historyPages(.with { $0.customerID = "alice" }) {
  ///       for entry in page.entries { print(entry.customerIDs) }
  ///     }
  ///
  /// - Parameter deadline: that of each page.
  public func historyPages(_ request: GetHistoryRequest, deadline: Deadline = .byOptions) -> HistoryPages {
    HistoryPages(latchkey: self, request: request, deadline: deadline)
  }
}

/// The pages of a history, one after the other.
///
///     for try await page in latchkey.historyPages(request) { print(page.entries.count) }
public struct HistoryPages: AsyncSequence, Sendable {
  let latchkey: Latchkey
  let request: GetHistoryRequest
  let deadline: Deadline

  /// Begins at the first page.
  public func makeAsyncIterator() -> Iterator {
    Iterator(latchkey: latchkey, next: request, deadline: deadline)
  }

  /// A place between two pages.
  public struct Iterator: AsyncIteratorProtocol {
    let latchkey: Latchkey
    var next: GetHistoryRequest?
    let deadline: Deadline

    /// Asks for the next page; gives nil after the last one and after a failure.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LatchkeyError) -> GetHistoryResponse? {
      guard let request = next else { return nil }
      next = nil
      let page = try await latchkey.history(request, deadline: deadline)
      guard !page.nextPageToken.isEmpty else { return page }
      guard page.nextPageToken != request.pageToken else { throw .breach("a page that is its own next page") }
      next = request
      next?.pageToken = page.nextPageToken
      return page
    }
  }
}
