// flags: -idirafter /usr/include
// options: --leaks
// expect: verified
// expect: data-race flags: -DBUG
//
// boost::shared_ptr and boost::weak_ptr: two threads drop what they share, while one looks whether it is still there. It
// is destroyed once, after all that was done with it. BUG has both use one and the same pointer.
#include <boost/shared_ptr.hpp>
#include <boost/weak_ptr.hpp>
#include <cassert>
#include <thread>

static int destroyed;

struct Object {
    int value = 1;
    ~Object() { ++destroyed; }
};

int main() {
    boost::shared_ptr<Object> object(new Object);
    boost::weak_ptr<Object> observer(object);
#ifdef BUG
    std::thread other([&] {
        if (object)
            object.reset();
    });
    object.reset();
#else
    std::thread other([object]() mutable { object.reset(); });
    object.reset();
    if (const boost::shared_ptr<Object> locked = observer.lock())
        assert(locked->value == 1);
#endif
    other.join();
#ifndef BUG
    other = std::thread();
#endif
    assert(destroyed == 1);
    assert(observer.expired());
}
