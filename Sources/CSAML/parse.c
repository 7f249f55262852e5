#include "library.h"

#include <limits.h>
#include <string.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>

enum { DEEPEST = 64, MOST_NAMESPACES = 64, LONGEST_PREFIX = 64, LONGEST_NAMESPACE = 256 };

// What one parser has seen.
typedef struct {
    csaml_bounds bounds;
    unsigned depth;
    // The declarations of namespaces on each open element, and on all of them.
    unsigned declared[DEEPEST + 1];
    unsigned in_scope;
    unsigned parts;
    csaml_code refusal;
} parse_state;

// The first refusal counts; what follows it is not read.
static void refuse(xmlParserCtxtPtr parser, csaml_code refusal) {
    parse_state *state = parser->_private;
    if (state->refusal == CSAML_OK) state->refusal = refusal;
    xmlStopParser(parser);
}

// Called at the name of a document type, before anything that it declares.
static void meet_doctype(void *context, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
    (void)name, (void)external, (void)system;
    refuse(context, CSAML_DOCTYPE);
}

static int skips_remarks(void *context) {
    parse_state *state = ((xmlParserCtxtPtr)context)->_private;
    return state->bounds.skips_remarks;
}

static void meet_comment(void *context, const xmlChar *text) {
    (void)text;
    if (!skips_remarks(context)) refuse(context, CSAML_COMMENT);
}

static void meet_instruction(void *context, const xmlChar *target, const xmlChar *data) {
    (void)target, (void)data;
    if (!skips_remarks(context)) refuse(context, CSAML_INSTRUCTION);
}

static int has_long_declaration(int namespaces, const xmlChar **declarations) {
    for (int index = 0; index < namespaces; index++)
        if (xmlStrlen(declarations[2 * index]) > LONGEST_PREFIX || xmlStrlen(declarations[2 * index + 1]) > LONGEST_NAMESPACE) return 1;
    return 0;
}

static void meet_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                       const xmlChar **declarations, int attributes, int defaulted, const xmlChar **values) {
    xmlParserCtxtPtr parser = context;
    parse_state *state = parser->_private;
    if (state->refusal != CSAML_OK) return;
    unsigned here = (unsigned)namespaces + (unsigned)attributes;
    state->depth += 1;
    state->parts += 1 + here;
    if (state->depth > state->bounds.depth || state->depth > DEEPEST) {
        refuse(parser, CSAML_DEPTH);
    } else if (here > state->bounds.attributes || state->parts > state->bounds.parts) {
        refuse(parser, CSAML_PARTS);
    } else if (state->in_scope + (unsigned)namespaces > MOST_NAMESPACES || has_long_declaration(namespaces, declarations)) {
        refuse(parser, CSAML_NAMESPACES);
    } else {
        state->declared[state->depth] = (unsigned)namespaces;
        state->in_scope += (unsigned)namespaces;
        xmlSAX2StartElementNs(context, name, prefix, uri, namespaces, declarations, attributes, defaulted, values);
    }
}

static void meet_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    xmlParserCtxtPtr parser = context;
    parse_state *state = parser->_private;
    if (state->refusal != CSAML_OK) return;
    state->in_scope -= state->declared[state->depth];
    state->depth -= 1;
    xmlSAX2EndElementNs(context, name, prefix, uri);
}

// libxml2 compares each attribute of an element with each other one before it tells of any. An attribute has an equals sign and no `<`.
static int has_crowded_tag(const unsigned char *start, size_t count, unsigned attributes) {
    size_t signs = 0, most = (size_t)attributes * 8;
    for (size_t index = 0; index < count; index++) {
        if (start[index] == '<') signs = 0;
        if (start[index] == '=' && ++signs > most) return 1;
    }
    return 0;
}

csaml_code csaml_parse(const unsigned char *start, size_t count, csaml_bounds bounds, xmlDocPtr *document) {
    *document = NULL;
    if (count == 0 || count > INT_MAX) return CSAML_MALFORMED;
    if (has_crowded_tag(start, count, bounds.attributes)) return CSAML_PARTS;
    csaml_silence();
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (parser == NULL) return CSAML_LIBRARY;
    parse_state state = {.bounds = bounds, .refusal = CSAML_OK};
    parser->_private = &state;
    parser->sax->internalSubset = meet_doctype;
    parser->sax->comment = meet_comment;
    parser->sax->processingInstruction = meet_instruction;
    parser->sax->startElementNs = meet_start;
    parser->sax->endElementNs = meet_end;
    // Character data of either form becomes text; entities, of which none can be declared, are not replaced.
    int options = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NODICT;
    xmlDocPtr read = xmlCtxtReadMemory(parser, (const char *)start, (int)count, NULL, NULL, options);
    csaml_code code = state.refusal;
    if (code == CSAML_OK && (read == NULL || !parser->wellFormed || !parser->nsWellFormed)) code = CSAML_MALFORMED;
    // Only these may stand in front of the root, and texts in other encodings may read differently elsewhere.
    if (code == CSAML_OK && read->encoding != NULL && xmlStrcasecmp(read->encoding, BAD_CAST "UTF-8") != 0) code = CSAML_MALFORMED;
    if (code == CSAML_OK && (read->version == NULL || xmlStrcmp(read->version, BAD_CAST "1.0") != 0)) code = CSAML_MALFORMED;
    if (code == CSAML_OK && (read->intSubset != NULL || read->extSubset != NULL)) code = CSAML_DOCTYPE;
    xmlFreeParserCtxt(parser);
    if (code != CSAML_OK) {
        xmlFreeDoc(read);
        return code;
    }
    *document = read;
    return CSAML_OK;
}
