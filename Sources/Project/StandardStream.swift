import Foundation

/// Standard output and standard error, for texts. A stream that is closed, full or broken loses the text and ends nothing: `FileHandle` would
/// end the process.
package enum StandardStream: Sendable {
    case output, error

    private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

    /// Writes a text at once. It waits for a reader that is slow.
    @discardableResult
    package func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = posixWrite(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = .init(rebasing: rest.dropFirst(count))
                } else if count < 0, errno == EAGAIN {
                    // Another process that shares the stream has set O_NONBLOCK.
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    guard poll(&entry, 1, 1000) == 1 else { return false }
                } else if count == 0 || errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}

// The method's own name hides the function of the C library.
private func posixWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
