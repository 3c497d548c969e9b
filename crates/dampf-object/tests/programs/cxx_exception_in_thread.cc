// expect: uncaught-exception
// An exception does not leave its thread.
#include <thread>

int main() {
    try {
        std::thread thread([] { throw 1; }); // fault: uncaught-exception
        thread.join();
    } catch (int) {
    }
    return 0;
}
