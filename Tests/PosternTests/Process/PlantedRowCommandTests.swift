import Foundation
import Project
import TestKit
import Testing

@Suite("Rows that users plant in CSV do not become accounts of others (IMP-06)", .teardown, .timeLimit(.minutes(15)))
struct PlantedRowCommandTests {
    /// A row as firebase auth:export writes it: 28 cells and a comma.
    private static func row(_ id: String, _ email: String, photo: String = "") -> String {
        var cells = [String](repeating: "", count: 28)
        (cells[0], cells[1], cells[2], cells[6], cells[23]) = (id, email, "true", photo, "1600000000000")
        return cells.map { $0 + "," }.joined() + "\n"
    }

    @Test("of rows that claim the same, none is imported, and each is named with what to do; a second run changes nothing")
    func contested() async throws {
        let project = "config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}"
        let place = try await CommandPlace.make(project: project)
        try await place.serving { _ in }
        let tail = (7..<28).map { $0 == 23 ? "1500000000000" : "" }.joined(separator: ",")
        let photo = "https://x,\(tail),\n" + Self.row("thief", "OWNER@b.c") + "last,last@b.c,true,,,,https://y"
        let rows = [Self.row("attacker", "attacker@b.c", photo: photo), Self.row("owner", "owner@b.c"), Self.row("c", "c@b.c")]
        try place.write(rows.joined(), to: "users.csv")
        for imported in [3, 0] {
            let (code, text) = try await place.run(["users", "import", "users.csv"])
            #expect(
                code == 2
                    && text.contains("5 rows: \(imported) imported, \(3 - imported) had been imported before, 2 rejected")
            )
            for line in ["row 2, line 2 (thief): the address", "row 4, line 4 (owner): the address"] {
                #expect(text.contains(line), "\(text)")
            }
            #expect(text.contains("import JSON (firebase auth:export --format=json)"))
        }
        let tried = try await place.json(["users", "import", "users.csv", "--dry-run"], code: 2)
        #expect(tried["rejected"] == 2)
        let listed = try await place.json(["users", "list"])["users"]?.array?.compactMap { $0["localId"]?.string } ?? []
        #expect(Set(listed) == ["attacker", "last", "c"])
        let piped = try await place.run(["users", "import", "/dev/stdin", "--format", "csv"], input: rows[2])
        #expect(piped.code != 0 && piped.text.contains("must be in a file, not in a pipe"), "\(piped.text)")
    }
}
