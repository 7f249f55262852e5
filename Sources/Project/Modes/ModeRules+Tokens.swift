/// Tokens and sessions.
extension ModeRules {
    /// Whether ID tokens and session cookies are signed whatever `development.signTokens` says.
    package var alwaysSignsTokens: Bool { rule(production: true, development: false) }

    /// Whether ID tokens must be signed by this server, for this project.
    package var verifiesIDTokens: Bool { rule(production: true, development: false) }

    /// Whether ID tokens expire, and are refused while their time of issue lies ahead.
    package var checksTimesOfIDTokens: Bool { rule(production: true, development: false) }

    /// Whether an ID token names its session and is good only while that session lives.
    package var bindsIDTokensToSessions: Bool { rule(production: true, development: false) }

    /// Whether ID tokens have `email_verified` also where the account has the flag and no address.
    package var claimsVerificationWithoutEmail: Bool { rule(production: false, development: true) }

    /// Whether custom tokens must be signed by a service account of the project.
    package var verifiesCustomTokens: Bool { rule(production: true, development: false) }

    /// Whether the claims of custom tokens are limited in size.
    package var boundsClaimsOfCustomTokens: Bool { rule(production: true, development: false) }

    /// Whether a refresh token is looked up before anything else of its call is checked.
    package var looksUpRefreshTokensFirst: Bool { rule(production: false, development: true) }

    /// Whether each refresh answers the refresh token in another spelling, and every spelling is good.
    package var respellsRefreshTokens: Bool { rule(production: false, development: true) }

    /// Whether a refresh token is refused once its session was revoked or lay idle for too long.
    package var refreshTokensEndWithSessions: Bool { rule(production: true, development: false) }

    /// Whether a session that withdraws a second factor goes on with the one that it showed, while the account has that one.
    package var keepsShownSecondFactor: Bool { rule(production: true, development: false) }

    /// What a refresh token of another project answers.
    package var refreshTokenOfOtherProject: ErrorCode {
        rule(production: .projectNumberMismatch, development: .invalidRefreshToken)
    }

    /// What a refresh token of a removed account answers.
    package var refreshTokenOfRemovedAccount: ErrorCode { rule(production: .userNotFound, development: .invalidRefreshToken) }

    /// Whether a malformed `validDuration` of a session cookie is refused; otherwise it counts as absent, and a fraction as out of range.
    package var checksFormOfCookieDuration: Bool { rule(production: true, development: false) }

    /// The number of every project; without one it follows from the project's id.
    package var numberOfEveryProject: String? { rule(production: nil, development: "12345") }
}
