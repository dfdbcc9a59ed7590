/// Tells the states of something apart of which others remember what they read: a copy has the same edition until either changes.
final class Edition: Sendable {}
