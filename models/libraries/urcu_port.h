// liburcu's lock-free containers as they are compiled into a program (_LGPL_SOURCE); to be included before any of its
// headers.
//
// The library accesses shared memory through pointers to volatile, which are no synchronisation in C, so that every such
// access would be a data race. Here they are the compiler's atomic operations, as in later versions of the library.
#ifndef URCU_PORT_H
#define URCU_PORT_H

#define _LGPL_SOURCE
#include <urcu/compiler.h>
#include <urcu/system.h>

#undef _CMM_LOAD_SHARED
#define _CMM_LOAD_SHARED(place) __atomic_load_n(&(place), __ATOMIC_CONSUME)
#undef _CMM_STORE_SHARED
#define _CMM_STORE_SHARED(place, value)                                                                                 \
    __extension__({                                                                                                     \
        __typeof__(place) stored_ = (value);                                                                            \
        __atomic_store_n(&(place), stored_, __ATOMIC_RELAXED);                                                          \
        stored_;                                                                                                        \
    })

#endif
