/// Which numbers there are in the world, as far as it can be told from their beginning and their length.
///
/// A table of facts, not of rules: geographic country calling codes (ITU-T E.164 list of assigned codes) with the lengths of
/// national numbers that can take an SMS, fixed or mobile, as national numbering plans publish them (they agree with the metadata
/// of libphonenumber 8.13). Calling codes of no country (800, 808, 870 to 888, 979) are left out on purpose: they are free of
/// charge for the callee, satellites and premium services, which no user has for a phone and fraud likes best.
package enum NumberingPlan {
    /// What a calling code says.
    package struct Country: Sendable, Hashable {
        /// ISO 3166-1 alpha-2; the largest one of those that share the calling code.
        package let region: String
        /// How many digits follow the calling code.
        package let lengths: ClosedRange<Int>
    }

    /// Looks a number up.
    ///
    /// - Parameter digits: A number in E.164 without its `+`.
    /// - Returns: Its region, and whether it has a length that numbers there have; `nil` for a calling code of no country.
    package static func region(ofDigits digits: Substring) -> (region: String, hasPlausibleLength: Bool)? {
        guard let (code, country) = country(ofDigits: digits) else { return nil }
        return (prefixRegion(digits) ?? country.region, country.lengths.contains(digits.count - code.count))
    }

    /// The country of a number, with its calling code.
    static func country(ofDigits digits: Substring) -> (code: String, country: Country)? {
        for length in 1...3 {
            let code = String(digits.prefix(length))
            if let country = countries[code] { return (code, country) }
        }
        return nil
    }

    private static func prefixRegion(_ digits: Substring) -> String? {
        for length in prefixLengths.reversed() where digits.count > length {
            if let region = prefixes[String(digits.prefix(length))] { return region }
        }
        return nil
    }

    private static let countries: [String: Country] = {
        var countries: [String: Country] = [:]
        for entry in countryTable.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let parts = entry.split(separator: " ")
            let lengths = parts[2].split(separator: "-").compactMap { Int($0) }
            guard let low = lengths.first, let high = lengths.last else { continue }
            countries[String(parts[0])] = Country(region: String(parts[1]), lengths: low...high)
        }
        return countries
    }()

    private static let prefixes: [String: String] = {
        var prefixes: [String: String] = [:]
        for entry in prefixTable.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let parts = entry.split(separator: " ")
            for prefix in parts.dropFirst() { prefixes[String(prefix)] = String(parts[0]) }
        }
        return prefixes
    }()

    private static let prefixLengths = Set(prefixes.keys.map(\.count)).sorted()

    // Calling code, region, digits behind the calling code.
    private static let countryTable = """
        1 US 10; 7 RU 10; 20 EG 8-10; 27 ZA 5-9; 30 GR 10; 31 NL 9-11; 32 BE 8-9; 33 FR 9; 34 ES 9; 36 HU 8-9; 39 IT 6-11
        40 RO 6-9; 41 CH 9; 43 AT 4-13; 44 GB 9-10; 45 DK 8; 46 SE 7-9; 47 NO 8; 48 PL 7-9; 49 DE 5-15; 51 PE 8-9; 52 MX 10
        53 CU 6-10; 54 AR 10-11; 55 BR 10-11; 56 CL 9; 57 CO 8-10; 58 VE 10; 60 MY 8-10; 61 AU 9; 62 ID 7-12; 63 PH 6-10
        64 NZ 8-10; 65 SG 8; 66 TH 8-9; 81 JP 9-10; 82 KR 5-10; 84 VN 9-10; 86 CN 7-11; 90 TR 10; 91 IN 10; 92 PK 9-10; 93 AF 9
        94 LK 9; 95 MM 6-10; 98 IR 6-10; 211 SS 9; 212 MA 9; 213 DZ 8-9; 216 TN 8; 218 LY 9; 220 GM 7; 221 SN 9; 222 MR 8
        223 ML 8; 224 GN 8-9; 225 CI 10; 226 BF 8; 227 NE 8; 228 TG 8; 229 BJ 8-10; 230 MU 7-8; 231 LR 7-9; 232 SL 8; 233 GH 9
        234 NG 8-10; 235 TD 8; 236 CF 8; 237 CM 9; 238 CV 7; 239 ST 7; 240 GQ 9; 241 GA 7-8; 242 CG 9; 243 CD 7-10; 244 AO 9
        245 GW 9; 246 IO 7; 247 AC 5; 248 SC 7; 249 SD 9; 250 RW 8-9; 251 ET 9; 252 SO 6-9; 253 DJ 8; 254 KE 7-9; 255 TZ 9
        256 UG 9; 257 BI 8; 258 MZ 8-9; 260 ZM 9; 261 MG 9; 262 RE 9; 263 ZW 5-10; 264 NA 8-9; 265 MW 7-9; 266 LS 8; 267 BW 7-8
        268 SZ 8; 269 KM 7; 290 SH 4-5; 291 ER 7; 297 AW 7; 298 FO 6; 299 GL 6; 350 GI 8; 351 PT 9; 352 LU 4-11; 353 IE 7-10
        354 IS 7-9; 355 AL 8-9; 356 MT 8; 357 CY 8; 358 FI 5-10; 359 BG 6-9; 370 LT 8; 371 LV 8; 372 EE 7-8; 373 MD 8; 374 AM 8
        375 BY 9; 376 AD 6-9; 377 MC 8-9; 378 SM 8-10; 380 UA 9; 381 RS 7-12; 382 ME 8; 383 XK 8-12; 385 HR 8-9; 386 SI 8
        387 BA 8-9; 389 MK 8; 420 CZ 9; 421 SK 6-9; 423 LI 7-9; 500 FK 5; 501 BZ 7; 502 GT 8; 503 SV 8; 504 HN 8; 505 NI 8
        506 CR 8; 507 PA 7-8; 508 PM 6-9; 509 HT 8; 590 GP 9; 591 BO 8; 592 GY 7; 593 EC 8-9; 594 GF 9; 595 PY 7-9; 596 MQ 9
        597 SR 6-7; 598 UY 8; 599 CW 7-8; 670 TL 7-8; 672 NF 6; 673 BN 7; 674 NR 7; 675 PG 7-8; 676 TO 5-7; 677 SB 5-7; 678 VU 5-7
        679 FJ 7; 680 PW 7; 681 WF 6; 682 CK 5; 683 NU 4-7; 685 WS 5-10; 686 KI 5-8; 687 NC 6; 688 TV 5-7; 689 PF 8; 690 TK 4-7
        691 FM 7; 692 MH 7; 850 KP 8-10; 852 HK 8; 853 MO 8; 855 KH 8-9; 856 LA 8-10; 880 BD 6-10; 886 TW 8-9; 960 MV 7
        961 LB 7-8; 962 JO 8-9; 963 SY 8-9; 964 IQ 8-10; 965 KW 8; 966 SA 9; 967 YE 7-9; 968 OM 8; 970 PS 8-9; 971 AE 8-9
        972 IL 8-12; 973 BH 8; 974 QA 8; 975 BT 7-8; 976 MN 8-10; 977 NP 8-10; 992 TJ 9; 993 TM 8; 994 AZ 9; 995 GE 9; 996 KG 9
        998 UZ 9
        """

    // Regions that share a calling code with a larger one, and where their numbers begin.
    private static let prefixTable = """
        AG 1268; AI 1264; AS 1684; BB 1246; BM 1441; BS 1242
        CA 1204 1226 1236 1249 1250 1263 1289 1306 1343 1354 1365 1367 1368 1382 1403 1416 1418 1428 1431 1437 1438 1450 1468
        CA 1474 1506 1514 1519 1548 1579 1581 1584 1587 1600 1604 1613 1622 1639 1647 1672 1683 1705 1709 1742 1753 1778 1780
        CA 1782 1807 1819 1825 1867 1873 1879 1902 1905; DM 1767; DO 1809 1829 1849; GD 1473; GU 1671; JM 1658 1876; KN 1869
        KY 1345; LC 1758; MP 1670; MS 1664; PR 1787 1939; SX 1721; TC 1649; TT 1868; VC 1784; VG 1284; VI 1340; KZ 76 77
        VA 3906698; IM 447457 447524 447624 441624; GG 441481 447781 447839 447911; JE 441534 447509 447700 447797 447829 447937
        SJ 4779; AX 35818; EH 2125288 2125289; YT 262269 262639; TA 2908; BQ 5993 5994 5997
        """
}
