extension Ledger {
  /// Takes over a piece of another ledger's state as it is. The very same again changes nothing; nothing is ever overwritten.
  ///
  /// - Precondition: the piece was validated.
  /// - Throws: `Refusal` where something else stands in its place; the ledger is then unchanged.
  package mutating func restore(_ piece: Restoration) throws(Refusal) -> Recorded {
    guard try changes(by: piece) else { return Recorded(outcome: .duplicate) }
    var touched = Touched()
    switch piece {
    case .settings(let settings): replace(settings: settings)
    case .catalog(let catalog): replace(catalog: catalog)
    case .tombstone(let tombstone, _): restore(tombstone)
    case .anonymousRecord(let record, _): restore(record)
    case .record(let record):
      restore(record)
      touch(record.lineage, in: &touched)
    case .renewalInfo(let info):
      restore(info)
      touch(lineage(of: info), in: &touched)
    case .grants(let grants, let customer):
      restore(grants, of: customer)
      touched.customers.insert(customer)
    }
    return Recorded(outcome: .applied, isNews: true, affected: affected(by: touched))
  }

  /// Whether a piece isn't here yet.
  ///
  /// - Throws: `Refusal` where `restore` would throw it.
  package func changes(by piece: Restoration) throws(Refusal) -> Bool {
    switch piece {
    case .settings(let piece): try isNew(piece, beside: isEmpty ? nil : settings, "settings")
    case .catalog(let piece): try isNew(piece, beside: isEmpty ? nil : catalog, "catalog")
    case .tombstone(let piece, let place): try isNew(piece, at: place, of: tombstones, "tombstone")
    // Those without ids come first in a dump, so that each is found by its place.
    case .anonymousRecord(let piece, let place): try isNew(piece, at: place, of: records, "record")
    case .record(let piece): try isNew(piece, beside: number(of: piece.key).map { records[$0] }, "record")
    case .renewalInfo(let piece): try isNew(piece, beside: renewalInfo(of: lineage(of: piece)), "renewal_info")
    case .grants(let piece, let customer): try isNew(piece, beside: grants[customer], "customer_grants")
    }
  }

  /// Whether nothing was ever recorded, so that settings and catalog may still be another's.
  private var isEmpty: Bool { records.knowsNothing && grants.isEmpty && tombstones.isEmpty }

  private func isNew<Piece: Equatable>(_ piece: Piece, beside held: Piece?, _ field: String) throws(Refusal) -> Bool {
    guard let held else { return true }
    guard held == piece else {
      throw .precondition(field: field, problem: "this server holds another one; restore into an empty data directory")
    }
    return false
  }

  private func isNew<Piece: Equatable>(
    _ piece: Piece, at place: Int, of held: some Collection<Piece>, _ field: String
  ) throws(Refusal) -> Bool {
    guard place <= held.count else {
      throw .precondition(field: field, problem: "there are \(held.count) so far, and this is one further on than the next")
    }
    return try isNew(piece, beside: held.dropFirst(place).first, field)
  }
}
