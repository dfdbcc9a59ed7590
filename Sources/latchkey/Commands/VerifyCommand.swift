import JSON
import Journaling
import Storage

extension Command {
  static let verify = Command(
    name: "verify", summary: "reads every byte of a stopped store, and says whether it is whole; changes nothing",
    operands: [.storeDirectory], options: [Option(flag: "--json", "prints one line of JSON")],
    statuses: [(.success, "whole"), (.failure, "usage or error")] + ExitStatus.troubles,
    example: "latchkey verify ./latchkey-data",
    action: .blocking { arguments in
      let verification = try Verification(of: arguments.words[0]) { Console.complain($0) }
      Console.say(arguments.has(.json) ? verification.json.compact : verification.inWords)
      return verification.damages.first.map { ExitStatus($0) } ?? .success
    })
}

extension Operand {
  static let storeDirectory = Operand(name: "DIR", meaning: "the data directory, which no server has open")
}

extension Verification {
  /// A line for each file, then what is wrong, then the verdict.
  fileprivate var inWords: String {
    let width = files.map(\.name.count).max() ?? 0
    let lines = files.map { file in
      "\(file.name)\(String(repeating: " ", count: width - file.name.count))  \(counted(file.bytes, "byte")): \(file.inWords)"
    }
    let sum = "\(counted(bytes, "byte")) in \(counted(files.count, "file")), revision \(revision), digest \(digest.inHexadecimal)"
    let applied = base.map { base in
      (base == 0 ? "applied the whole journal" : "applied the journal to the snapshot of revision \(base)")
        + "; \(counted(reproduced.count, "newer snapshot")) reproduced"
    }
    let verdict = damages.isEmpty ? ["OK"] : damages.map { "DAMAGED: \($0)" }
    return (lines + [sum] + [applied ?? "nothing of the state can be proven"] + verdict).joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    [
      "ok": .boolean(damages.isEmpty), "revision": .integer(Int64(clamping: revision)), "digest": .string(digest.inHexadecimal),
      "bytes": .integer(Int64(bytes)), "base_revision": base.map { .integer(Int64(clamping: $0)) } ?? .null,
      "reproduced_snapshots": .array(reproduced.map { .integer(Int64(clamping: $0)) }),
      "damages": .array(damages.map { .string("\($0)") }),
      "files": .array(
        files.map { ["name": .string($0.name), "bytes": .integer(Int64($0.bytes)), "found": .string($0.inWords)] }),
    ]
  }
}

extension SurveyedFile {
  /// What the file turned out to be.
  fileprivate var inWords: String {
    switch content {
    case .lock: "the lock"
    case .manifest(let generation): "a manifest, generation \(generation)"
    case .segment(let revisions, let frameBytes, let tornBytes):
      "journal, \(revisions.isEmpty ? "no records" : "revisions \(revisions.lowerBound) to \(revisions.upperBound - 1)"), "
        + "\(counted(frameBytes, "byte")) of frames"
        + (tornBytes > 0 ? ", then \(counted(tornBytes, "byte")) of an unfinished write, which the next start cuts off" : "")
    case .snapshot(let revision, let digest, let blocks):
      "snapshot of revision \(revision), \(counted(Int(clamping: blocks), "block")), digest \(digest.inHexadecimal)"
    case .tornTail: "the cut end of an unfinished write; never read"
    case .putAside: "put aside by a repair; never read"
    case .unfinished: "not finished; the next start removes it"
    case .stranger: "no file of a store"
    case .damaged(let error): "DAMAGED: \(error)"
    }
  }
}
