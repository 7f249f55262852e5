import Foundation

/// How many connections a listener holds at once. Each takes a file descriptor, and the store and the calls to providers need some, too:
/// without a bound, a client that only connects would take them all (threat case WEB-06).
enum ConnectionLimit {
    // More would take memory rather than serve anybody; a node that needs more has a proxy in front.
    private static let largest = 10_000

    /// Of the public listener, by what the process may open.
    static var ofPublicListener: Int { limit(descriptors: descriptors) }

    /// Of the private listener, so that administrators get through while the public one is full.
    static let ofPrivateListener = 128

    /// - Parameter descriptors: How many file descriptors the process may have.
    /// - Returns: How many of them connections may have.
    static func limit(descriptors: Int) -> Int { min(largest, descriptors / 4 * 3) }

    private static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }
}
