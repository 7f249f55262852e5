import Foundation
import Settings

/// How many connections a listener holds at once. Each takes a file descriptor, and the store and the calls to providers need some, too:
/// without a bound, a client that only connects would take them all (threat case WEB-06).
enum ConnectionLimit {
    // More connections would only cost memory. A larger node needs a proxy in front.
    private static let largest = 10_000

    /// The limit of the public listener, derived from the process's limit of descriptors.
    static var ofPublicListener: Int { limit(descriptors: descriptors) }

    /// The limit of the private listener. It is separate, so that administrators get through while the public listener is full.
    static var ofPrivateListener: Int { privateLimit(descriptors: descriptors) }

    /// The rules for connections of the public listener. Some descriptors are kept for health-only ones, and for those that have
    /// been told to end and have not yet.
    static func publicRules(_ settings: LimitSettings.Connections) -> ConnectionLimiter.Rules {
        let reserve = min(64, ofPublicListener / 8)
        return ConnectionLimiter.Rules(
            total: min(settings.total, ofPublicListener - 2 * reserve),
            perAddress: settings.perAddress,
            reserve: reserve
        )
    }

    /// The rules for connections of the private listener. No address has a share.
    static var privateRules: ConnectionLimiter.Rules {
        let share = ofPrivateListener / 8
        return ConnectionLimiter.Rules(total: 6 * share, perAddress: 6 * share, reserve: share)
    }

    static func privateLimit(descriptors: Int) -> Int { max(8, min(128, descriptors / 8)) }

    static func limit(descriptors: Int) -> Int { min(largest, descriptors / 4 * 3) }

    /// Takes as many file descriptors as the process may have and can use. Shells start it with few for the sake of `select`, which
    /// nothing in here calls.
    static func raiseDescriptors() {
        var limit = fileLimit
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(2 * largest)))
        _ = setrlimit(resource, &limit)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static var descriptors: Int { Int(clamping: fileLimit.rlim_cur) }

    private static var fileLimit: rlimit {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return rlimit(rlim_cur: 1024, rlim_max: 1024) }
        return limit
    }
}
