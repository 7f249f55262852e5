import Project
package import Settings

/// The port that was really bound; known only once the listener runs.
final class BoundPort: Sendable {
    private let value: LockedState<Int>

    init(_ port: Int) { value = LockedState(port) }

    var port: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Where the listeners are reached. With port 0 that is known only once they run, so addresses are read at each use.
package struct ServerAddresses: Sendable {
    private let settings: Settings
    /// The port that the public listener was bound to.
    let publicPort: BoundPort
    /// The port that the private listener was bound to.
    let adminPort: BoundPort

    package init(_ settings: Settings) {
        self.settings = settings
        publicPort = BoundPort(settings.server.port)
        adminPort = BoundPort(settings.server.admin?.port ?? 0)
    }

    /// `server.publicURL`
    var publicURL: @Sendable () -> String { { settings.server.publicURL(boundTo: publicPort.port).text } }

    /// Where browsers reach the console.
    var consoleURL: @Sendable () -> WebURL {
        { settings.console.url(settings.server, publicPort: publicPort.port, adminPort: adminPort.port) }
    }
}
