import Foundation

/// Why `PosternFirebase.use(_:)` refused.
///
/// The descriptions do not repeat the URL: one with a password in it is refused, too, and errors end up in logs.
public enum PosternFirebaseError: Error, Equatable, Sendable {
    /// The URL has no host.
    case hostIsMissing
    /// The URL's scheme is not `https`, and its host is not a loopback address with `http`.
    case schemeIsNotHTTPS
    /// The URL has a user name, path, query or fragment, or a port that is none.
    case urlIsNotAnOrigin
    /// The URL's host is one of those whose requests are to be sent elsewhere.
    case hostIsGoogles
    /// `FIREBASE_AUTH_EMULATOR_HOST` is set: the process is meant for the Auth emulator, with which Firebase's SDKs verify nothing.
    case emulatorHostIsSet
}

extension PosternFirebaseError: LocalizedError {
    /// What is wrong and what would be right, in one sentence.
    public var errorDescription: String? {
        switch self {
        case .hostIsMissing: "Postern's URL has no host; it looks like https://auth.example.com."
        case .schemeIsNotHTTPS: "Postern's URL must begin with https://; http:// is for a loopback address alone."
        case .urlIsNotAnOrigin: "Postern's URL must be a scheme, a host and at most a port, such as https://auth.example.com."
        case .hostIsGoogles: "Postern's URL must name your own server, not one of Google's hosts."
        case .emulatorHostIsSet: "FIREBASE_AUTH_EMULATOR_HOST is set; unset it to use a Postern server in production."
        }
    }
}
