import CArgon2
import Foundation

/// The memory of Argon2 on one thread. It is kept for the next hash, because taking it from the system again costs a tenth of one, and
/// is given back by ``release()``: the C library would keep it for ever.
///
/// Argon2 overwrites the memory before it hands it back.
final class HashMemory {
    private static let key = "postern.argon2"
    // The size of a huge page on x86-64 and of the usual one on AArch64.
    private static let alignment = 2 * 1024 * 1024

    private var start: UnsafeMutableRawPointer?
    /// How many bytes are kept.
    private(set) var count = 0

    deinit { unmap() }

    /// Lets Argon2 take its memory here.
    static func serve(_ context: inout argon2_context) {
        context.allocate_cbk = { memory, bytes in
            guard let memory, let start = HashMemory.ofThread.take(bytes) else { return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue }
            memory.pointee = start.assumingMemoryBound(to: UInt8.self)
            return ARGON2_OK.rawValue
        }
        // It stays until the next hash or the end of the pause.
        context.free_cbk = { _, _ in }
    }

    /// Gives this thread's memory back to the system.
    static func release() { Thread.current.threadDictionary.removeObject(forKey: key) }

    /// The memory of the thread that asks.
    static var ofThread: HashMemory {
        if let known = Thread.current.threadDictionary[key] as? HashMemory { return known }
        let memory = HashMemory()
        Thread.current.threadDictionary[key] = memory
        return memory
    }

    private func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        if bytes == count { return start }
        unmap()
        guard let fresh = Self.map(bytes) else { return nil }
        (start, count) = (fresh, bytes)
        return fresh
    }

    // Argon2 reads its memory in no order. With huge pages it needs 3 % less time.
    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let length = bytes + alignment
        let whole = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let whole, whole != MAP_FAILED else { return nil }
        let start = whole.alignedUp(toMultipleOf: alignment)
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let end = (start + bytes).alignedUp(toMultipleOf: pageSize)
        // What stands before and behind is not needed.
        if start > whole { munmap(whole, start - whole) }
        if end < whole + length { munmap(end, whole + length - end) }
        #if os(Linux)
            madvise(start, bytes, MADV_HUGEPAGE)
        #endif
        return start
    }

    private func unmap() {
        if let start { munmap(start, count) }
        (start, count) = (nil, 0)
    }
}
