// libcds for RISC-V, to be included before any header of the library: it takes processors that it does not know for ones
// of 32 bits, and then defines functions twice.
#ifndef CDS_PORT_H
#define CDS_PORT_H

#include <cds/details/defs.h>

#undef CDS_BUILD_BITS
#define CDS_BUILD_BITS 64

#endif
