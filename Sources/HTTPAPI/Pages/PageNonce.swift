import Foundation
import Project

/// Makes the nonce of a page's scripts.
enum PageNonce {
    /// 128 random bits in base64.
    static func text(_ environment: ServerEnvironment) -> String { Data(environment.random(16)).base64EncodedString() }
}
