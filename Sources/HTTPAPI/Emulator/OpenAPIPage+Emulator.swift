import Hummingbird
import Project

extension OpenAPIPage {
    private static let hosts = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com"]

    // The form of `servers` in the emulator's document.
    func emulatorServers(_ request: Request) -> JSONValue {
        let scheme = WebAddress(publicURL())?.isSecure == true ? "https" : "http"
        let origin = request.head.authority.flatMap(Authority.init).map { "\(scheme)://\($0)" } ?? publicURL()
        let variables: JSONValue = [
            "EMULATOR": ["default": .string(origin), "description": "Scheme, host and port of this server."]
        ]
        let urls = ["{EMULATOR}"] + Self.hosts.map { "{EMULATOR}/\($0)" }
        return .array(urls.map { ["url": .string($0), "variables": variables] })
    }
}
