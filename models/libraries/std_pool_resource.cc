// expect: verified
// expect: data-race flags: -DBUG
//
// std::pmr::synchronized_pool_resource: two threads allocate from it, and are never given the same block; one gives back
// what the other was given. BUG takes the one that is not synchronised.
#include <cassert>
#include <memory_resource>
#include <thread>

#ifdef BUG
using Pool = std::pmr::unsynchronized_pool_resource;
#else
using Pool = std::pmr::synchronized_pool_resource;
#endif

int main() {
    Pool pool;
    void *theirs = nullptr;
    std::thread other([&] {
        theirs = pool.allocate(16);
        *static_cast<int *>(theirs) = 1;
    });
    void *own = pool.allocate(16);
    *static_cast<int *>(own) = 2;
    other.join();
    assert(own != theirs && *static_cast<int *>(theirs) == 1 && *static_cast<int *>(own) == 2);
    pool.deallocate(theirs, 16);
    pool.deallocate(own, 16);
}
