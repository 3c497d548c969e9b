// expect: verified
// Identities of threads.
#include <cassert>
#include <thread>

int main() {
    std::thread::id own = std::this_thread::get_id(), other;
    assert(own != std::thread::id());
    std::thread thread([&other] { other = std::this_thread::get_id(); });
    std::thread::id known = thread.get_id();
    thread.join();
    assert(other == known && other != own);
    assert(thread.get_id() == std::thread::id());
    return 0;
}
