#include "library.h"

#include <limits.h>

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <xmlsec/openssl/evp.h>

// Reads the key of a certificate. Neither its dates nor its issuer count: the certificate was configured.
static xmlSecKeyPtr key_of(const unsigned char *certificate, size_t count) {
    if (count > UINT_MAX) return NULL;
    xmlSecKeyPtr key = xmlSecCryptoAppKeyLoadMemory(certificate, (xmlSecSize)count, xmlSecKeyDataFormatCertPem, NULL, NULL, NULL);
    if (key == NULL) return NULL;
    EVP_PKEY *value = xmlSecOpenSSLEvpKeyDataGetEvp(xmlSecKeyGetValue(key));
    int kind = value == NULL ? EVP_PKEY_NONE : EVP_PKEY_get_base_id(value);
    if ((kind == EVP_PKEY_RSA && EVP_PKEY_get_bits(value) >= 1024 && EVP_PKEY_get_bits(value) <= 16384) || kind == EVP_PKEY_EC) return key;
    xmlSecKeyDestroy(key);
    return NULL;
}

csaml_code csaml_check_certificate(const unsigned char *certificate, size_t count) {
    xmlSecKeyPtr key = key_of(certificate, count);
    csaml_forget_errors();
    if (key == NULL) return CSAML_KEY;
    xmlSecKeyDestroy(key);
    return CSAML_OK;
}

// The algorithms that may take part; the library refuses all others by itself.
static int enable(xmlSecDSigCtxPtr context, int accepts_sha1) {
    xmlSecTransformId references[] = {
        xmlSecTransformEnvelopedId, xmlSecTransformExclC14NId, xmlSecTransformSha256Id, xmlSecTransformSha384Id, xmlSecTransformSha512Id,
        accepts_sha1 ? xmlSecTransformSha1Id : xmlSecTransformSha256Id,
    };
    xmlSecTransformId signatures[] = {
        xmlSecTransformExclC14NId, xmlSecTransformRsaSha256Id, xmlSecTransformRsaSha384Id, xmlSecTransformRsaSha512Id,
        xmlSecTransformEcdsaSha256Id, xmlSecTransformEcdsaSha384Id, xmlSecTransformEcdsaSha512Id,
        accepts_sha1 ? xmlSecTransformRsaSha1Id : xmlSecTransformRsaSha256Id,
        accepts_sha1 ? xmlSecTransformEcdsaSha1Id : xmlSecTransformEcdsaSha256Id,
    };
    for (size_t index = 0; index < sizeof(references) / sizeof(references[0]); index++)
        if (xmlSecDSigCtxEnableReferenceTransform(context, references[index]) < 0) return -1;
    for (size_t index = 0; index < sizeof(signatures) / sizeof(signatures[0]); index++)
        if (xmlSecDSigCtxEnableSignatureTransform(context, signatures[index]) < 0) return -1;
    return 0;
}

// Verifies SignedInfo alone, by the library's own steps but without the references: what a foreign key has signed costs no digest of it,
// which canonicalization can make expensive. The form of the signature was checked.
static csaml_code verify_info(xmlNodePtr signature, xmlSecKeyPtr key, int accepts_sha1) {
    csaml_code code = CSAML_LIBRARY;
    xmlSecNodeSetPtr nodes = NULL;
    xmlNodePtr info = xmlSecGetNextElementNode(signature->children);
    xmlNodePtr value = info == NULL ? NULL : xmlSecGetNextElementNode(info->next);
    xmlNodePtr canonicalization = info == NULL ? NULL : xmlSecGetNextElementNode(info->children);
    xmlNodePtr method = canonicalization == NULL ? NULL : xmlSecGetNextElementNode(canonicalization->next);
    if (value == NULL || method == NULL) return CSAML_INVALID;
    xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL || enable(context, accepts_sha1) < 0) goto done;
    code = CSAML_INVALID;
    xmlSecTransformCtxPtr steps = &context->transformCtx;
    xmlSecTransformPtr form = xmlSecTransformCtxNodeRead(steps, canonicalization, xmlSecTransformUsageC14NMethod);
    if (form == NULL) goto done;
    xmlSecTransformPtr verifying = xmlSecTransformCtxNodeRead(steps, method, xmlSecTransformUsageSignatureMethod);
    if (verifying == NULL) goto done;
    form->operation = verifying->operation = xmlSecTransformOperationVerify;
    // A key of another kind than the algorithm's is refused here.
    if (xmlSecTransformSetKey(verifying, key) < 0) goto done;
    nodes = xmlSecNodeSetGetChildren(signature->doc, info, 1, 0);
    if (nodes == NULL || xmlSecTransformCtxXmlExecute(steps, nodes) < 0) goto done;
    if (xmlSecTransformVerifyNodeContent(verifying, value, steps) < 0) goto done;
    if (verifying->status == xmlSecTransformStatusOk) code = CSAML_OK;
