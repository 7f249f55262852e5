import Project

/// Finds the screen of a path.
struct ConsoleRoutes: Sendable {
    private let routes: [(parts: [Substring], template: String, screen: any ConsoleScreen)]

    private static let maximumParts = 8

    init(_ screens: [any ConsoleScreen]) {
        routes = screens.map { screen in
            let template = type(of: screen).path
            return (template.split(separator: "/"), template, screen)
        }
    }

    /// The paths of all screens.
    var templates: [String] { routes.map(\.template) }

    /// What a path leads to.
    struct Match {
        let screen: any ConsoleScreen
        /// The path with the names of its parts.
        let template: String
        let parameters: [String: String]
    }

    /// Finds the screen of a path; `nil` when there is none. A screen whose path has no `{name}` goes before one whose path has.
    func match(_ path: String) -> Match? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: Self.maximumParts)
            .map { Self.decoded(String(decoding: $0, as: UTF8.self)) }
        var best: Match?
        for route in routes where route.parts.count == parts.count {
            guard let parameters = Self.parameters(route.parts, parts) else { continue }
            if best.map({ $0.parameters.count > parameters.count }) ?? true {
                best = Match(screen: route.screen, template: route.template, parameters: parameters)
            }
        }
        return best
    }

    // A plus sign in a path stands for itself (RFC 3986 §3.3).
    private static func decoded(_ part: String) -> String { FormEncoding.decoded(part.replacing("+", with: "%2B")) }

    private static func parameters(_ template: [Substring], _ parts: [String]) -> [String: String]? {
        var found: [String: String] = [:]
        for (name, part) in zip(template, parts) {
            if name.hasPrefix("{"), name.hasSuffix("}") {
                found[String(name.dropFirst().dropLast())] = part
            } else if !bytesEqual(String(name), part) {
                return nil
            }
        }
        return found
    }
}
