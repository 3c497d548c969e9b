// expect: verified
// expect: data-race flags: -DSTORE=relaxed
// expect: data-race flags: -DLOAD=relaxed
// expect: data-race flags: -DSTORE=relaxed -DLOAD=relaxed
// expect: verified flags: -DSTORE=relaxed -DRELEASE_FENCE=release
// expect: verified flags: -DLOAD=relaxed -DACQUIRE_FENCE=acquire
// expect: verified flags: -DSTORE=relaxed -DLOAD=relaxed -DRELEASE_FENCE=release -DACQUIRE_FENCE=acquire
// expect: data-race flags: -DSTORE=relaxed -DLOAD=relaxed -DRELEASE_FENCE=release
// expect: data-race flags: -DSTORE=relaxed -DLOAD=relaxed -DACQUIRE_FENCE=acquire
// expect: data-race flags: -DLOAD=relaxed -DLATE_FENCE
// expect: verified flags: -DSTORE=relaxed -DRELEASE_FENCE=acq_rel
// expect: verified flags: -DLOAD=relaxed -DACQUIRE_FENCE=seq_cst
// expect: data-race flags: -DSTORE=relaxed -DRELEASE_FENCE=acquire
// expect: data-race flags: -DSTORE=relaxed -DRELEASE_FENCE=relaxed
// expect: data-race flags: -DLOAD=relaxed -DACQUIRE_FENCE=release
// A value is published through a flag. Both sides have to order it, by their operation or by a fence.
#include <atomic>
#include <thread>

#ifndef STORE
#define STORE release
#endif
#ifndef LOAD
#define LOAD acquire
#endif
#define ORDER_OF(order) std::memory_order_##order
#define ORDER(order) ORDER_OF(order)

static int value;
static std::atomic<int> flag;

int main() {
    std::thread publisher([] {
        value = 42;
#ifdef RELEASE_FENCE
        std::atomic_thread_fence(ORDER(RELEASE_FENCE));
#endif
        flag.store(1, ORDER(STORE));
    });
    int seen = 0;
    if (flag.load(ORDER(LOAD)) == 1) {
#ifdef ACQUIRE_FENCE
        std::atomic_thread_fence(ORDER(ACQUIRE_FENCE));
#endif
        seen = value; // fault: data-race
#ifdef LATE_FENCE
        std::atomic_thread_fence(std::memory_order_acquire);
#endif
    }
    publisher.join();
    return seen == 1 || value != 42;
}
