#ifndef POSTERN_CSAML_H
#define POSTERN_CSAML_H
#endif
