import CArgon2
import Project
import Testing

/// The RFC's vectors have a secret, which imports do not have. They are tested with the system's library directly.
@Suite("RFC 9106")
struct RFC9106Tests {
    @Test(
        "is what the system's libargon2 computes",
        arguments: [
            (0, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
            (1, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"),
            (2, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"),
        ] as [(UInt32, String)]
    )
    func vectors(type: UInt32, tag: String) {
        var output = [UInt8](repeating: 0, count: 32)
        // §5: 32 bytes of password, 16 of salt, 8 of secret, 12 of associated data.
        var input = [(1, 32), (2, 16), (3, 8), (4, 12)].flatMap { [UInt8](repeating: $0.0, count: $0.1) }
        let code = output.withUnsafeMutableBufferPointer { output in
            input.withUnsafeMutableBufferPointer { input in
                var context = argon2_context()
                (context.out, context.outlen) = (output.baseAddress, 32)
                (context.pwd, context.pwdlen) = (input.baseAddress, 32)
                (context.salt, context.saltlen) = (input.baseAddress?.advanced(by: 32), 16)
                (context.secret, context.secretlen) = (input.baseAddress?.advanced(by: 48), 8)
                (context.ad, context.adlen) = (input.baseAddress?.advanced(by: 56), 12)
                (context.t_cost, context.m_cost, context.lanes, context.threads) = (3, 32, 4, 1)
                context.version = 0x13
                return argon2_ctx(&context, argon2_type(rawValue: type))
            }
        }
        #expect(code == 0)
        #expect(hexadecimal(output) == tag)
    }
}
