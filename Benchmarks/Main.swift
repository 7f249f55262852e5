import ArgumentParser

/// Measures a release server against the bare limits of the machine.
@main
struct Bench: AsyncParsableCommand {}
