// expect: verified
// expect: unknown options: --step line
// expect: verified options: --uninitialised
// What functions keep in their frames is cleared where nobody will read it. Here everything is read late: behind
// operations that others notice, in every way that compiled code reaches its frame.
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int turns;

// A place where a thread stands, and other threads may go on.
static int stand(void) { return atomic_fetch_add(&turns, 1); }

struct pair {
    long first, second;
};

static struct pair swapped(struct pair pair) {
    stand();
    struct pair result = {pair.second, pair.first};
    stand();
    return result;
}

// The last arguments are in the caller's frame.
static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, struct pair j) {
    stand();
    return a + b + c + d + e + f + g + h + 10 * i + 100 * j.first + 1000 * j.second;
}

static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = 0;
    for (int number = 0; number < count; number++) {
        stand();
        total += va_arg(list, int);
    }
    va_end(list);
    return total;
}

static int through_pointer(int value) {
    int kept = value, other = value + 1;
    int *pointer = &kept;
    stand();
    *pointer += 1;
    stand();
    pointer = &other;
    stand();
    return kept * 100 + *pointer;
}

static int dynamic(int count) {
    int before = count * 2;
    int array[count];
    char *block = alloca(count);
    memset(block, 7, count);
    for (int number = 0; number < count; number++) {
        array[number] = number;
    }
    stand();
    return before + array[count - 1] + block[count - 1];
}

static int recursive(int depth) {
    int here = depth * 3;
    if (depth == 0) {
        stand();
        return 0;
    }
    int below = recursive(depth - 1);
    stand();
    return below + here;
}

static int loops(void) {
    int last = 0, total = 0;
    for (int number = 0; number < 3; number++) {
        if (number > 0) {
            total += last;
        }
        stand();
        last = number + 1;
    }
again:
    if (total < 10) {
        int step = total + 1;
        stand();
        total += step;
        goto again;
    }
    switch (total & 3) {
    case 0: total += last; break;
    case 1: total += 2 * last; break;
    case 2: total += 3 * last; break;
    case 3: total += 4 * last; break;
    }
    return total;
}

static jmp_buf place;

static void jump_back(void) {
    stand();
    longjmp(place, 1);
}

static int jumps(int value) {
    int constant = value + 5;
    if (setjmp(place) == 0) {
        stand();
        jump_back();
    }
    stand();
    return constant;
}

static double floats(double value) {
    double twice = value * 2;
    float half = (float)value / 2;
    stand();
    return twice + half;
}

static int large(int index) {
    char room[5000];
    room[index] = 3;
    long far = index;
    stand();
    return room[index] + (int)far;
}

static int nested(int value) {
    int outer = value;
    int inner(int more) {
        stand();
        return outer + more;
    }
    stand();
    outer++;
    return inner(4);
}

// The label is reached by a jump out of another function.
static int left_from_inside(int value) {
    __label__ out;
    int kept = value + 3, other = 1;
    void leave(int really) {
        stand();
        if (really) {
            goto out;
        }
    }
    stand();
    leave(value);
    other = 2;
    return other;
out:
    stand();
    return kept + other;
}

static void *count(void *unused) {
    stand();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    struct pair pair = swapped((struct pair){1, 2});
    assert(pair.first == 2 && pair.second == 1);
    assert(many(1, 2, 3, 4, 5, 6, 7, 8, 9, pair) == 36 + 90 + 200 + 1000);
    assert(sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 55);
    assert(through_pointer(3) == 404);
    assert(dynamic(4) == 8 + 3 + 7);
    assert(recursive(4) == 30);
    assert(loops() == 15 + 12);
    assert(jumps(2) == 7);
    assert(floats(3) == 7.5);
    assert(large(4321) == 4324);
    assert(nested(1) == 6);
    assert(left_from_inside(4) == 8 && left_from_inside(0) == 2);
    pthread_join(thread, 0);
    return 0;
}
