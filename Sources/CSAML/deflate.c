#include "csaml.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

csaml_code csaml_deflate(const unsigned char *start, size_t count, csaml_bytes *compressed) {
    if (count > INT_MAX) return CSAML_LIBRARY;
    z_stream stream;
    memset(&stream, 0, sizeof(stream));
    // Negative: no header and no checksum.
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return CSAML_LIBRARY;
    size_t room = deflateBound(&stream, (uLong)count);
    unsigned char *place = malloc(room);
    csaml_code code = CSAML_LIBRARY;
    if (place != NULL) {
        stream.next_in = (Bytef *)start;
        stream.avail_in = (uInt)count;
        stream.next_out = place;
        stream.avail_out = (uInt)room;
        if (deflate(&stream, Z_FINISH) == Z_STREAM_END) {
            compressed->start = place;
            compressed->count = stream.total_out;
            code = CSAML_OK;
        } else {
            free(place);
        }
    }
    deflateEnd(&stream);
    return code;
}
