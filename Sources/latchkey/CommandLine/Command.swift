import LatchkeyClient
import Platform
import Storage

/// A command as data, so that what is parsed and what `--help` says can't disagree.
struct Command: Sendable {
  let name: String
  /// What it does: a phrase that begins in the third person and has no full stop.
  let summary: String
  var operands: [Operand] = []
  var options: [Option] = []
  /// What each exit status means.
  var statuses: [(status: ExitStatus, meaning: String)] = [(.success, "done"), (.failure, "usage or error")]
  let example: String
  let action: Action

  /// How a command runs.
  enum Action: Sendable {
    /// On the main thread, before which no other thread was started.
    case blocking(@Sendable (Arguments) throws -> ExitStatus)
    /// As a task, while the main thread waits.
    case concurrent(@Sendable (Arguments) async throws -> ExitStatus)
  }

  /// Every command, in the order of the overview.
  static let all: [Command] = [
    serve, check, record, grant, ungrant, entitlements, history, explain, watch, rebuild, report, snapshot, reload, catalog,
    audit, erase, move, verify, backup, restore, dump, repair,
    health, rehearse, bench, version, help,
  ]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}

/// What the process says with its end.
enum ExitStatus: Int32, Sendable {
  case success = 0
  /// The answer is no.
  case no = 1
  /// Wrong usage, or something failed.
  case failure = 2
  // What a store can be refused for, by the numbers of sysexits.h where one fits.

  /// Stored bytes aren't what was written (EX_DATAERR).
  case damaged = 65
  /// A file that the store needs isn't there (EX_NOINPUT).
  case missingFile = 66
  /// A file belongs to another store.
  case anotherStore = 67
  /// The directory holds something that is no store.
  case noStore = 68
  /// A file was written by a newer version.
  case newerFormat = 69
  /// A write or a sync failed, so that nobody knows what is on the disk (EX_SOFTWARE).
  case diskFailed = 70
  /// The disk has no room (EX_CANTCREAT).
  case diskFull = 73
  /// The disk can't be read (EX_IOERR).
  case diskUnreadable = 74
  /// Another process has the store (EX_TEMPFAIL).
  case inUse = 75
  /// The directory may not be read or written (EX_NOPERM).
  case notPermitted = 77
}

/// Why a command line can't be understood.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}

/// Why a command couldn't do its work, in a sentence that says what to do.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Command {
  /// Parses the words behind the command's name, does what they say, and reports what went wrong.
  func run(_ words: ArraySlice<String>) -> ExitStatus {
    do {
      guard let arguments = try Arguments(parsing: words, of: self) else {
        Console.say(help)
        return .success
      }
      return try perform(arguments)
    } catch let error as UsageError {
      Console.complain("latchkey \(name): \(error.message). See `latchkey \(name) --help`.")
    } catch let error as StoreError {
      Console.complain("latchkey \(name): \(error)")
      return ExitStatus(error)
    } catch {
      Console.complain("latchkey \(name): \(error)")
    }
    return .failure
  }

  private func perform(_ arguments: Arguments) throws -> ExitStatus {
    switch action {
    case .blocking(let body): return try body(arguments)
    case .concurrent(let body):
      do {
        return try waiting { try await body(arguments) }
      } catch let error as LatchkeyError {
        throw error.advised(arguments)
      }
    }
  }
}

/// Runs a task, and waits for its end on this thread.
func waiting<Value: Sendable>(for body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let result = AwaitedValue<Result<Value, any Error>?>(nil)
  Task.detached {
    let ended: Result<Value, any Error>
    do { ended = .success(try await body()) } catch { ended = .failure(error) }
    result.update { $0 = ended }
  }
  return try result.wait { $0 }.get()
}

extension LatchkeyError {
  /// The error with what to do about it.
  fileprivate func advised(_ arguments: Arguments) -> Failure {
    guard code == .unavailable, let address = arguments.text(.connect) else { return Failure(description) }
    return Failure(
      "\(message). Is a server running at \(address)? Start one with `latchkey serve`, or name another with --connect.")
  }
}
