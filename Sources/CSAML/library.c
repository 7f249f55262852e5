#include "library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlerror.h>
#include <openssl/err.h>
#include <xmlsec/errors.h>
#include <xmlsec/io.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static csaml_code prepared = CSAML_LIBRARY;

static void say_nothing(const char *file, int line, const char *function, const char *object, const char *subject, int reason,
                        const char *message) {
    (void)file, (void)line, (void)function, (void)object, (void)subject, (void)reason, (void)message;
}

static void note_nothing(void *context, xmlErrorPtr error) { (void)context, (void)error; }

static xmlParserInputPtr load_nothing(const char *url, const char *id, xmlParserCtxtPtr context) {
    (void)url, (void)id, (void)context;
    return NULL;
}

static void prepare(void) {
    xmlInitParser();
    if (xmlSecInit() < 0 || xmlSecCheckVersion() != 1 || xmlSecCryptoAppInit(NULL) < 0 || xmlSecCryptoInit() < 0) return;
    xmlSecErrorsSetCallback(say_nothing);
    // References lead nowhere outside of a document.
    xmlSecIOCleanupCallbacks();
    xmlSetExternalEntityLoader(load_nothing);
    prepared = CSAML_OK;
}

csaml_code csaml_prepare(void) {
    pthread_once(&once, prepare);
    return prepared;
}

void csaml_silence(void) { xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)note_nothing); }

void csaml_forget_errors(void) { ERR_clear_error(); }

csaml_code csaml_copy(const void *start, size_t count, csaml_bytes *copy) {
    unsigned char *place = malloc(count == 0 ? 1 : count);
    if (place == NULL) return CSAML_LIBRARY;
    if (count > 0) memcpy(place, start, count);
    copy->start = place;
    copy->count = count;
    return CSAML_OK;
}

void csaml_free_bytes(csaml_bytes bytes) { free(bytes.start); }

void csaml_free_text(xmlChar *text) { xmlFree(text); }
