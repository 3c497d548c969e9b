/* Thread-local and static variables in C, and a call through a null pointer. */
#include <stdatomic.h>
#include <stddef.h>

static _Thread_local int per_thread = 5;
_Thread_local char buffer[8];
_Atomic int atomic_number = 6;
_Atomic(int *) atomic_pointer;
struct tail {
    int length;
    short data[];
};
static struct tail tail = {2, {3, 4}};
typedef struct {
    int x, y;
} point;
point points[2] = {{1, 2}, {3, 4}};
int (*target)(int);

static int next(void) {
    static int calls;
    static _Thread_local int own_calls;
    return ++calls + ++own_calls;
}

__attribute__((noinline)) int jump(int number) {
    int result = target(number + 1);
    return result + 1;
}

int main(void) {
    per_thread += next() + buffer[0] + atomic_number + (atomic_pointer != NULL) + tail.data[1];
    return jump(points[1].y);
}
