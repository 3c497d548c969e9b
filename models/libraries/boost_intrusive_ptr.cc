// flags: -idirafter /usr/include
// options: --leaks
// expect: verified
// expect: data-race flags: -DBUG
//
// boost::intrusive_ptr with boost's counter: the last of two threads destroys the object. BUG takes the counter for single
// threads.
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <thread>

#ifdef BUG
using Policy = boost::thread_unsafe_counter;
#else
using Policy = boost::thread_safe_counter;
#endif

struct Object : boost::intrusive_ref_counter<Object, Policy> {
    int value = 1;
};

int main() {
    boost::intrusive_ptr<Object> object(new Object);
    std::thread other([object]() mutable { object.reset(); });
    boost::intrusive_ptr<Object> copy = object;
    object.reset();
    copy.reset();
    other.join();
}
