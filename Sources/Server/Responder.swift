import Platform

/// Answers one stream later, from any thread.
///
/// Whoever holds it owes the stream its one final frame, also after it was cancelled.
package struct Responder: Sendable {
  let mailbox: Mailbox
  let connection: ConnectionKey
  /// The stream that the frames must carry.
  package let streamID: UInt32

  /// What became of a frame that was to be sent.
  package enum Outcome: Sendable, Equatable {
    /// It is on its way.
    case sent
    /// It was not taken: the peer doesn't read fast enough. Send it again later, or finish.
    case full
    /// It was not taken: nobody waits for it any more. Finish.
    case cancelled
  }

  /// Sends complete frames, none of which is the stream's last.
  @discardableResult package func send(_ frame: [UInt8]) -> Outcome {
    mailbox.post(frame, to: connection, streamID, isFinal: false)
  }

  /// Sends the complete frame that ends the stream; whatever is sent after it is dropped.
  package func finish(_ frame: [UInt8]) {
    _ = mailbox.post(frame, to: connection, streamID, isFinal: true)
  }

  /// True when the client cancelled the stream, or its connection is gone.
  package var isCancelled: Bool { mailbox.isCancelled(connection, streamID) }
}
