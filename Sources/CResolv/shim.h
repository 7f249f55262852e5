#ifndef POSTERN_CRESOLV_SHIM_H
#define POSTERN_CRESOLV_SHIM_H

#include <netinet/in.h>
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <string.h>

// The library's functions are macros, and its types are not all imported into Swift.

// Asks for the TXT records of a name. server is the IPv4 address of a name server, or NULL for those of the system. Returns the length of the
// answer, or -1 less the number of an error (netdb.h).
static inline int postern_resolv_txt(
    const char *name, const char *server, unsigned short port, unsigned char *answer, int size
) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1 - NO_RECOVERY;
    state.retrans = 2;
    state.retry = 2;
    if (server) {
        struct in_addr address;
        if (inet_pton(AF_INET, server, &address) != 1) {
            res_nclose(&state);
            return -1 - NO_RECOVERY;
        }
        state.nscount = 1;
        state.nsaddr_list[0].sin_family = AF_INET;
        state.nsaddr_list[0].sin_port = htons(port);
        state.nsaddr_list[0].sin_addr = address;
    }
    int length = res_nquery(&state, name, ns_c_in, ns_t_txt, answer, size);
    int error = state.res_h_errno;
    res_nclose(&state);
    if (length < 0) return -1 - error;
    return length > size ? size : length;
}

// Copies the text of a TXT record, the parts of which belong together (RFC 7208 §3.3). Returns its length, -1 where there is no such record, and
// -2 for a record of another type.
static inline int postern_resolv_text(
    const unsigned char *answer, int length, int index, unsigned char *text, int size
) {
    ns_msg message;
    ns_rr record;
    if (ns_initparse(answer, length, &message) != 0) return -1;
    if (ns_parserr(&message, ns_s_an, index, &record) != 0) return -1;
    if (ns_rr_type(record) != ns_t_txt) return -2;
    const unsigned char *data = ns_rr_rdata(record);
    int left = ns_rr_rdlen(record);
    int written = 0;
    while (left > 0) {
        int part = data[0];
        if (part > left - 1 || part > size - written) break;
        memcpy(text + written, data + 1, part);
        written += part;
        data += part + 1;
        left -= part + 1;
    }
    return written;
}

#endif
