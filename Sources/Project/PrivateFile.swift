package import Foundation

/// Creates files that only the operator may read.
package enum PrivateFile {
    /// The file already exists or cannot be created.
    package struct FileError: Error, CustomStringConvertible {
        /// The path and the reason.
        package let description: String
    }

    /// Creates a file without a name. It goes with the last reference to it, and with the process whatever ends that.
    package static func unnamed(in directory: URL) throws -> FileHandle {
        let path = directory.appending(path: ".postern-\(UUID().uuidString)").path
        let file = try create(path, flags: O_RDWR)
        unlink(path)
        return file
    }

    /// Creates a file with mode 0600.
    package static func create(_ path: String) throws -> FileHandle { try create(path, flags: O_WRONLY) }

    private static func create(_ path: String, flags: Int32) throws -> FileHandle {
        let descriptor = open(path, flags | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let (code, name) = (errno, TerminalText.path(path))
            if code == EEXIST { throw FileError(description: "\(name) is there already") }
            throw FileError(description: "cannot make \(name): \(String(cString: strerror(code)))")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