done:
    if (context != NULL) xmlSecDSigCtxDestroy(context);
    if (nodes != NULL) xmlSecNodeSetDestroy(nodes);
    return code;
}

// Takes the bytes that were digested, if all that the signature says was verified and leads to the signed element.
static csaml_code take_digested(xmlSecDSigCtxPtr context, const xmlChar *id, csaml_bytes *digested) {
    if (context->status != xmlSecDSigStatusSucceeded) return CSAML_INVALID;
    if (xmlSecPtrListGetSize(&context->signedInfoReferences) != 1) return CSAML_INVALID;
    if (xmlSecPtrListGetSize(&context->manifestReferences) != 0) return CSAML_INVALID;
    xmlSecDSigReferenceCtxPtr reference = xmlSecPtrListGetItem(&context->signedInfoReferences, 0);
    if (reference == NULL || reference->status != xmlSecDSigStatusSucceeded || reference->uri == NULL) return CSAML_INVALID;
    if (reference->uri[0] != '#' || xmlStrcmp(reference->uri + 1, id) != 0) return CSAML_INVALID;
    xmlSecBufferPtr buffer = xmlSecDSigReferenceCtxGetPreDigestBuffer(reference);
    if (buffer == NULL || xmlSecBufferGetData(buffer) == NULL || xmlSecBufferGetSize(buffer) == 0) return CSAML_INVALID;
    return csaml_copy(xmlSecBufferGetData(buffer), xmlSecBufferGetSize(buffer), digested);
}

// Tells what went wrong with a reference that was computed. The library does so before it looks at the signature.
static csaml_code digest_failure(xmlSecDSigCtxPtr context) {
    xmlSecDSigReferenceCtxPtr reference = xmlSecPtrListGetItem(&context->signedInfoReferences, 0);
    if (reference == NULL) return CSAML_OK;
    // Asked first, because the digest may be right for what came before the bound.
    if (csaml_is_beyond(&reference->transformCtx)) return CSAML_LONG;
    return reference->status == xmlSecDSigStatusSucceeded ? CSAML_OK : CSAML_DIGEST;
}

