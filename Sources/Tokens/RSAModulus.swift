/// What an RSA modulus reveals about the generator that made it.
package enum RSAModulus {
    /// A small prime, and for each number below it whether it is a power of 65537 modulo the prime.
    private struct Marker {
        let prime: UInt32
        let isPower: [Bool]

        init(prime: UInt32) {
            self.prime = prime
            var isPower = [Bool](repeating: false, count: Int(prime))
            var power = 65537 % prime
            while !isPower[Int(power)] {
                isPower[Int(power)] = true
                power = power * 65537 % prime
            }
            self.isPower = isPower
        }

        /// Whether some non-zero number is not a power of 65537. Otherwise the remainder reveals nothing.
        var tells: Bool { isPower.dropFirst().contains(false) }

        func matches(_ modulus: some Sequence<UInt8>) -> Bool {
            isPower[Int(modulus.reduce(0) { ($0 << 8 | UInt32($1)) % prime })]
        }
    }

    // The smallest keys of that generator use the primes up to 167. Larger keys use these and more.
    private static let markers = (2...167).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
        .map { Marker(prime: UInt32($0)) }.filter(\.tells)

    /// Whether a modulus was made by the weak generator of CVE-2017-15361, so that it can be factored. Its primes are k·M +
    /// (65537^a mod M), with M a product of small primes (Nemec et al., The Return of Coppersmith's Attack, CCS 2017, §2). Such a
    /// modulus is a power of 65537 modulo each of those small primes. Another modulus is one by chance in less than one of a
    /// hundred million cases.
    ///
    /// - Parameter modulus: Most significant byte first.
    package static func isOfWeakGenerator(_ modulus: some Sequence<UInt8>) -> Bool {
        markers.allSatisfy { $0.matches(modulus) }
    }
}
