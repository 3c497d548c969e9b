// expect: verified
// Every form of new and delete.
#include <cassert>
#include <cstdint>
#include <new>

struct Counted {
    static int alive;
    int value;
    explicit Counted(int value = 0) : value(value) { alive++; }
    ~Counted() { alive--; }
};
int Counted::alive;

struct alignas(64) Aligned {
    char bytes[64];
};

int main() {
    Counted *one = new Counted(3), *many = new Counted[3];
    assert(one->value == 3 && Counted::alive == 4);
    delete one;
    delete[] many;
    assert(Counted::alive == 0);
    Aligned *aligned = new Aligned, *several = new Aligned[2];
    assert(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
    assert(reinterpret_cast<std::uintptr_t>(several) % 64 == 0);
    delete aligned;
    delete[] several;
    alignas(Counted) unsigned char place[sizeof(Counted)];
    Counted *placed = new (place) Counted(1);
    placed->~Counted();
    int *quiet = new (std::nothrow) int(4);
    assert(quiet && *quiet == 4);
    delete quiet;
    delete static_cast<int *>(nullptr);
    return Counted::alive;
}
