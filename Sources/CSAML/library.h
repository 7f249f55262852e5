#ifndef POSTERN_CSAML_LIBRARY_H
#define POSTERN_CSAML_LIBRARY_H

// Before 1.3 the library's sizes are `unsigned int` unless it was built otherwise, which Debian does not. Only its pkg-config says so, and
// Swift's packages pass on no definitions.
#include <xmlsec/version.h>
#if XMLSEC_VERSION_MAJOR == 1 && XMLSEC_VERSION_MINOR < 3
#define XMLSEC_NO_SIZE_T 1
#endif
#define XMLSEC_CRYPTO_OPENSSL 1
#define XMLSEC_NO_CRYPTO_DYNAMIC_LOADING 1
#define XMLSEC_NO_GOST 1
#define XMLSEC_NO_GOST2012 1

#include <xmlsec/xmlsec.h>

#include <xmlsec/crypto.h>
#include <xmlsec/templates.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlenc.h>
#include <xmlsec/xmltree.h>

#include "csaml.h"

// Sends what libxml2 has to say on this thread nowhere: it would quote documents.
void csaml_silence(void);

// Forgets what OpenSSL noted on this thread, so that its next user does not take it for its own.
void csaml_forget_errors(void);

// Tells whether a signature, encrypted data or an encrypted key has only those attributes that the library shall read, none in a
// namespace, and no list of prefixes that costs much. It is asked before the library computes anything.
int csaml_has_plain_form(xmlNodePtr element);

// Puts a bound of CSAML_DIGESTED bytes behind the canonicalization of a reference; negative when that fails.
int csaml_bound(xmlSecTransformCtxPtr context);

// Tells whether the canonical form was longer than the bound.
int csaml_is_beyond(xmlSecTransformCtxPtr context);

// Copies bytes to the heap.
csaml_code csaml_copy(const void *start, size_t count, csaml_bytes *copy);

#endif
