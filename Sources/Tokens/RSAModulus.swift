/// What an RSA modulus shows of how it was made.
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

        /// Whether some number, zero apart, is no power: only then does a remainder tell anything.
        var tells: Bool { isPower.dropFirst().contains(false) }

        func matches(_ modulus: some Sequence<UInt8>) -> Bool {
            isPower[Int(modulus.reduce(0) { ($0 << 8 | UInt32($1)) % prime })]
        }
    }

    // The smallest keys of that generator are built on the primes up to 167, larger ones on these and more.
    private static let markers = (2...167).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
        .map { Marker(prime: UInt32($0)) }.filter(\.tells)

    /// Whether a modulus was made by the generator whose primes are k·M + (65537^a mod M), with M a product of small primes, and
    /// which can be factored (CVE-2017-15361; Nemec et al., The Return of Coppersmith's Attack, CCS 2017, §2). Such a modulus is a
    /// power of 65537 modulo each of those primes, any other one is with a chance of less than one in a hundred million.
    ///
    /// - Parameter modulus: The modulus, most significant byte first.
    /// - Returns: Whether it was.
    package static func isOfWeakGenerator(_ modulus: some Sequence<UInt8>) -> Bool {
        markers.allSatisfy { $0.matches(modulus) }
    }
}
