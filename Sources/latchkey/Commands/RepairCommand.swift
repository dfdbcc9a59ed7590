import Storage

extension Command {
  static let repair = Command(
    name: "repair", summary: "makes a damaged, stopped store startable with what can be proven, after saying what is lost",
    operands: [.storeDirectory],
    options: [.acceptLoss, .yes],
    statuses: [
      (.success, "repaired, or there was nothing to repair"), (.no, "damaged, and left as it was"),
      (.failure, "usage or error"),
    ] + ExitStatus.troubles,
    example: "latchkey repair ./latchkey-data --accept-loss",
    action: .blocking { arguments in
      let repair = try Repair.examine(arguments.words[0]) { Console.complain($0) }
      guard !repair.damages.isEmpty else {
        Console.say("nothing to repair: the store is whole, at revision \(repair.kept)")
        return .success
      }
      Console.say(repair.inWords)
      guard arguments.has(.acceptLoss) else {
        Console.say("Nothing was changed. --accept-loss repairs it; a backup may hold more.")
        return .no
      }
      guard arguments.has(.yes) || isConfirmed() else {
        Console.say("Nothing was changed.")
        return .no
      }
      let (kept, next) = (repair.kept, repair.nextRevision)
      try repair.perform()
      Console.say("repaired: the store holds what revision \(kept) held, and goes on from revision \(next)")
      return .success
    })

  private static func isConfirmed() -> Bool {
    Console.sayAtOnce("Type yes to go on:")
    return readLine() == "yes"
  }
}

extension Option {
  fileprivate static let acceptLoss = Option(
    flag: "--accept-loss", "does it, after a yes; without it nothing is changed, and only what would be lost is told")
  fileprivate static let yes = Option(flag: "--yes", "answers the question with yes")
}

extension Repair {
  /// How many customers are named at most.
  private static let shownCustomers = 100

  /// What is wrong, what stays, and exactly what would be lost.
  fileprivate var summary: [String] {
    var lines = damages.map { "DAMAGED: \($0)" }
    lines.append("What can be proven ends with revision \(kept).")
    guard lostCount > 0 else { return lines + ["Nothing would be lost."] }
    lines.append(
      "LOST would be revisions \(kept + 1) to \(lastKnown): \(counted(lostCount, "recording")), of which \(readable) can still be "
        + "read one by one. The files are kept, under names that end in .damaged.")
    let named = customers.sorted()
    if !named.isEmpty {
      let more = named.count > Repair.shownCustomers ? ", and \(named.count - Repair.shownCustomers) more" : ""
      lines.append("They name: \(named.prefix(Repair.shownCustomers).map(\.text).joined(separator: ", "))\(more)")
    }
    return lines
  }

  fileprivate var inWords: String { summary.joined(separator: "\n") }
}
