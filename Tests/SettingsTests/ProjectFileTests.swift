import Foundation
import Project
import Testing

@testable import Settings

@Suite("The project file")
struct ProjectFileTests {
    @Test func plainValuesAreTypedAsInJSON() throws {
        let value = try Workspace().project(
            """
            bools: [true, False]
            nulls: [null, ~, ]
            integers: [0, -12, 9223372036854775807]
            numbers: [1.5, 1e3, 9223372036854775808]
            texts: [no, NO, on, yes, 012345, +16505550100, 0x10, 12:30, 2001-01-01, 1_000, .5, .inf, "1", 'true', !!str 2]
            empty: {}
            """
        )
        #expect(
            value
                == .object([
                    "bools": .array([.bool(true), .bool(false)]),
                    "nulls": .array([.null, .null]),
                    "integers": .array([.integer(0), .integer(-12), .integer(.max)]),
                    "numbers": .array([.number(1.5), .number(1000), .number(9_223_372_036_854_775_808)]),
                    "texts": .array(
                        [
                            "no", "NO", "on", "yes", "012345", "+16505550100", "0x10", "12:30", "2001-01-01", "1_000", ".5",
                            ".inf",
                            "1", "true", "2",
                        ].map(JSONValue.string)
                    ),
                    "empty": .object([:]),
                ])
        )
    }

    @Test func keysAreTextWhateverTheyLookLike() throws {
        let value = try Workspace().project("+16505553434: '654321'\ntrue: 1\n12: 2\n")
        #expect(value == .object(["+16505553434": .string("654321"), "true": .integer(1), "12": .integer(2)]))
    }

    @Test func referencesAreReplacedEverywhere() throws {
        let workspace = try Workspace()
        try workspace.write("-----KEY-----\nabc\n\n", to: "Config/key.p8")
        try workspace.write("windows\r\n", to: "w.txt")
        try workspace.write("bare", to: "b.txt")
        let value = try workspace.project(
            """
            a: {clientSecret: {env: A_SECRET}}
            b: [{file: Config/key.p8}, {file: w.txt}, {file: "\(workspace.path)/b.txt"}]
            c: {env: A_SECRET, other: 1}
            """,
            ["A_SECRET": "s3cret"]
        )
        #expect(
            value
                == .object([
                    "a": .object(["clientSecret": .string("s3cret")]),
                    "b": .array([.string("-----KEY-----\nabc\n"), .string("windows"), .string("bare")]),
                    "c": .object(["env": .string("A_SECRET"), "other": .integer(1)]),
                ])
        )
    }

    @Test func aReferencedValueIsTextEvenIfItLooksLikeANumber() throws {
        #expect(try Workspace().project("a: {env: N}\n", ["N": "12"]) == .object(["a": .string("12")]))
    }

    @Test func missingVariablesAndFilesAreAllNamedWithTheirKeys() throws {
        let workspace = try Workspace()
        try workspace.write(Data([0xFF]), to: "bytes")
        let problems = try workspace.projectProblems(
            """
            google.com: {clientSecret: {env: ABSENT}}
            list: [1, {env: EMPTY}]
            key: {file: nowhere.p8}
            bytes: {file: bytes}
            wrong: {env: [A]}
            none: {file: }
            """,
            ["EMPTY": ""]
        )
        #expect(
            problems == [
                "google.com.clientSecret: the environment variable ABSENT is not set (project.yaml:1:28)",
                "list[1]: the environment variable EMPTY is not set (project.yaml:2:11)",
                "key: the file nowhere.p8: no such file (project.yaml:3:6)",
                "bytes: the file bytes: is not UTF-8 text (project.yaml:4:8)",
                "wrong: expected the name of an environment variable after `env` (project.yaml:5:8)",
                "none: expected the name of a file after `file` (project.yaml:6:7)",
            ]
        )
    }

    @Test(arguments: [
        ("- a\n", "project.yaml: expected a map at the top"),
        ("a: [\n", "project.yaml: malformed YAML: "),
        ("a: 1\na: 2\n", "project.yaml: written twice in one map: a"),
        ("a: 1\n'a': 2\n", "project.yaml: written twice in one map: a"),
        ("1: 1\n'1': 2\n", "1: written twice"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "c: expected a key that is text; merge keys are not supported"),
        ("a: !!binary aGk=\n", "a: YAML tags other than `!!str` are not supported"),
    ])
    func otherFilesAreRefused(yaml: String, expected: String) throws {
        let problems = try Workspace().projectProblems(yaml)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(expected) == true, "\(problems)")
    }

    @Test func aMissingFileIsAnErrorAndAnEmptyOneIsNot() throws {
        let workspace = try Workspace()
        #expect(try workspace.project("# nothing\n") == .object([:]))
        #expect(throws: SettingsError.self) {
            try ProjectFile.read(path: "absent.yaml", environment: [:], surroundings: workspace.surroundings)
        }
    }

    @Test func aliasesStandForTheirValuesWithinBounds() throws {
        let workspace = try Workspace()
        #expect(
            try workspace.project("a: &x {b: 1}\nc: *x\n")
                == .object(["a": .object(["b": .integer(1)]), "c": .object(["b": .integer(1)])])
        )
        var bomb = "a0: &a0 [x, x]\n"
        for level in 1...24 { bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        #expect(try workspace.projectProblems(bomb).count == 1)
    }
}
