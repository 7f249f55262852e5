import CSAML

/// Calls a function that makes bytes.
func takingBytes(_ call: (UnsafeMutablePointer<csaml_bytes>) -> csaml_code) -> (code: csaml_code, bytes: [UInt8]) {
    var bytes = csaml_bytes(start: nil, count: 0)
    let code = call(&bytes)
    defer { csaml_free_bytes(bytes) }
    guard code == CSAML_OK else { return (code, []) }
    return (code, Array(UnsafeBufferPointer(start: bytes.start, count: bytes.count)))
}
