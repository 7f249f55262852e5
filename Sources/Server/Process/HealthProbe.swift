import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Project
package import Settings

/// Asks a server on this machine whether it can serve, as the health checks of containers do.
package enum HealthProbe {
    /// The server does not answer, or says that it cannot serve.
    package struct Unhealthy: Error, CustomStringConvertible {
        package let description: String
    }

    /// Asks `GET /readyz` of the public listener.
    package static func ask(_ server: ServerSettings, seconds: Int) async throws {
        let url = WebURL(isSecure: server.tls != nil, host: address(of: server.host), port: server.port).text + "/readyz"
        var tls = TLSConfiguration.makeClientConfiguration()
        // The certificate is for the public name. Nothing secret is sent, and only this machine is asked.
        tls.certificateVerification = .none
        let client = HTTPClient(configuration: .init(tlsConfiguration: tls))
        do {
            let answer = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(Int64(seconds)))
            try await client.shutdown()
            guard answer.status == .ok else { throw Unhealthy(description: "\(url) answered \(answer.status.code)") }
        } catch let error as Unhealthy {
            throw error
        } catch {
            try? await client.shutdown()
            throw Unhealthy(description: "\(url) did not answer")
        }
    }

    // A listener at every address is reached at the loopback.
    private static func address(of host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }
}
