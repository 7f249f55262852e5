/// A setting of the right form that cannot be put to use: a file that does not hold what it should, an address that is taken.
struct UnusableSetting: Error, CustomStringConvertible {
    let description: String

    /// - Parameters:
    ///   - key: The setting, or settings.
    ///   - problem: What is wrong; nothing of what a file holds.
    init(_ key: String, _ problem: String) { description = "\(key): \(problem)" }

    /// Reads what a setting names.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - path: The file that it names.
    ///   - content: What the file should hold.
    ///   - read: Reads it.
    /// - Returns: What `read` returns.
    /// - Throws: ``UnusableSetting`` for whatever `read` throws.
    static func reading<T>(_ key: String, _ path: String, as content: String, _ read: () throws -> T) throws -> T {
        do { return try read() } catch { throw UnusableSetting(key, "expected a file with \(content) at \(path)") }
    }
}
