import Accounts
import Foundation
import NIOCore
import Project
import UserFiles

/// Files that browsers send in pieces, until they are imported. They are on this server's disk, readable by it alone, and bounded.
actor ConsoleUploads {
    /// The largest piece in bytes. A piece comes well within a request's time.
    static let pieceBytes = 1 << 20
    private static let mostBytes: Int64 = 1 << 30
    private static let mostFiles = 4
    private static let patience = Duration.seconds(900)
    private static let namePrefix = "postern-upload-"

    private struct Upload {
        let operatorID: String
        let path: String
        let file: FileHandle
        var bytes: Int64 = 0
        var lastUsed = ContinuousClock.now
    }

    private var uploads: [String: Upload] = [:]
    private let environment: ServerEnvironment
    private let directory = FileManager.default.temporaryDirectory

    init(environment: ServerEnvironment) { self.environment = environment }

    deinit {
        for upload in uploads.values { unlink(upload.path) }
    }

    /// Begins a file.
    ///
    /// - Parameter person: Whose file it is.
    /// - Returns: Its id.
    /// - Throws: ``ConsoleFailure/tooMuchAtOnce``, ``PrivateFile/Refused``.
    func begin(for person: ConsoleOperator) throws -> String {
        for (id, upload) in uploads where upload.lastUsed.advanced(by: Self.patience) < .now { remove(id) }
        // An operator who begins again has no use for the file before.
        for (id, upload) in uploads where upload.operatorID == person.operatorID { remove(id) }
        guard uploads.count < Self.mostFiles else { throw ConsoleFailure.tooMuchAtOnce }
        let id = environment.randomText(length: 32)
        let path = directory.appending(path: Self.namePrefix + id).path
        uploads[id] = Upload(operatorID: person.operatorID, path: path, file: try PrivateFile.create(path))
        return id
    }

    /// Adds the next piece of a file. A piece that is there already, because its answer was lost, is passed over.
    ///
    /// - Parameters:
    ///   - piece: The bytes.
    ///   - offset: How many bytes come before it.
    ///   - id: The file.
    ///   - person: Who sends it.
    /// - Returns: How many bytes of the file are there now.
    /// - Throws: ``ConsoleFailure/unknownPage`` for another's file, ``ConsoleFailure/tooLarge``, and the errors of writing.
    func add(_ piece: ByteBuffer, at offset: Int64, to id: String, by person: ConsoleOperator) throws -> Int64 {
        guard var upload = uploads[id], upload.operatorID == person.operatorID else { throw ConsoleFailure.unknownPage }
        guard offset == upload.bytes else { return upload.bytes }
        guard upload.bytes + Int64(piece.readableBytes) <= Self.mostBytes else {
            remove(id)
            throw ConsoleFailure.tooLarge
        }
        try upload.file.write(contentsOf: piece.readableBytesView)
        upload.bytes += Int64(piece.readableBytes)
        upload.lastUsed = .now
        uploads[id] = upload
        return upload.bytes
    }

    /// Gives a file away. The import that takes it removes it.
    ///
    /// - Returns: Its path.
    /// - Throws: ``ConsoleFailure/unknownPage`` for another's file.
    func take(_ id: String, by person: ConsoleOperator) throws -> String {
        guard let upload = uploads[id], upload.operatorID == person.operatorID else { throw ConsoleFailure.unknownPage }
        uploads[id] = nil
        try upload.file.close()
        return upload.path
    }

    /// Makes a file of a text.
    ///
    /// - Returns: Its path. The caller removes the file.
    func file(of text: String) throws -> String {
        let path = directory.appending(path: Self.namePrefix + environment.randomText(length: 32)).path
        let file = try PrivateFile.create(path)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        return path
    }

    private func remove(_ id: String) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        unlink(upload.path)
    }
}
