/// A setting with a valid form that cannot be used: a file with wrong content, an address that is in use.
package struct UnusableSetting: Error, CustomStringConvertible {
    /// The setting and the problem.
    package let description: String

    /// Names a setting and its problem.
    ///
    /// - Parameters:
    ///   - key: The setting or settings.
    ///   - problem: The problem, without any content of a file.
    package init(_ key: String, _ problem: String) { description = "\(key): \(problem)" }

    /// Reads the file that a setting names.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - path: The path of the file.
    ///   - content: The expected content.
    ///   - read: Reads the file.
    /// - Returns: The result of `read`.
    /// - Throws: ``UnusableSetting`` for every error of `read`.
    package static func reading<T>(_ key: String, _ path: String, as content: String, _ read: () throws -> T) throws -> T {
        do { return try read() } catch { throw UnusableSetting(key, "expected a file with \(content) at \(path)") }
    }
}
