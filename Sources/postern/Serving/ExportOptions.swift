import ArgumentParser

/// `--import` and `--export-on-exit`, as in the Firebase emulators.
struct ExportOptions: ParsableArguments {
    @Option(name: .customLong("import"), help: "Read an export directory of the Firebase emulator first; development mode only.")
    var importDirectory: String?
    @Option(
        defaultAsFlag: "",
        help:
            "Write such a directory when the server is asked to stop, that of --import unless another is named; development mode only."
    )
    var exportOnExit: String?

    /// Whether one of the options is given.
    var isGiven: Bool { importDirectory != nil || exportOnExit != nil }

    /// The directory for the export; `nil` when no export is wanted.
    func exportDirectory() throws -> String? {
        try exportOnExit.map { name in
            guard let directory = name.isEmpty ? importDirectory : name else {
                throw CommandFailure("--export-on-exit needs a directory where --import names none")
            }
            return directory
        }
    }
}
