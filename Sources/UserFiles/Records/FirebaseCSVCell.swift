/// The forms of the cells in Firebase's CSV, by their columns. They tell the ways apart in which a row can be read.
enum FirebaseCSVCell {
    /// The names of the account and its first four providers.
    static let texts: Set<Int> = [5, 9, 13, 17, 21]
    /// The creation time.
    static let created = 23

    /// What is wrong with the bytes of a cell that has a form of its own; `nil` when nothing is.
    static func fault(_ bytes: ArraySlice<UInt8>, _ column: Int) -> String? {
        switch column {
        case 0: return bytes.isEmpty ? "is empty, and would be the id" : nil
        case 1, 8, 12, 16, 20: return bytes.isEmpty || bytes.contains(UInt8(ascii: "@")) ? nil : "is not an e-mail address"
        case 3, 4: return bytes.allSatisfy(isBase64) ? nil : "is not base64"
        case 2, 26:
            let isFlag = bytes.isEmpty || bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8)
            return isFlag ? nil : "is neither true nor false"
        case created, created + 1:
            let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes
            return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                ? nil : "is not a time in milliseconds"
        case 25: return bytes.first == nil || bytes.first == UInt8(ascii: "+") ? nil : "is not a phone number"
        default: return nil
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
