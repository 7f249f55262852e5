#include "library.h"

#include <limits.h>

#include <openssl/crypto.h>

// Opens one element of XML Encryption with a key. The context takes the key.
static csaml_code open_part(xmlNodePtr element, xmlEncCtxMode mode, xmlSecTransformId const *algorithms, size_t algorithm_count,
                            xmlSecKeyPtr key, csaml_bytes *plain) {
    xmlSecEncCtxPtr context = xmlSecEncCtxCreate(NULL);
    if (context == NULL) {
        xmlSecKeyDestroy(key);
        return CSAML_LIBRARY;
    }
    csaml_code code = CSAML_INVALID;
    // With a key set, the library does not look at KeyInfo.
    context->encKey = key;
    context->mode = mode;
    // The cipher text is in the element, never elsewhere.
    context->transformCtx.enabledUris = xmlSecTransformUriTypeNone;
    for (size_t index = 0; index < algorithm_count; index++) {
        if (xmlSecPtrListAdd(&context->transformCtx.enabledTransforms, (xmlSecPtr)algorithms[index]) < 0) {
            code = CSAML_LIBRARY;
            goto done;
        }
    }
    xmlSecBufferPtr result = xmlSecEncCtxDecryptToBuffer(context, element);
    if (result != NULL && xmlSecBufferGetData(result) != NULL && xmlSecBufferGetSize(result) > 0)
        code = csaml_copy(xmlSecBufferGetData(result), xmlSecBufferGetSize(result), plain);
done:
    xmlSecEncCtxDestroy(context);
    return code;
}

csaml_code csaml_decrypt(xmlNodePtr encrypted_data, xmlNodePtr encrypted_key, const unsigned char *key, size_t key_count,
                         csaml_bytes *plain) {
    csaml_silence();
    if (!csaml_has_plain_form(encrypted_data) || !csaml_has_plain_form(encrypted_key)) return CSAML_FORM;
    if (key_count > UINT_MAX) return CSAML_KEY;
    xmlSecKeyPtr private_key = xmlSecCryptoAppKeyLoadMemory(key, (xmlSecSize)key_count, xmlSecKeyDataFormatPem, NULL, NULL, NULL);
    if (private_key == NULL) {
        csaml_forget_errors();
        return CSAML_KEY;
    }
    xmlSecTransformId transports[] = {xmlSecTransformRsaOaepId};
    xmlSecTransformId ciphers[] = {xmlSecTransformAes128GcmId, xmlSecTransformAes192GcmId, xmlSecTransformAes256GcmId};
    csaml_bytes secret = {NULL, 0};
    csaml_code code = open_part(encrypted_key, xmlEncCtxModeEncryptedKey, transports, 1, private_key, &secret);
    if (code == CSAML_OK) {
        xmlSecKeyPtr content_key = xmlSecKeyReadMemory(xmlSecKeyDataAesId, secret.start, (xmlSecSize)secret.count);
        code = content_key == NULL ? CSAML_INVALID : open_part(encrypted_data, xmlEncCtxModeEncryptedData, ciphers, 3, content_key, plain);
        OPENSSL_cleanse(secret.start, secret.count);
    }
    csaml_free_bytes(secret);
    csaml_forget_errors();
    return code;
}
