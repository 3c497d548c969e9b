// expect: use-after-free
// An element of a vector is kept while the vector grows. The block is told by the user's line, not by the library's.
#include <string>
#include <thread>
#include <vector>

static std::vector<std::string> names;

static void add(const char *name) {
    names.emplace_back(name);
}

int main() {
    add("a name that is too long to be kept in the string itself");
    const std::string &first = names.front();
    std::thread thread([] { add("another"); });
    thread.join();
    return first.size() != 55; // fault: use-after-free
}
