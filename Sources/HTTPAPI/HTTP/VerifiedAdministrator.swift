/// An event that goes out through a connection's handlers: the request at hand is an administrator's, whose credential was good. Its
/// body and answer count for no client address (threat case RES-03).
package struct VerifiedAdministrator: Sendable {
    package init() {}
}
