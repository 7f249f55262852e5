#include "library.h"

#include <stdint.h>

// Canonical form may be many times as long as what was sent. This transform stands behind it, and counts in `reserved0`.

static size_t counted(xmlSecTransformPtr transform) { return (size_t)(uintptr_t)transform->reserved0; }

static int push(xmlSecTransformPtr transform, const xmlSecByte *data, xmlSecSize size, int last, xmlSecTransformCtxPtr context) {
    // Once it was too much, it stays so.
    size_t count = counted(transform) > CSAML_DIGESTED ? CSAML_DIGESTED + 1 : counted(transform) + size;
    transform->reserved0 = (void *)(uintptr_t)count;
    if (transform->next == NULL) return -1;
    if (count > CSAML_DIGESTED) {
        // The library leaks its output when the end of it fails. The digest is then one of too little, which csaml_is_beyond tells.
        return last ? xmlSecTransformPushBin(transform->next, NULL, 0, last, context) : -1;
    }
    return xmlSecTransformPushBin(transform->next, data, size, last, context);
}

static xmlSecTransformKlass klass = {
    .klassSize = sizeof(xmlSecTransformKlass),
    .objSize = sizeof(xmlSecTransform),
    .name = BAD_CAST "bound",
    .usage = xmlSecTransformUsageDSigTransform,
    .getDataType = xmlSecTransformDefaultGetDataType,
    .pushBin = push,
};

int csaml_bound(xmlSecTransformCtxPtr context) {
    for (xmlSecTransformPtr form = context->first; form != NULL; form = form->next) {
        if (form->id != xmlSecTransformExclC14NId) continue;
        xmlSecTransformPtr bound = xmlSecTransformCreate(&klass);
        if (bound == NULL) return -1;
        bound->operation = form->operation;
        bound->prev = form;
        bound->next = form->next;
        if (form->next == NULL) {
            context->last = bound;
        } else {
            form->next->prev = bound;
        }
        form->next = bound;
        return 0;
    }
    return -1;
}

int csaml_is_beyond(xmlSecTransformCtxPtr context) {
    for (xmlSecTransformPtr transform = context->first; transform != NULL; transform = transform->next)
        if (transform->id == &klass) return counted(transform) > CSAML_DIGESTED;
    return 0;
}
