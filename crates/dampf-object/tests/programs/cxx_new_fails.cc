// expect: verified
// expect: uncaught-exception flags: -DBUG
// More memory than there is.
#include <cassert>
#include <cstddef>
#include <new>

int main() {
    volatile std::size_t size = ~static_cast<std::size_t>(0) / 4;
    assert(new (std::nothrow) char[size] == nullptr);
#ifdef BUG
    char *bytes = new char[size]; // fault: uncaught-exception
    return bytes[0];
#else
    try {
        char *bytes = new char[size];
        return bytes[0] + 1;
    } catch (const std::bad_alloc &) {
        return 0;
    }
#endif
}
