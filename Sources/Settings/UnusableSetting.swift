/// A setting with a valid form that cannot be used: a file with wrong content, an address that is in use.
package struct UnusableSetting: Error, CustomStringConvertible {
    package let description: String

    /// Names a setting and its problem.
    ///
    /// - Parameter problem: Without any content of a file.
    package init(_ key: String, _ problem: String) { description = "\(key): \(problem)" }

    /// Reads the file that a setting names.
    package static func reading<T>(_ key: String, _ path: String, as content: String, _ read: () throws -> T) throws -> T {
        do { return try read() } catch { throw UnusableSetting(key, "expected a file with \(content) at \(path)") }
    }
}
