package import Foundation

/// The root of the package, which contains `Config` and `Docs`.
package var packageDirectory: URL {
    var url = URL(filePath: #filePath)
    while url.path != "/", !FileManager.default.fileExists(atPath: url.appending(path: "Package.swift").path) {
        url.deleteLastPathComponent()
    }
    return url
}
