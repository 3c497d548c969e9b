// expect: verified
// Output is nobody's shared data but the library's.
#include <iostream>
#include <sstream>
#include <thread>

int main() {
    std::thread thread([] { std::cout << "thread\n"; });
    std::cout << "main\n";
    thread.join();
    std::ostringstream text;
    text << 1 << ' ' << 2.5;
    return text.str() == "1 2.5" ? 0 : 1;
}
