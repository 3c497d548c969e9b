// expect: verified flags: -DCOUNT=2
// expect: verified flags: -DCOUNT=7 options: --cpus 7
// expect: verified flags: -DCOUNT=64 options: --cpus 64
// expect: assertion flags: -DCOUNT=3
// flags: -D_GNU_SOURCE
// The program is told how many processors there are, whoever it asks.
#include <cassert>
#include <sched.h>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>

int main() {
    cpu_set_t set;
    assert(sched_getaffinity(0, sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) == COUNT); // fault: assertion
    assert(sysconf(_SC_NPROCESSORS_ONLN) == COUNT);
    assert(sysconf(_SC_NPROCESSORS_CONF) == COUNT);
    assert(get_nprocs() == COUNT);
    assert(std::thread::hardware_concurrency() == COUNT);
}
