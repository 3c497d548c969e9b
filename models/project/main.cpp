// Two clerks write letters, and the main thread reads them all. The argument says how many each clerk writes.
//
// Clerks and reader wait on the same condition variable, and `notify_one` wakes any one of them. With one letter each that is
// enough. With two, a clerk can wake the other clerk, who finds the box full and sleeps again, while the reader sleeps on.
#include "mailbox.h"

#include <cassert>
#include <cstdlib>
#include <iostream>
#include <map>
#include <thread>

int main(int argc, char** argv) {
    const int each = argc > 1 ? std::atoi(argv[1]) : 1;
    Mailbox box;
    const auto write = [&box, each](const char* name) {
        for (int letter = 0; letter < each; ++letter) {
            box.put(name);
        }
    };
    std::thread ann(write, "ann");
    std::thread bob(write, "bob");
    std::map<std::string, int> received;
    for (int letter = 0; letter < 2 * each; ++letter) {
        ++received[box.take()];
    }
    ann.join();
    bob.join();
    assert(received["ann"] == each && received["bob"] == each);
    std::cout << 2 * each << " letters\n";
}
