import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends what the Firebase SDK asks Google's authentication hosts to a Postern server.
///
/// One call, before `FirebaseApp.configure()`, is all:
///
///     try PosternFirebase.use(URL(string: "https://auth.example.com")!)
///     FirebaseApp.configure()
///
/// These requests go to Postern, all others go where they went before:
///
/// - `https://identitytoolkit.googleapis.com/…`
/// - `https://securetoken.googleapis.com/…`
/// - `https://www.googleapis.com/identitytoolkit/…`
///
/// Scheme, host and port are replaced; method, path, query, headers and body stay. The system verifies Postern's certificate as it
/// verifies every other.
public enum PosternFirebase {
    /// Sends the SDK's requests to the Postern server at `url`, from now on and in the whole process.
    ///
    /// A second call replaces the server. Nothing is sent by the call itself.
    ///
    /// - Parameter url: Postern's origin: a scheme, a host and, where it is not 443, a port. `http` is accepted for a loopback
    ///   address alone.
    /// - Throws: `PosternFirebaseError` where `url` is not such an origin, or where `FIREBASE_AUTH_EMULATOR_HOST` is set. What was
    ///   in force before stays in force.
    public static func use(_ url: URL) throws {
        try use(url, environment: ProcessInfo.processInfo.environment)
    }

    static func use(_ url: URL, environment: [String: String]) throws {
        guard environment["FIREBASE_AUTH_EMULATOR_HOST", default: ""].isEmpty else {
            throw PosternFirebaseError.emulatorHostIsSet
        }
        let route = try Route(to: url)
        Route.current = route
        _ = URLProtocol.registerClass(PosternURLProtocol.self)
        #if canImport(ObjectiveC)
            SessionConfigurations.injectOnce
        #endif
    }

    /// Lets sessions of `configuration` send the SDK's requests to Postern.
    ///
    /// On Apple's platforms `use(_:)` does this to every configuration that `URLSessionConfiguration.default` and `.ephemeral` hand
    /// out from then on, which are those that the SDK takes; a call is needed only for a configuration made before. Elsewhere there
    /// is no such hook, and each configuration is passed here. A session copies its configuration, so call this before the session
    /// is made. Until `use(_:)` was called the configuration's requests go where they went before.
    ///
    /// - Parameter configuration: The configuration to change. One that was passed before is left as it is.
    /// - Returns: The same configuration.
    @discardableResult
    public static func configure(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        let classes = configuration.protocolClasses ?? []
        if !classes.contains(where: { $0 == PosternURLProtocol.self }) {
            // The first class that wants a request has it, and the system's own classes want every one.
            configuration.protocolClasses = [PosternURLProtocol.self] + classes
        }
        return configuration
    }
}

#if canImport(ObjectiveC)
    /// `PosternFirebase` for Objective-C, where it has the same name.
    @objc(PosternFirebase)
    public final class PosternFirebaseObjectiveC: NSObject {
        /// Sends the SDK's requests to the Postern server at `url`: `PosternFirebase.use(_:)`.
        ///
        /// - Parameter url: Postern's origin.
        /// - Throws: `PosternFirebaseError`, as an `NSError`.
        @objc(useURL:error:)
        public static func use(_ url: URL) throws {
            try PosternFirebase.use(url)
        }
    }
#endif
