/* Atomic operations as the checker wants to see them: included before everything else in a checked program.
 *
 * The compiler is told to call a function for every atomic operation, by which the checker knows it. A few of its
 * built-in functions are expanded all the same, and an exchange that may fail without a reason is called like one that
 * may not. Here these are said in terms of the others. */
#if !defined(DAMPF_ATOMICS_H) && !defined(__ASSEMBLER__) && defined(__GNUC__) && !defined(__clang__)
#define DAMPF_ATOMICS_H
#pragma GCC system_header

#ifdef __cplusplus
#define __dampf_bool bool
extern "C" {
#else
#define __dampf_bool _Bool
#endif
__dampf_bool __tsan_atomic8_compare_exchange_weak(volatile void *, void *, unsigned char, int, int);
__dampf_bool __tsan_atomic16_compare_exchange_weak(volatile void *, void *, unsigned short, int, int);
__dampf_bool __tsan_atomic32_compare_exchange_weak(volatile void *, void *, unsigned, int, int);
__dampf_bool __tsan_atomic64_compare_exchange_weak(volatile void *, void *, unsigned long, int, int);
void __tsan_atomic_thread_fence(int);
#ifdef __cplusplus
}
#endif

#define __dampf_weak_exchange(object, expected, bytes, desired, success, failure) \
    ((bytes) == 1 ? __tsan_atomic8_compare_exchange_weak((volatile void *)(object), (void *)(expected), \
                                                         *(unsigned char *)(desired), success, failure) \
     : (bytes) == 2 ? __tsan_atomic16_compare_exchange_weak((volatile void *)(object), (void *)(expected), \
                                                            *(unsigned short *)(desired), success, failure) \
     : (bytes) == 4 ? __tsan_atomic32_compare_exchange_weak((volatile void *)(object), (void *)(expected), \
                                                            *(unsigned *)(desired), success, failure) \
                    : __tsan_atomic64_compare_exchange_weak((volatile void *)(object), (void *)(expected), \
                                                            *(unsigned long *)(desired), success, failure))

/* Whether an exchange is weak for certain, and of a width that there is an operation for. */
#define __dampf_is_weak(weak, bytes) \
    (__builtin_constant_p(weak) && (weak) && ((bytes) == 1 || (bytes) == 2 || (bytes) == 4 || (bytes) == 8))

#define __atomic_compare_exchange_n(object, expected, desired, weak, success, failure) \
    __extension__({ \
        __typeof__(object) __dampf_object = (object); \
        __typeof__(expected) __dampf_expected = (expected); \
        __typeof__(*(expected)) __dampf_desired = (desired); \
        __dampf_is_weak(weak, sizeof(*__dampf_object)) \
            ? __dampf_weak_exchange(__dampf_object, __dampf_expected, sizeof(*__dampf_object), &__dampf_desired, \
                                    success, failure) \
            : __atomic_compare_exchange_n(__dampf_object, __dampf_expected, __dampf_desired, 0, success, failure); \
    })

#define __atomic_compare_exchange(object, expected, desired, weak, success, failure) \
    __extension__({ \
        __typeof__(object) __dampf_object = (object); \
        __typeof__(expected) __dampf_expected = (expected); \
        __typeof__(desired) __dampf_desired = (desired); \
        __dampf_is_weak(weak, sizeof(*__dampf_object)) \
            ? __dampf_weak_exchange(__dampf_object, __dampf_expected, sizeof(*__dampf_object), __dampf_desired, \
                                    success, failure) \
            : __atomic_compare_exchange(__dampf_object, __dampf_expected, __dampf_desired, 0, success, failure); \
    })

#define __atomic_test_and_set(object, order) \
    (__atomic_exchange_n((volatile unsigned char *)(object), (unsigned char)1, order) != 0)
#define __atomic_clear(object, order) __atomic_store_n((volatile unsigned char *)(object), (unsigned char)0, order)

/* Without optimisation the order of a fence gets lost where it is an argument of a function, as in the C++ library. */
#define __atomic_thread_fence(order) __tsan_atomic_thread_fence(order)
#define __sync_synchronize(...) __tsan_atomic_thread_fence(__ATOMIC_SEQ_CST)

/* The functions that were there before these had orders; they may be given variables to protect, too. */
#define __sync_fetch_and_add(object, value, ...) __atomic_fetch_add(object, value, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_sub(object, value, ...) __atomic_fetch_sub(object, value, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_or(object, value, ...) __atomic_fetch_or(object, value, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_and(object, value, ...) __atomic_fetch_and(object, value, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_xor(object, value, ...) __atomic_fetch_xor(object, value, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_nand(object, value, ...) __atomic_fetch_nand(object, value, __ATOMIC_SEQ_CST)
#define __sync_add_and_fetch(object, value, ...) __atomic_add_fetch(object, value, __ATOMIC_SEQ_CST)
#define __sync_sub_and_fetch(object, value, ...) __atomic_sub_fetch(object, value, __ATOMIC_SEQ_CST)
#define __sync_or_and_fetch(object, value, ...) __atomic_or_fetch(object, value, __ATOMIC_SEQ_CST)
#define __sync_and_and_fetch(object, value, ...) __atomic_and_fetch(object, value, __ATOMIC_SEQ_CST)
#define __sync_xor_and_fetch(object, value, ...) __atomic_xor_fetch(object, value, __ATOMIC_SEQ_CST)
#define __sync_nand_and_fetch(object, value, ...) __atomic_nand_fetch(object, value, __ATOMIC_SEQ_CST)
#define __sync_lock_test_and_set(object, value, ...) __atomic_exchange_n(object, value, __ATOMIC_ACQUIRE)
#define __sync_lock_release(object, ...) __atomic_store_n(object, 0, __ATOMIC_RELEASE)
#define __sync_bool_compare_and_swap(object, old, desired, ...) \
    __extension__({ \
        __typeof__(object) __dampf_variable = (object); \
        __typeof__(__atomic_load_n(__dampf_variable, 0)) __dampf_old = (old); \
        __atomic_compare_exchange_n(__dampf_variable, &__dampf_old, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    })
#define __sync_val_compare_and_swap(object, old, desired, ...) \
    __extension__({ \
        __typeof__(object) __dampf_variable = (object); \
        __typeof__(__atomic_load_n(__dampf_variable, 0)) __dampf_old = (old); \
        __atomic_compare_exchange_n(__dampf_variable, &__dampf_old, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        __dampf_old; \
    })
#endif
