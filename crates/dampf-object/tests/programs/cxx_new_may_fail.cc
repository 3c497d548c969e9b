// expect: verified options: --malloc-may-fail
// expect: uncaught-exception flags: -DBUG options: --malloc-may-fail
// expect: invalid-access flags: -DNOTHROW options: --malloc-may-fail
// expect: verified flags: -DBUG
// Memory that is not there is an exception, unless a null pointer is asked for.
#include <memory>
#include <new>
#include <vector>

static int use() {
    std::vector<int> numbers(3); // fault: uncaught-exception
    auto shared = std::make_shared<int>(1); // fault: uncaught-exception
    return numbers[0] + *shared;
}

int main() {
#ifdef NOTHROW
    int *number = new (std::nothrow) int;
    *number = 1; // fault: invalid-access
    delete number;
    return 0;
#elif defined(BUG)
    return use() - 1; // fault: uncaught-exception
#else
    try {
        return use() - 1;
    } catch (const std::bad_alloc &) {
        return 0;
    }
#endif
}
