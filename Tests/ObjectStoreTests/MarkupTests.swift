import Testing

@testable import ObjectStore

@Suite("Answers of object stores")
struct MarkupTests {
    private func markup(_ text: String) -> Markup { Markup(Array(text.utf8)) }

    @Test("elements are found by their whole names, and their texts are read with their entities")
    func texts() {
        let page = markup(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <List xmlns="http://s3.amazonaws.com/doc/"><Keys>9</Keys><Item><Key>a&amp;b&lt;&#x41;&#66;&quot;&apos;&gt;</Key></Item>
            <Empty/><Item ><Key>ü</Key></Item><Mark></Mark></List>
            """
        )
        #expect(page.isRooted(at: "List") && !page.isRooted(at: "Lis") && !page.isRooted(at: "Item"))
        #expect(page.all("Item").map { $0.first("Key")?.text } == ["a&b<AB\"'>", "ü"])
        #expect(page.first("Key")?.text == "a&b<AB\"'>")
        #expect(page.first("Empty")?.text == "" && page.first("Mark")?.text == "")
        #expect(page.first("Item")?.text == nil && page.first("Other") == nil && page.first("Item")?.first("Mark") == nil)
    }

    @Test("what is cut off or no text is not taken for something else")
    func broken() {
        for text in ["", "<", "<Key", "<Key>", "<Key>a", "<Key>a</Ke>", "<Keys>a</Keys>", "<?xml", "Key>a</Key>"] {
            #expect(markup(text).first("Key") == nil, "\(text)")
            #expect(!markup(text).isRooted(at: "List"), "\(text)")
        }
        for text in ["&", "&amp", "&unknown;", "&#xD800;", "&#x110000;", "&#;", "&#x;", "&#-1;", "a&b;c"] {
            #expect(markup("<Key>\(text)</Key>").first("Key")?.text == nil, "\(text)")
        }
        #expect(Markup(Array("<Key>".utf8) + [0xff] + Array("</Key>".utf8)).first("Key")?.text == nil)
    }
}

@Suite("Places in object stores")
struct S3PlaceTests {
    @Test("a place is a bucket and names of characters that URLs take as they are")
    func parsing() throws {
        for (text, bucket, path) in [
            ("s3://backups", "backups", ""), ("s3://backups/", "backups", ""), ("s3://a-b.c1/x", "a-b.c1", "x"),
            ("s3://abc/x/y_z~.-9/", "abc", "x/y_z~.-9"),
        ] {
            let place = try S3Place(text)
            #expect(place.bucket == bucket && place.path == path, "\(text)")
        }
        #expect(try S3Place("s3://abc/x/").appending("n").description == "s3://abc/x/n")
        #expect(try S3Place("s3://abc").appending("n").description == "s3://abc/n")
        for text in [
            "s3:/abc", "https://abc", "s3://", "s3://ab", "s3://Abc", "s3://a_c", "s3://-bc", "s3://ab.", "s3://a..c",
            "s3:///abc",
            "s3://abc//", "s3://abc//x", "s3://abc/x//y", "s3://abc/.", "s3://abc/../x", "s3://abc/a b", "s3://abc/a?b",
            "s3://abc/a%2Fb",
            "s3://abc/ü", "s3://abc/a+b", "s3://abc@d/x", "s3://abc:80/x", "s3://abc/a\nb",
            "s3://" + String(repeating: "a", count: 64),
            "s3://abc/" + String(repeating: "a", count: 901),
        ] {
            #expect(throws: S3Place.Malformed.self, "\(text)") { try S3Place(text) }
        }
    }

    @Test("the bucket stands in the host name or in the path")
    func styles() {
        func url(_ bucket: String, _ endpoint: String, path: Bool) -> String {
            S3Configuration(endpoint: endpoint, region: "r", accessKeyID: "a", secretAccessKey: "s", usesPathStyle: path)
                .url(ofBucket: bucket)
        }
        #expect(url("abc", "https://s3.example.com", path: false) == "https://abc.s3.example.com")
        #expect(url("a.c", "https://s3.example.com", path: false) == "https://s3.example.com/a.c")
        #expect(url("abc", "http://[::1]:9000/s3", path: true) == "http://[::1]:9000/s3/abc")
    }

    @Test("parts are as large as their number allows")
    func parts() {
        #expect(S3Upload.partBytes(for: 0) == 8 << 20)
        #expect(S3Upload.partBytes(for: 10_000 * (8 << 20)) == 8 << 20)
        #expect(S3Upload.partBytes(for: 10_000 * (8 << 20) + 1) == (8 << 20) + 1)
        #expect(S3Upload.partBytes(for: 10_000 * (64 << 20)) == 64 << 20)
        #expect(S3Upload.partBytes(for: 10_000 * (64 << 20) + 1) == nil)
    }
}
