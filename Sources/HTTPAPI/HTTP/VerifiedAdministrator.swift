/// An outbound channel event: the current request is an administrator's with a valid credential. Its body and answer are not
/// counted for the client's address (threat case RES-03).
package struct VerifiedAdministrator: Sendable {
    package init() {}
}
