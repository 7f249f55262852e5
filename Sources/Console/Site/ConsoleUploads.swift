import Accounts
import Foundation
import NIOCore
import Project
import Storage

/// Files that browsers send in pieces, until they are imported. They are on this server's disk and bounded, and have no names there: none
/// outlives its last user, or the process.
actor ConsoleUploads {
    /// The largest piece in bytes. A piece comes well within a request's time.
    static let pieceBytes = 1 << 20
    private static let mostBytes: Int64 = 1 << 30
    private static let mostFiles = 4
    // An owner finds a place whatever the others have begun.
    private static let placesOfOwners = 1
    private static let patience = Duration.seconds(900)

    private struct Upload {
        let person: ConsoleOperator
        let file: FileHandle
        var bytes: Int64 = 0
        // A piece is being written.
        var isBusy = false
        var lastUsed = ContinuousClock.now
    }

    private var uploads: [String: Upload] = [:]
    private var sweep: Task<Void, Never>?
    private let environment: ServerEnvironment
    private let sweepPause: Duration
    private let isLive: @Sendable (ConsoleOperator) async throws -> Bool

    /// - Parameter isLive: Whether an operator's session goes on. Its end is the end of the operator's files.
    init(
        environment: ServerEnvironment,
        sweepPause: Duration = .seconds(60),
        isLive: @escaping @Sendable (ConsoleOperator) async throws -> Bool
    ) {
        self.environment = environment
        self.sweepPause = sweepPause
        self.isLive = isLive
    }

    deinit { sweep?.cancel() }

    /// How many files wait for their import.
    var count: Int { uploads.count }

    /// Begins a file.
    func begin(for person: ConsoleOperator) throws -> String {
        expire()
        // An operator who begins again has no use for the file before.
        uploads = uploads.filter { $0.value.person.operatorID != person.operatorID }
        let ofOthers = uploads.values.count { $0.person.role != .owner }
        guard uploads.count < Self.mostFiles, person.role == .owner || ofOthers < Self.mostFiles - Self.placesOfOwners else {
            throw ConsoleFailure.tooMuchAtOnce
        }
        let id = environment.randomText(length: 32)
        uploads[id] = Upload(person: person, file: try Self.file())
        sweepWhileThereAreSome()
        return id
    }

    /// Adds the next piece of a file. A piece that is there already, because its answer was lost, is passed over.
    ///
    /// - Returns: How many bytes of the file are there now.
    /// - Throws: ``ConsoleFailure/unknownPage`` for another's file, ``ConsoleFailure/tooLarge``, ``ConsoleFailure/tooMuchAtOnce``
    ///   while another piece is written, and the errors of writing.
    func add(_ piece: ByteBuffer, at offset: Int64, to id: String, by person: ConsoleOperator) async throws -> Int64 {
        expire()
        guard var upload = uploads[id], upload.person.operatorID == person.operatorID else { throw ConsoleFailure.unknownPage }
        if upload.isBusy { throw ConsoleFailure.tooMuchAtOnce }
        guard offset == upload.bytes else { return upload.bytes }
        guard upload.bytes + Int64(piece.readableBytes) <= Self.mostBytes else {
            uploads[id] = nil
            throw ConsoleFailure.tooLarge
        }
        uploads[id]?.isBusy = true
        let file = upload.file
        do { try await FileWork.run { try file.write(contentsOf: piece.readableBytesView) } } catch {
            // Some of the piece may be written, so no other can follow.
            uploads[id] = nil
            throw error
        }
        // The operator may have begun anew meanwhile.
        guard uploads[id] != nil else { throw ConsoleFailure.unknownPage }
        upload.bytes += Int64(piece.readableBytes)
        upload.lastUsed = .now
        uploads[id] = upload
        return upload.bytes
    }

    /// Gives a file away.
    ///
    /// - Throws: ``ConsoleFailure/unknownPage`` for another's file.
    func take(_ id: String, by person: ConsoleOperator) throws -> FileHandle {
        expire()
        guard let upload = uploads[id], upload.person.operatorID == person.operatorID, !upload.isBusy else {
            throw ConsoleFailure.unknownPage
        }
        uploads[id] = nil
        return upload.file
    }

    /// Makes a file of a text.
    nonisolated func file(of text: String) async throws -> FileHandle {
        try await FileWork.run {
            let file = try Self.file()
            try file.write(contentsOf: Data(text.utf8))
            return file
        }
    }

    private static func file() throws -> FileHandle { try PrivateFile.unnamed(in: FileManager.default.temporaryDirectory) }

    private func expire() {
        uploads = uploads.filter { $0.value.lastUsed.advanced(by: Self.patience) >= .now }
    }

    // Nobody may come again, so waiting for the next use would keep files for ever.
    private func sweepWhileThereAreSome() {
        guard sweep == nil else { return }
        sweep = environment.tasks.begin { [weak self, sweepPause] in
            // The sweep outlives the request that began it.
            await Deadline.ofEachTransaction {
                repeat { try? await Task.sleep(for: sweepPause) } while await self?.isSweptClean() == false
            }
        }
    }

    private func isSweptClean() async -> Bool {
        expire()
        for (id, upload) in uploads {
            // A store that does not answer ends nothing.
            if (try? await isLive(upload.person)) == false { uploads[id] = nil }
        }
        guard uploads.isEmpty || Task.isCancelled else { return false }
        sweep = nil
        return true
    }
}
