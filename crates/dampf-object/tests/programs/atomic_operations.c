// expect: verified
// Every operation on every size.
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#define CHECK(type, greatest) \
    do { \
        static _Atomic(type) object; \
        type expected = 5; \
        atomic_store_explicit(&object, 5, memory_order_release); \
        assert(atomic_load_explicit(&object, memory_order_acquire) == 5); \
        assert(atomic_exchange(&object, 6) == 5); \
        assert(atomic_fetch_add(&object, 4) == 6); \
        assert(atomic_fetch_sub(&object, 1) == 10); \
        assert(atomic_fetch_and(&object, 12) == 9); \
        assert(atomic_fetch_or(&object, 3) == 8); \
        assert(atomic_fetch_xor(&object, 1) == 11); \
        assert(!atomic_compare_exchange_strong(&object, &expected, 1)); \
        assert(expected == 10); \
        assert(atomic_compare_exchange_strong(&object, &expected, (type)(greatest))); \
        assert(atomic_fetch_add(&object, 1) == (type)(greatest)); \
        assert(__atomic_fetch_nand((type *)&object, 1, __ATOMIC_RELAXED) == (type)((type)(greatest) + (type)1)); \
    } while (0)

int main(void) {
    CHECK(uint8_t, UINT8_MAX);
    CHECK(uint16_t, UINT16_MAX);
    CHECK(uint32_t, UINT32_MAX);
    CHECK(uint64_t, UINT64_MAX);
    return 0;
}
