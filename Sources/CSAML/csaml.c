#include "csaml.h"
