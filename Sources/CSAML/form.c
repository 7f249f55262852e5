#include "library.h"

#include <string.h>

// Canonicalization looks each name up at each element.
enum { MOST_PREFIXES = 16, LONGEST_PREFIXES = 256 };

// The elements whose attributes the library reads, and all that these may have.
static const struct {
    const char *element;
    const char *attributes[5];
} forms[] = {
    {"Signature", {"Id"}},
    {"SignedInfo", {"Id"}},
    {"CanonicalizationMethod", {"Algorithm"}},
    {"SignatureMethod", {"Algorithm"}},
    {"Reference", {"Id", "URI", "Type"}},
    {"Transforms", {NULL}},
    {"Transform", {"Algorithm"}},
    {"InclusiveNamespaces", {"PrefixList"}},
    {"DigestMethod", {"Algorithm"}},
    {"DigestValue", {NULL}},
    {"SignatureValue", {"Id"}},
    {"KeyInfo", {"Id"}},
    {"EncryptedData", {"Id", "Type", "MimeType", "Encoding"}},
    {"EncryptedKey", {"Id", "Type", "MimeType", "Encoding", "Recipient"}},
    {"EncryptionMethod", {"Algorithm"}},
    {"CipherData", {NULL}},
    {"CipherValue", {NULL}},
};

static int is_allowed(xmlNodePtr element, const xmlChar *name) {
    for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        if (!xmlStrEqual(element->name, BAD_CAST forms[form].element)) continue;
        for (size_t index = 0; index < sizeof(forms[0].attributes) / sizeof(forms[0].attributes[0]); index++)
            if (forms[form].attributes[index] != NULL && xmlStrEqual(name, BAD_CAST forms[form].attributes[index])) return 1;
        return 0;
    }
    // What a key's description holds is not read.
    return 1;
}

static int is_short(xmlAttrPtr list) {
    xmlChar *text = xmlNodeListGetString(list->doc, list->children, 1);
    if (text == NULL) return list->children == NULL;
    size_t count = strlen((const char *)text), names = 1;
    for (size_t index = 0; index < count; index++)
        if (strchr(" \t\r\n", text[index]) != NULL) names += 1;
    xmlFree(text);
    return count <= LONGEST_PREFIXES && names <= MOST_PREFIXES;
}

int csaml_has_plain_form(xmlNodePtr element) {
    for (xmlAttrPtr attribute = element->properties; attribute != NULL; attribute = attribute->next) {
        // The library reads attributes by their names alone, so one in a namespace would pass for the one that was checked.
        if (attribute->ns != NULL || !is_allowed(element, attribute->name)) return 0;
        if (xmlStrEqual(attribute->name, BAD_CAST "PrefixList") && !is_short(attribute)) return 0;
    }
    for (xmlNodePtr child = element->children; child != NULL; child = child->next)
        if (child->type == XML_ELEMENT_NODE && !csaml_has_plain_form(child)) return 0;
    return 1;
}
