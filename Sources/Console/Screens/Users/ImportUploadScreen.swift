import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Project

/// Takes a file for ``ImportScreen`` in pieces. Its script sends bytes in place of a form, and the token of the session in a header, which
/// other sites' pages cannot set.
struct ImportUploadScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/imports/upload"
    var needs: AdminScopes? { .edit }
    var largestPiece: Int { ConsoleUploads.pieceBytes }

    func show(_: ConsoleVisit) async throws -> ConsoleAnswer { .redirect(ImportScreen.path) }

    func receive(_ piece: ByteBuffer, _ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let person = try visit.person
        let id: String
        if let known = visit.query.value("upload") { id = known } else { id = try await tools.uploads.begin(for: person) }
        let offset = Int64(visit.query["offset"]) ?? 0
        let bytes = try await tools.uploads.add(piece, at: offset, to: id, by: person)
        var headers = ConsoleRenderer.headers
        headers[.contentType] = "application/json"
        let answer: JSONValue = ["upload": .string(id), "bytes": .integer(bytes)]
        return .response(
            Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: answer.text)))
        )
    }
}

extension HTTPField.Name {
    /// The token of the session, as ``Form/csrfField`` has it in forms.
    static let formToken = constant("X-Console-Form")
}
