// Concurrency Kit for RISC-V, as far as the programs here need it; to be included before any header of the library.
//
// The library knows no RISC-V. What it offers to such processors accesses memory through pointers to volatile, which
// are no synchronisation in C, so that everything in it would be a data race. Here its primitive operations are the
// compiler's atomic ones, in no order of their own, and its fences are the compiler's; all else is the library's.
#ifndef CK_PORT_H
#define CK_PORT_H

// In place of the header that says what the machine is like: one that orders little.
#define CK_MD_H
#define CK_MD_RMO
#define CK_MD_CACHELINE 64
#define CK_MD_PAGESIZE 4096
#define CK_MD_RTM_DISABLE
#define CK_MD_LSE_DISABLE
#define CK_MD_POINTER_PACK_DISABLE
#define CK_MD_PPC32_LWSYNC_DISABLE
#define CK_MD_VMA_BITS 48ULL
#define CK_PR_DISABLE_DOUBLE
#define CK_VERSION "0.7.1"

// In place of the primitive operations of a processor. What is not here the library makes of what is.
#define CK_F_PR
#define CK_USE_CC_BUILTINS 1
#include <ck_cc.h>
#include <ck_stdbool.h>
#include <ck_stdint.h>

static inline void ck_pr_stall(void) {}

#define CK_PORT_FENCE(NAME)                                                                                            \
    static inline void ck_pr_fence_strict_##NAME(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CK_PORT_FENCE(atomic)
CK_PORT_FENCE(atomic_load)
CK_PORT_FENCE(atomic_store)
CK_PORT_FENCE(store_atomic)
CK_PORT_FENCE(load_atomic)
CK_PORT_FENCE(load)
CK_PORT_FENCE(load_store)
CK_PORT_FENCE(store)
CK_PORT_FENCE(store_load)
CK_PORT_FENCE(memory)
CK_PORT_FENCE(acquire)
CK_PORT_FENCE(release)
CK_PORT_FENCE(acqrel)
CK_PORT_FENCE(lock)
CK_PORT_FENCE(unlock)

#define CK_PORT(NAME, MEMORY, TYPE, ORDER)                                                                             \
    static inline TYPE ck_pr_md_load_##NAME(const MEMORY *target) {                                                    \
        return __atomic_load_n((TYPE const *)target, ORDER);                                                           \
    }                                                                                                                  \
    static inline bool ck_pr_cas_##NAME(MEMORY *target, TYPE compare, TYPE set) {                                      \
        return ck_port_cas_##NAME(target, &compare, set);                                                              \
    }                                                                                                                  \
    static inline bool ck_pr_cas_##NAME##_value(MEMORY *target, TYPE compare, TYPE set, MEMORY *value) {               \
        bool done = ck_port_cas_##NAME(target, &compare, set);                                                         \
        *(TYPE *)value = compare;                                                                                      \
        return done;                                                                                                   \
    }                                                                                                                  \
    static inline TYPE ck_pr_fas_##NAME(MEMORY *target, TYPE value) {                                                  \
        return __atomic_exchange_n((TYPE *)target, value, ORDER);                                                      \
    }
#define CK_PORT_CAS(NAME, MEMORY, TYPE, ORDER)                                                                         \
    static inline bool ck_port_cas_##NAME(MEMORY *target, TYPE *compare, TYPE set) {                                   \
        return __atomic_compare_exchange_n((TYPE *)target, compare, set, false, ORDER, ORDER);                         \
    }
#define CK_PORT_NUMBER(NAME, TYPE)                                                                                     \
    CK_PORT_CAS(NAME, TYPE, TYPE, __ATOMIC_RELAXED)                                                                    \
    CK_PORT(NAME, TYPE, TYPE, __ATOMIC_RELAXED)                                                                        \
    static inline void ck_pr_md_store_##NAME(TYPE *target, TYPE value) {                                               \
        __atomic_store_n(target, value, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    static inline TYPE ck_pr_faa_##NAME(TYPE *target, TYPE value) {                                                    \
        return __atomic_fetch_add(target, value, __ATOMIC_RELAXED);                                                    \
    }                                                                                                                  \
    static inline void ck_pr_add_##NAME(TYPE *target, TYPE value) {                                                    \
        (void)__atomic_fetch_add(target, value, __ATOMIC_RELAXED);                                                     \
    }                                                                                                                  \
    static inline void ck_pr_sub_##NAME(TYPE *target, TYPE value) {                                                    \
        (void)__atomic_fetch_sub(target, value, __ATOMIC_RELAXED);                                                     \
    }                                                                                                                  \
    static inline void ck_pr_and_##NAME(TYPE *target, TYPE value) {                                                    \
        (void)__atomic_fetch_and(target, value, __ATOMIC_RELAXED);                                                     \
    }                                                                                                                  \
    static inline void ck_pr_or_##NAME(TYPE *target, TYPE value) {                                                     \
        (void)__atomic_fetch_or(target, value, __ATOMIC_RELAXED);                                                      \
    }                                                                                                                  \
    static inline void ck_pr_inc_##NAME(TYPE *target) { ck_pr_add_##NAME(target, 1); }                                 \
    static inline void ck_pr_dec_##NAME(TYPE *target) { ck_pr_sub_##NAME(target, 1); }