csaml_code csaml_verify(xmlNodePtr signature, const unsigned char *certificate, size_t certificate_count, int accepts_sha1,
                        csaml_bytes *digested) {
    csaml_silence();
    if (!csaml_has_plain_form(signature)) return CSAML_FORM;
    csaml_code code = CSAML_LIBRARY;
    xmlSecDSigCtxPtr context = NULL;
    xmlAttrPtr attribute = signature->parent == NULL ? NULL : xmlHasNsProp(signature->parent, BAD_CAST "ID", NULL);
    xmlChar *id = attribute == NULL ? NULL : xmlNodeListGetString(signature->doc, attribute->children, 1);
    if (id == NULL) return CSAML_INVALID;
    // The only id of the document that a reference finds, besides those inside of the signature itself.
    xmlAttrPtr known = xmlGetID(signature->doc, id);
    if (known == NULL) xmlAddID(NULL, signature->doc, id, attribute);
    if (xmlGetID(signature->doc, id) != attribute) {
        code = CSAML_INVALID;
        goto done;
    }
    context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL || enable(context, accepts_sha1) < 0) goto done;
    context->flags |= XMLSEC_DSIG_FLAGS_IGNORE_MANIFESTS | XMLSEC_DSIG_FLAGS_STORE_SIGNEDINFO_REFERENCES;
    context->enabledReferenceUris = xmlSecTransformUriTypeSameDocument;
    context->referencePreExecuteCallback = csaml_bound;
    // With a key set, the library does not look at KeyInfo.
    context->signKey = key_of(certificate, certificate_count);
    if (context->signKey == NULL) {
        code = CSAML_KEY;
        goto done;
    }
    code = verify_info(signature, context->signKey, accepts_sha1);
    if (code != CSAML_OK) goto done;
    int result = xmlSecDSigCtxVerify(context, signature);
    code = digest_failure(context);
    if (code == CSAML_OK) code = result < 0 ? CSAML_INVALID : take_digested(context, id, digested);
done:
    if (context != NULL) xmlSecDSigCtxDestroy(context);
    xmlFree(id);
    csaml_forget_errors();
    return code;
}

csaml_code csaml_sign(xmlNodePtr element, xmlNodePtr sibling, const unsigned char *key, size_t key_count,
                      const unsigned char *certificate, size_t certificate_count) {
    csaml_silence();
    csaml_code code = CSAML_LIBRARY;
    xmlSecDSigCtxPtr context = NULL;
    xmlChar *reference = NULL;
    xmlAttrPtr attribute = xmlHasNsProp(element, BAD_CAST "ID", NULL);
    xmlChar *id = attribute == NULL ? NULL : xmlNodeListGetString(element->doc, attribute->children, 1);
    if (id == NULL || key_count > UINT_MAX || certificate_count > UINT_MAX) goto done;
    if (xmlAddID(NULL, element->doc, id, attribute) == NULL) goto done;
    reference = xmlStrncatNew(BAD_CAST "#", id, -1);
    xmlNodePtr signature =
        xmlSecTmplSignatureCreateNsPref(element->doc, xmlSecTransformExclC14NId, xmlSecTransformRsaSha256Id, NULL, BAD_CAST "ds");
    if (reference == NULL || signature == NULL) goto done;
    xmlAddNextSibling(sibling, signature);
    xmlNodePtr signed_part = xmlSecTmplSignatureAddReference(signature, xmlSecTransformSha256Id, NULL, reference, NULL);
    xmlNodePtr key_info = xmlSecTmplSignatureEnsureKeyInfo(signature, NULL);
    if (signed_part == NULL || xmlSecTmplReferenceAddTransform(signed_part, xmlSecTransformEnvelopedId) == NULL ||
        xmlSecTmplReferenceAddTransform(signed_part, xmlSecTransformExclC14NId) == NULL || key_info == NULL ||
        xmlSecTmplKeyInfoAddX509Data(key_info) == NULL)
        goto done;
    context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL) goto done;
    context->signKey = xmlSecCryptoAppKeyLoadMemory(key, (xmlSecSize)key_count, xmlSecKeyDataFormatPem, NULL, NULL, NULL);
    if (context->signKey == NULL || xmlSecCryptoAppKeyCertLoadMemory(context->signKey, certificate, (xmlSecSize)certificate_count,
                                                                     xmlSecKeyDataFormatCertPem) < 0) {
        code = CSAML_KEY;
        goto done;
    }
    if (xmlSecDSigCtxSign(context, signature) == 0 && context->status == xmlSecDSigStatusSucceeded) code = CSAML_OK;
done:
    if (context != NULL) xmlSecDSigCtxDestroy(context);
    xmlFree(reference);
    xmlFree(id);
    csaml_forget_errors();
    return code;
}
