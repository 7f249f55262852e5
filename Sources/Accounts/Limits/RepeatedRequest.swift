/// A request that repeats an earlier one, which may still be served here or on another node.
enum RepeatedRequest {
    /// The pauses between looks at what came of the first one, ten seconds in all, short at first.
    static let pauses =
        [50, 50, 100, 200, 400].map(Duration.milliseconds) + Array(repeating: Duration.milliseconds(800), count: 12)
}
