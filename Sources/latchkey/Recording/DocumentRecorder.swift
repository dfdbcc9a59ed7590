import JSON
import LatchkeyClient
import LatchkeyWire
import Platform
import Storage

/// Sends the documents of an input to a server as they are read, many at once and in their order.
struct DocumentRecorder {
  let latchkey: Latchkey
  /// What all requests have in common.
  let template: RecordTransactionRequest
  private(set) var tally = RecordTally()
  private var documents = JSONSplitter()
  private var progress = ProgressClock()

  /// How many documents are on their way at once: enough for one sync of the journal to carry hundreds, and few enough that
  /// what is held in memory stays small.
  private static let window = 512
  private static let chunkBytes = 64 << 10

  init(latchkey: Latchkey, template: RecordTransactionRequest) {
    self.latchkey = latchkey
    self.template = template
  }

  /// What became of one document.
  private struct Answer: Sendable {
    let line: Int
    let result: Result<RecordTransactionResponse, LatchkeyError>
  }

  /// Records everything up to the end of the input; gives what stopped it before, if anything did.
  mutating func record(_ file: borrowing InputFile) async -> (any Error)? {
    var stop: (any Error)?
    await withTaskGroup(of: Answer.self) { group in
      var waiting = 0
      while stop == nil, let (document, line) = nextDocument(file, &stop) {
        // An immediate task runs up to the sending of its request here, so that requests leave in the input's order.
        group.addImmediateTask { [latchkey, request = request(document)] in
          Answer(line: line, result: await DocumentRecorder.send(request, through: latchkey))
        }
        waiting += 1
        if waiting == DocumentRecorder.window, let answer = await group.next() {
          waiting -= 1
          take(answer, &stop)
        }
      }
      for await answer in group { take(answer, &stop) }
    }
    return stop
  }

  /// The next whole object and its line. Malformed places are told and counted on the way.
  private mutating func nextDocument(_ file: borrowing InputFile, _ stop: inout (any Error)?) -> ([UInt8], line: Int)? {
    while true {
      switch documents.next() {
      case .object(let bytes, let line): return (bytes, line)
      case .malformed(let error):
        Console.complain("\(error)")
        tally.addFailure()
      case .end: return nil
      case .needsMore:
        do {
          let chunk = try file.read(atMost: DocumentRecorder.chunkBytes)
          if chunk.isEmpty { documents.finish() } else { documents.append(chunk) }
        } catch {
          stop = error
          return nil
        }
      }
    }
  }

  private func request(_ document: [UInt8]) -> RecordTransactionRequest {
    var request = template
    request.appleJSON = String(decoding: document, as: UTF8.self)
    return request
  }

  private static func send(
    _ request: RecordTransactionRequest, through latchkey: Latchkey
  ) async -> Result<RecordTransactionResponse, LatchkeyError> {
    do throws(LatchkeyError) {
      if request.appleJSON.isDumped { return .success(try await restore(request.appleJSON, through: latchkey)) }
      return .success(try await latchkey.recordTransaction(request))
    } catch {
      return .failure(error)
    }
  }

  /// Restores a line of a dump, to which none of the template's fields belong.
  private static func restore(
    _ line: String, through latchkey: Latchkey
  ) async throws(LatchkeyError) -> RecordTransactionResponse {
    let restored = try await latchkey.restoreEntry(line)
    return .with { ($0.outcome, $0.revision) = (restored.wasThere ? .duplicate : .applied, restored.revision) }
  }

  private mutating func take(_ answer: Answer, _ stop: inout (any Error)?) {
    switch answer.result {
    case .success(let response):
      tally.add(response)
      for warning in response.warnings { Console.complain("line \(answer.line): warning: \(warning)") }
    case .failure(let error):
      tally.addFailure()
      if stop != nil { break }
      Console.complain("line \(answer.line): \(error)")
      if error.isRetryable {
        // Those behind it would fare no better.
        stop = error
        Console.complain("stopped there; what was recorded is kept, and recording it all again is safe")
      }
    }
    if progress.isDue() { Console.complain("\(tally.recorded) recorded, \(tally.failed) failed so far") }
  }
}

extension String {
  /// Whether a JSON object is a line of `latchkey dump`, by its first key.
  fileprivate var isDumped: Bool {
    utf8.lazy.filter { $0 > UInt8(ascii: " ") }.starts(with: "{\"\(Dump.key)\":".utf8)
  }
}

/// Says once a second that it is time to report progress, for work that takes longer than that.
struct ProgressClock {
  private var next = ContinuousClock.now + .seconds(1)

  mutating func isDue() -> Bool {
    guard ContinuousClock.now >= next else { return false }
    next = .now + .seconds(1)
    return true
  }
}
