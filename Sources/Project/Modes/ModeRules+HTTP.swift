/// Requests and answers.
extension ModeRules {
    /// Whether `/`, `/emulator/…` and the listings of codes are served.
    package var servesEmulatorPaths: Bool { rule(production: false, development: true) }

    /// Whether a v3 alias takes any method.
    package var legacyPathsTakeAnyMethod: Bool { rule(production: false, development: true) }

    /// Whether names and addresses of pictures in a body are limited in length.
    package var boundsProfileTexts: Bool { rule(production: true, development: false) }

    /// Whether what the emulator lacks is refused with `NOT_IMPLEMENTED`; otherwise it is served, or answers what the API answers.
    package var refusesWhatEmulatorLacks: Bool { rule(production: false, development: true) }

    /// Whether refusals of what is not implemented name the emulator.
    package var refusesInEmulatorWords: Bool { rule(production: false, development: true) }

    /// What the `Postern-Mode` header of every answer says; without it there is no such header.
    package var nameInAnswers: String? { rule(production: nil, development: "development") }

    /// Whether an API key must be one of the project's.
    package var checksAPIKeys: Bool { rule(production: true, development: false) }

    /// Whether calls for administrators alone are refused without a bearer token; otherwise an API key lets those go on that name no
    /// project in their path.
    package var administratorsNeedBearer: Bool { rule(production: true, development: false) }

    /// Whether `Bearer owner` is an administrator on the public listener too.
    package var takesOwnerInPublic: Bool { rule(production: false, development: true) }

    /// Whether what looks like one of Google's access tokens is as good as `Bearer owner`.
    package var takesGoogleTokensAsOwner: Bool { rule(production: false, development: true) }

    /// Whether administrators may name other projects than `project.id`.
    package var servesOtherProjects: Bool { rule(production: false, development: true) }

    /// Whether calls by pages of other sites, and by foreign names of this server, are refused where they could do harm.
    package var refusesForeignPages: Bool { rule(production: false, development: true) }

    /// Whether the host that a request names is taken for the server's own, in browser flows and in the OpenAPI description.
    package var trustsNamedHosts: Bool { rule(production: false, development: true) }

    /// Whether only pages of authorized domains may have the handler's frame.
    package var restrictsFraming: Bool { rule(production: true, development: false) }

    /// Whether the host of `server.publicURL` is left out of the authorized domains that apps read, if it is a loopback address.
    package var leavesOutLoopbackDomain: Bool { rule(production: false, development: true) }
}
