// Variables of every shape, and functions that stop with them in scope.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

enum class Color : unsigned char { red, green = 5 };
enum Level { low = -1, middle, high };
enum Flags { readable = 1, writable = 2, executable = 4 };

namespace store {
struct Item {
    int value;
    Item *next;
};
template <class T, int N> struct Queue {
    T slots[N];
    int head;
    std::mutex lock;
    static int made;
    __attribute__((noinline)) int push(T item) {
        int position = head;
        slots[head] = item;
        head = (head + 1) % N;
        stop_here();
        return position;
    }
};
template <class T, int N> int Queue<T, N>::made = 3;
static int hidden = 4;
namespace {
int unnamed = 5;
}
} // namespace store

struct Empty {};
struct Base {
    virtual ~Base() {}
    int base;
};
struct Derived : Empty, Base {
    int own;
};
union Word {
    uint32_t bits;
    float number;
};
struct Mixed {
    Word word;
    unsigned low : 3, high : 5;
    signed small : 4;
    union {
        int number;
        char letter;
    };
    struct {
        short left, right;
    };
};

store::Queue<store::Item, 4> queue;
int fork_[5] = {10, 11, 12, 13, 14};
int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
Color color = Color::green;
Level level = low;
int flags_number = 3;
Flags flags = Flags(3);
bool ready = true;
char letter = 'a';
char text[16] = "say \"hi\"\n";
unsigned char bytes[3] = {1, 2, 255};
double ratio = 1.5;
float half = 0.5f;
long double wide = -2.25L;
int *pointer = &fork_[2];
int *nothing = nullptr;
int &reference = fork_[1];
__int128 huge = -1;
std::atomic<int> counter{7};
std::atomic<bool> flag{true};
std::atomic<int *> shared_pointer{&fork_[3]};
std::atomic_flag taken = ATOMIC_FLAG_INIT;
std::array<int, 4> array{1, 2, 3, 4};
std::unique_ptr<int> owner;
std::mutex mutex;
pthread_mutex_t plain_mutex = PTHREAD_MUTEX_INITIALIZER;
Derived derived;
Mixed mixed = {{0x3f800000}, 5, 17, -3, {65}, {-1, 2}};
int many[100];
uint64_t large[256];
void (*callback)() = stop_here;
thread_local int mine = 9;
static thread_local long block[4];

__attribute__((noinline)) int next() {
    static int calls = 40;
    static thread_local int own_calls = 2;
    block[1]++;
    return ++calls + ++own_calls + mine;
}

__attribute__((noinline)) int recurse(int depth) {
    int doubled = depth * 2;
    if (depth == 0) {
        stop_here();
        return 1;
    }
    int below = recurse(depth - 1);
    return below + doubled;
}

__attribute__((noinline)) double weigh(double weight, const Mixed &what, Color tint, int *place) {
    int count = fork_[2];
    double total = weight * count;
    store::Item item = {count + 1, nullptr};
    {
        int count = 99;
        char mark = 'x';
        item.value += count + mark;
        stop_here();
        total += count;
    }
    return total + item.value + what.number + int(tint) + *place;
}

static inline __attribute__((always_inline)) int inlined(int argument) {
    int local = argument + 1;
    fork_[0] = local;
    stop_here();
    return local;
}

int main(int argc, char **argv) {
    std::atomic<int> total{0};
    store::Item item = {21, nullptr};
    queue.push(item);
    total += recurse(3);
    total += int(weigh(2.5, mixed, Color::red, pointer));
    total += inlined(argc + 30);
    auto work = [&](int amount) {
        int local = amount * 2;
        total += local + next() + store::hidden + store::unnamed + store::Queue<store::Item, 4>::made;
        stop_here();
    };
    work(6);
    try {
        throw 1;
    } catch (int) {
        stop_here();
    }
    return total.load() == 0 || argv == nullptr;
}
