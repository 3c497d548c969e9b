// expect: property options: --ltl <>is_written --fairness weak
// expect: verified flags: -DTURNS options: --ltl <>is_written --fairness weak
// expect: verified flags: -DTURNS options: --livelock
//
// A read-write lock that lets readers in as long as others read. Two readers that come again and again may overlap, and
// the writer never gets its turn, though all are scheduled fairly. With TURNS readers wait while a writer does.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int readers, is_writer_waiting, is_written;

static void *reader(void *unused) {
    while (!is_written) {
        readers++;
#ifdef TURNS
        if (is_writer_waiting) {
            readers--;
            while (is_writer_waiting) {
            }
            continue;
        }
#endif
        readers--;
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, reader, 0);
    is_writer_waiting = 1;
    while (readers) {
    }
    is_written = 1;
    is_writer_waiting = 0;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