// What is behind a pointer depends on the pointer: the library counts on processors that keep such an order.
CK_PORT_CAS(ptr, void, void *, __ATOMIC_CONSUME)
CK_PORT(ptr, void, void *, __ATOMIC_CONSUME)
static inline void ck_pr_md_store_ptr(void *target, const void *value) {
    __atomic_store_n((void **)target, (void *)(uintptr_t)value, __ATOMIC_RELAXED);
}
CK_PORT_NUMBER(uint, unsigned int)
CK_PORT_NUMBER(int, int)
CK_PORT_NUMBER(8, uint8_t)
CK_PORT_NUMBER(16, uint16_t)
CK_PORT_NUMBER(32, uint32_t)
CK_PORT_NUMBER(64, uint64_t)
CK_PORT_NUMBER(char, char)

#define CK_F_PR_LOAD_PTR
#define CK_F_PR_STORE_PTR
#define CK_F_PR_CAS_PTR
#define CK_F_PR_CAS_PTR_VALUE
#define CK_F_PR_FAS_PTR
#define CK_F_PR_LOAD_UINT
#define CK_F_PR_STORE_UINT
#define CK_F_PR_CAS_UINT
#define CK_F_PR_CAS_UINT_VALUE
#define CK_F_PR_FAS_UINT
#define CK_F_PR_FAA_UINT
#define CK_F_PR_ADD_UINT
#define CK_F_PR_SUB_UINT
#define CK_F_PR_AND_UINT
#define CK_F_PR_OR_UINT
#define CK_F_PR_INC_UINT
#define CK_F_PR_DEC_UINT
#define CK_F_PR_LOAD_INT
#define CK_F_PR_STORE_INT
#define CK_F_PR_CAS_INT
#define CK_F_PR_CAS_INT_VALUE
#define CK_F_PR_FAS_INT
#define CK_F_PR_FAA_INT
#define CK_F_PR_ADD_INT
#define CK_F_PR_SUB_INT
#define CK_F_PR_AND_INT
#define CK_F_PR_OR_INT
#define CK_F_PR_INC_INT
#define CK_F_PR_DEC_INT
#define CK_F_PR_LOAD_8
#define CK_F_PR_STORE_8
#define CK_F_PR_CAS_8
#define CK_F_PR_CAS_8_VALUE
#define CK_F_PR_FAS_8
#define CK_F_PR_FAA_8
#define CK_F_PR_ADD_8
#define CK_F_PR_SUB_8
#define CK_F_PR_AND_8
#define CK_F_PR_OR_8
#define CK_F_PR_INC_8
#define CK_F_PR_DEC_8
#define CK_F_PR_LOAD_16
#define CK_F_PR_STORE_16
#define CK_F_PR_CAS_16
#define CK_F_PR_CAS_16_VALUE
#define CK_F_PR_FAS_16
#define CK_F_PR_FAA_16
#define CK_F_PR_ADD_16
#define CK_F_PR_SUB_16
#define CK_F_PR_AND_16
#define CK_F_PR_OR_16
#define CK_F_PR_INC_16
#define CK_F_PR_DEC_16
#define CK_F_PR_LOAD_32
#define CK_F_PR_STORE_32
#define CK_F_PR_CAS_32
#define CK_F_PR_CAS_32_VALUE
#define CK_F_PR_FAS_32
#define CK_F_PR_FAA_32
#define CK_F_PR_ADD_32
#define CK_F_PR_SUB_32
#define CK_F_PR_AND_32
#define CK_F_PR_OR_32
#define CK_F_PR_INC_32
#define CK_F_PR_DEC_32
#define CK_F_PR_LOAD_64
#define CK_F_PR_STORE_64
#define CK_F_PR_CAS_64
#define CK_F_PR_CAS_64_VALUE
#define CK_F_PR_FAS_64
#define CK_F_PR_FAA_64
#define CK_F_PR_ADD_64
#define CK_F_PR_SUB_64
#define CK_F_PR_AND_64
#define CK_F_PR_OR_64
#define CK_F_PR_INC_64
#define CK_F_PR_DEC_64
#define CK_F_PR_LOAD_CHAR
#define CK_F_PR_STORE_CHAR
#define CK_F_PR_CAS_CHAR
#define CK_F_PR_CAS_CHAR_VALUE
#define CK_F_PR_FAS_CHAR
#define CK_F_PR_FAA_CHAR
#define CK_F_PR_ADD_CHAR
#define CK_F_PR_SUB_CHAR
#define CK_F_PR_AND_CHAR
#define CK_F_PR_OR_CHAR
#define CK_F_PR_INC_CHAR
#define CK_F_PR_DEC_CHAR
#include <ck_pr.h>

#endif
