import LatchkeyWire

extension Latchkey {
  /// Folds entitlements anew from their transactions, and tells how far it is.
  ///
  ///     for try await progress in latchkey.rebuildEntitlements(.with { $0.everyone = true }) {
  ///       print("\(progress.customers) of \(progress.customersTotal)")
  ///     }
  ///
  /// It begins at once, and is never sent a second time. Leaving the loop gives it up; a reader that falls 1,024 messages
  /// behind fails with RESOURCE_EXHAUSTED.
  public func rebuildEntitlements(
    _ request: RebuildEntitlementsRequest, deadline: Deadline = .never
  ) -> RebuildSteps {
    let question = Question(.rebuildEntitlements, request)
    let ends = engine.stream(question, before: deadline.moment(from: .now, options))
    return RebuildSteps(latchkey: self, stream: ends.stream, messages: ends.messages)
  }
}

/// The messages of one rebuild, to be read once; the last one carries the summary.
///
///     for try await progress in latchkey.rebuildEntitlements(request) { print(progress.customers) }
public struct RebuildSteps: AsyncSequence, Sendable {
  /// Kept, since a client that nothing refers to closes its connection.
  let latchkey: Latchkey
  let stream: MessageStream
  let messages: AsyncStream<[UInt8]>

  /// Begins at the first message that wasn't read yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(latchkey: latchkey, stream: stream, messages: messages.makeAsyncIterator())
  }

  /// A place between two messages.
  public struct Iterator: AsyncIteratorProtocol {
    let latchkey: Latchkey
    let stream: MessageStream
    var messages: AsyncStream<[UInt8]>.Iterator

    /// Awaits the next message; gives nil after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LatchkeyError) -> RebuildProgress? {
      if let bytes = await messages.next(isolation: actor) { return try Answer.message(bytes) }
      if let error = stream.error { throw error }
      if Task.isCancelled { throw .cancelled(outcomeIsUnknown: true) }
      return nil
    }
  }
}
