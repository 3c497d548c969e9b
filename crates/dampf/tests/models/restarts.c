// More than can be explored, and a search restarts several times on the way: which memory is shared is seen only where a coin
// shows heads again and again, which random runs hardly see and every search does soon.
#include <dampf.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int heads, tosses;
static atomic_long meeting[4];

static int toss(void) {
    int coin;
    RANGE(coin, 0, 3)
    return coin == 0 ? atomic_fetch_add(&heads, 1) + 1 : (atomic_store(&heads, 0), 0);
}

static void *play(void *unused) {
    int own[4] = {0, 0, 0, 0};
    for (;;) {
        int row = toss();
        atomic_fetch_add(&tosses, 1);
        if (row >= 6 && row <= 9) {
            int *other = (int *)atomic_load(&meeting[row - 6]);
            if (other)
                atomic_fetch_add((_Atomic int *)other, 1);
            atomic_store(&meeting[row - 6], (long)&own[row - 6]);
        }
    }
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, play, 0);
    play(0);
}
