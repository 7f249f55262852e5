#ifndef POSTERN_CSAML_H
#define POSTERN_CSAML_H

#include <stddef.h>

// Foundation has an ICU of its own, whose headers those of libxml2's would contradict. Nothing here concerns either.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlwriter.h>

// What Swift cannot do with libxml2, libxmlsec1 and zlib itself. All texts are counted bytes; nothing here keeps what it was given.

// Why nothing came of a call.
typedef enum {
    CSAML_OK = 0,
    // A library failed, or has too little memory.
    CSAML_LIBRARY,
    // The bytes are no XML document.
    CSAML_MALFORMED,
    CSAML_DOCTYPE,
    CSAML_COMMENT,
    CSAML_INSTRUCTION,
    CSAML_DEPTH,
    CSAML_PARTS,
    // The key or certificate cannot be read, or is of a kind or length that is not used.
    CSAML_KEY,
    // The signature, or the cipher text, is not of this key.
    CSAML_INVALID,
    // Declarations of namespaces are too long, or too many of them are in scope.
    CSAML_NAMESPACES,
    // The signature, or the encrypted part, has attributes that it must not have.
    CSAML_FORM,
    // The digest is not that of the signed element, whatever the key.
    CSAML_DIGEST,
    // The signed element is longer than CSAML_DIGESTED in canonical form.
    CSAML_LONG,
} csaml_code;

// The most bytes that are digested.
#define CSAML_DIGESTED ((size_t)512 * 1024)

// Bytes that csaml_free_bytes frees.
typedef struct {
    unsigned char *start;
    size_t count;
} csaml_bytes;

// What a document may have.
typedef struct {
    unsigned depth;
    // Elements, attributes and declarations of namespaces together.
    unsigned parts;
    // Attributes and declarations of namespaces of one element.
    unsigned attributes;
    // Whether comments and processing instructions are left out; otherwise the document is refused for them.
    int skips_remarks;
} csaml_bounds;

// Makes the libraries ready, once for the process; every other function needs it.
csaml_code csaml_prepare(void);

void csaml_free_bytes(csaml_bytes bytes);

// Frees a text of libxml2's.
void csaml_free_text(xmlChar *text);

// Reads a document that has no document type and no entity, within bounds. Nothing is loaded. Comments and processing instructions are
// refused or left out.
// At most 64 namespaces are in scope anywhere. Their prefixes have 64 bytes at most and their names 256, because canonicalization writes
// them again at each element.
csaml_code csaml_parse(const unsigned char *start, size_t count, csaml_bounds bounds, xmlDocPtr *document);

// Verifies an element Signature, whose only reference must be `#` and the id of its parent, with the key of one certificate.
// `digested` becomes the very bytes that were digested. Nothing is digested that the key has not signed.
csaml_code csaml_verify(xmlNodePtr signature, const unsigned char *certificate, size_t certificate_count, int accepts_sha1,
                        csaml_bytes *digested);

// Tells whether the key of a certificate can verify: RSA of 1024 bits or more, or an elliptic curve.
csaml_code csaml_check_certificate(const unsigned char *certificate, size_t count);

// Opens an EncryptedData with the key in an EncryptedKey, which an RSA key opens.
csaml_code csaml_decrypt(xmlNodePtr encrypted_data, xmlNodePtr encrypted_key, const unsigned char *key, size_t key_count,
                         csaml_bytes *plain);

// Signs an element that has an attribute ID with RSA and SHA-256. The signature comes behind the element `sibling`, and names the certificate.
csaml_code csaml_sign(xmlNodePtr element, xmlNodePtr sibling, const unsigned char *key, size_t key_count,
                      const unsigned char *certificate, size_t certificate_count);

// Compresses bytes as DEFLATE without a header (RFC 1951).
csaml_code csaml_deflate(const unsigned char *start, size_t count, csaml_bytes *compressed);

#endif
