// Calls functions of POSIX and C11 and prints what they return. Every code is one that the standards or the C library
// define: a run on the host and one on the checker's machine print the same.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int calls;

static void show(const char *call, long code) {
    printf("%d %s %ld\n", ++calls, call, code);
}

#define CODE(...) show(#__VA_ARGS__, (long)(__VA_ARGS__))
// For functions that return -1 and set errno.
#define ERROR(...) (errno = 0, show(#__VA_ARGS__, (long)(__VA_ARGS__)), show("errno", errno))

static const struct timespec past = {1, 0}, too_many = {1, 1000000000}, negative = {1, -1}, before = {-1, 0};

static void mutexes(void) {
    static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
    static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    CODE(pthread_mutex_lock(&plain));
    CODE(pthread_mutex_trylock(&plain));
    CODE(pthread_mutex_timedlock(&plain, &past));
    CODE(pthread_mutex_timedlock(&plain, &before));
    CODE(pthread_mutex_timedlock(&plain, &too_many));
    CODE(pthread_mutex_timedlock(&plain, &negative));
    CODE(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &before));
    CODE(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &too_many));
    CODE(pthread_mutex_clocklock(&plain, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_mutex_unlock(&plain));
    CODE(pthread_mutex_timedlock(&plain, &too_many));
    CODE(pthread_mutex_unlock(&plain));
    CODE(pthread_mutex_clocklock(&plain, CLOCK_REALTIME, &negative));
    CODE(pthread_mutex_unlock(&plain));
    CODE(pthread_mutex_clocklock(&plain, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_mutex_lock(&checking));
    CODE(pthread_mutex_lock(&checking));
    CODE(pthread_mutex_trylock(&checking));
    CODE(pthread_mutex_timedlock(&checking, &past));
    CODE(pthread_mutex_timedlock(&checking, &too_many));
    CODE(pthread_mutex_unlock(&checking));
    CODE(pthread_mutex_unlock(&checking));
    CODE(pthread_mutex_lock(&recursive));
    CODE(pthread_mutex_lock(&recursive));
    CODE(pthread_mutex_trylock(&recursive));
    CODE(pthread_mutex_timedlock(&recursive, &too_many));
    CODE(pthread_mutex_unlock(&recursive));
    CODE(pthread_mutex_unlock(&recursive));
    CODE(pthread_mutex_unlock(&recursive));
    CODE(pthread_mutex_unlock(&recursive));
    CODE(pthread_mutex_unlock(&recursive));
    CODE(pthread_mutex_lock(&adaptive));
    CODE(pthread_mutex_trylock(&adaptive));
    CODE(pthread_mutex_unlock(&adaptive));
    CODE(pthread_mutex_destroy(&adaptive));
    CODE(pthread_mutex_init(&adaptive, NULL));
    CODE(pthread_mutex_destroy(&adaptive));
    CODE(pthread_mutex_consistent(&plain));
    int ceiling;
    CODE(pthread_mutex_getprioceiling(&plain, &ceiling));
}

static void mutex_attributes(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    int value;
    CODE(pthread_mutexattr_init(&attributes));
    CODE(pthread_mutexattr_settype(&attributes, 77));
    CODE(pthread_mutexattr_settype(&attributes, -1));
    CODE(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
    CODE(pthread_mutexattr_gettype(&attributes, &value));
    show("type", value);
    CODE(pthread_mutexattr_setpshared(&attributes, 5));
    CODE(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
    CODE(pthread_mutexattr_setrobust(&attributes, 5));
    CODE(pthread_mutexattr_setprotocol(&attributes, 5));
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    CODE(pthread_mutexattr_setprioceiling(&attributes, 1000));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_destroy(&mutex));
    CODE(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK));
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_destroy(&mutex));
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
    CODE(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutexattr_destroy(&attributes));
}

static void conditions(void) {
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_condattr_t attributes;
    clockid_t clock;
    CODE(pthread_condattr_init(&attributes));
    CODE(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID));
    CODE(pthread_condattr_setclock(&attributes, 999));
    CODE(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    CODE(pthread_condattr_getclock(&attributes, &clock));
    show("clock", clock);
    CODE(pthread_condattr_setpshared(&attributes, 9));
    CODE(pthread_cond_signal(&condition));
    CODE(pthread_cond_broadcast(&condition));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_cond_timedwait(&condition, &mutex, &past));
    CODE(pthread_cond_timedwait(&condition, &mutex, &before));
    CODE(pthread_cond_timedwait(&condition, &mutex, &too_many));
    CODE(pthread_cond_timedwait(&condition, &mutex, &negative));
    CODE(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &before));
    CODE(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &too_many));
    CODE(pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_cond_wait(&condition, &checking));
    CODE(pthread_cond_timedwait(&condition, &checking, &past));
    CODE(pthread_cond_timedwait(&condition, &checking, &too_many));
    CODE(pthread_cond_destroy(&condition));
    CODE(pthread_cond_init(&condition, &attributes));
    CODE(pthread_cond_signal(&condition));
    CODE(pthread_cond_destroy(&condition));
    CODE(pthread_condattr_destroy(&attributes));
}

static void read_write_locks(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlockattr_t attributes;
    CODE(pthread_rwlock_rdlock(&lock));
    CODE(pthread_rwlock_rdlock(&lock));
    CODE(pthread_rwlock_tryrdlock(&lock));
    CODE(pthread_rwlock_trywrlock(&lock));
    CODE(pthread_rwlock_timedrdlock(&lock, &past));
    CODE(pthread_rwlock_timedrdlock(&lock, &too_many));
    CODE(pthread_rwlock_timedrdlock(&lock, &negative));
    CODE(pthread_rwlock_timedwrlock(&lock, &past));
    CODE(pthread_rwlock_timedwrlock(&lock, &before));
    CODE(pthread_rwlock_timedwrlock(&lock, &too_many));
    CODE(pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &before));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_wrlock(&lock));
    CODE(pthread_rwlock_wrlock(&lock));
    CODE(pthread_rwlock_rdlock(&lock));
    CODE(pthread_rwlock_trywrlock(&lock));
    CODE(pthread_rwlock_tryrdlock(&lock));
    CODE(pthread_rwlock_timedrdlock(&lock, &past));
    CODE(pthread_rwlock_timedwrlock(&lock, &past));
    CODE(pthread_rwlock_timedwrlock(&lock, &too_many));
    CODE(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &negative));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_timedwrlock(&lock, &too_many));
    CODE(pthread_rwlock_timedwrlock(&lock, &past));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_destroy(&lock));
    CODE(pthread_rwlockattr_init(&attributes));
    CODE(pthread_rwlockattr_setkind_np(&attributes, 17));
    CODE(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    CODE(pthread_rwlockattr_setpshared(&attributes, 17));
    CODE(pthread_rwlock_init(&lock, &attributes));
    CODE(pthread_rwlock_rdlock(&lock));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_destroy(&lock));
    CODE(pthread_rwlockattr_destroy(&attributes));
}

static void spin_locks(void) {
    pthread_spinlock_t lock;
    CODE(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
    CODE(pthread_spin_lock(&lock));
    CODE(pthread_spin_trylock(&lock));
    CODE(pthread_spin_unlock(&lock));
    CODE(pthread_spin_trylock(&lock));
    CODE(pthread_spin_unlock(&lock));
    CODE(pthread_spin_destroy(&lock));
}

static void semaphores(void) {
    sem_t semaphore;
    int value = -7;
    ERROR(sem_init(&semaphore, 0, 1u << 31));
    ERROR(sem_init(&semaphore, 0, UINT_MAX));
    ERROR(sem_init(&semaphore, 0, INT_MAX));
    ERROR(sem_getvalue(&semaphore, &value));
    show("value", value);
    ERROR(sem_post(&semaphore));
    ERROR(sem_wait(&semaphore));
    ERROR(sem_post(&semaphore));
    ERROR(sem_post(&semaphore));
    ERROR(sem_destroy(&semaphore));
    ERROR(sem_init(&semaphore, 0, 0));
    ERROR(sem_trywait(&semaphore));
    ERROR(sem_timedwait(&semaphore, &past));
    ERROR(sem_timedwait(&semaphore, &before));
    ERROR(sem_timedwait(&semaphore, &too_many));
    ERROR(sem_timedwait(&semaphore, &negative));
    ERROR(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &before));
    ERROR(sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &past));
    ERROR(sem_post(&semaphore));
    ERROR(sem_timedwait(&semaphore, &too_many));
    ERROR(sem_timedwait(&semaphore, &past));
    ERROR(sem_post(&semaphore));
    ERROR(sem_trywait(&semaphore));
    ERROR(sem_getvalue(&semaphore, &value));
    show("value", value);
    ERROR(sem_destroy(&semaphore));
}

static void barriers(void) {
    pthread_barrier_t barrier;
    pthread_barrierattr_t attributes;
    CODE(pthread_barrierattr_init(&attributes));
    CODE(pthread_barrierattr_setpshared(&attributes, 5));
    CODE(pthread_barrier_init(&barrier, NULL, 0));
    CODE(pthread_barrier_init(&barrier, NULL, UINT_MAX));
    CODE(pthread_barrier_init(&barrier, &attributes, 1));
    CODE(pthread_barrier_wait(&barrier));
    CODE(pthread_barrier_wait(&barrier));
    CODE(pthread_barrier_destroy(&barrier));
    CODE(pthread_barrier_init(&barrier, NULL, UINT_MAX / 2 + 1));
}

static sem_t go_on;

static void *waits(void *unused) {
    sem_wait(&go_on);
    return unused;
}

static void *answers(void *number) {
    return (void *)((intptr_t)number + 1);
}

static void *exits(void *number) {
    pthread_exit(number);
}

static void *joins_itself(void *unused) {
    CODE(pthread_join(pthread_self(), NULL));
    CODE(pthread_tryjoin_np(pthread_self(), NULL));
    CODE(pthread_detach(pthread_self()));
    CODE(pthread_detach(pthread_self()));
    CODE(pthread_join(pthread_self(), NULL));
    sem_post(&go_on);
    return unused;
}

static int of_c11(void *number) {
    return (int)(intptr_t)number;
}

static void threads(void) {
    pthread_t thread;
    void *result = NULL;
    sem_init(&go_on, 0, 0);
    CODE(pthread_create(&thread, NULL, waits, NULL));
    CODE(pthread_tryjoin_np(thread, &result));
    CODE(pthread_timedjoin_np(thread, &result, &past));
    CODE(pthread_clockjoin_np(thread, &result, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_kill(thread, 0));
    CODE(pthread_kill(thread, 65));
    CODE(pthread_kill(thread, -1));
    CODE(pthread_setname_np(thread, "a name that is too long"));
    sem_post(&go_on);
    CODE(pthread_join(thread, &result));
    CODE(pthread_create(&thread, NULL, answers, (void *)41));
    CODE(pthread_join(thread, &result));
    show("result", (long)result);
    CODE(pthread_create(&thread, NULL, exits, (void *)7));
    CODE(pthread_join(thread, &result));
    show("result", (long)result);
    CODE(pthread_join(pthread_self(), NULL));
    CODE(pthread_create(&thread, NULL, joins_itself, NULL));
    sem_wait(&go_on);
    CODE(pthread_create(&thread, NULL, waits, NULL));
    CODE(pthread_detach(thread));
    CODE(pthread_detach(thread));
    sem_post(&go_on);
    CODE(pthread_equal(pthread_self(), pthread_self()));
    CODE(pthread_kill(pthread_self(), 0));
    CODE(pthread_kill(pthread_self(), 100));
    CODE(pthread_setname_np(pthread_self(), "short"));
    thrd_t c11;
    int status = 0;
    CODE(thrd_create(&c11, of_c11, (void *)5));
    CODE(thrd_join(c11, &status));
    show("status", status);
    CODE(thrd_join(thrd_current(), NULL));
}

static void thread_attributes(void) {
    pthread_attr_t attributes;
    struct sched_param parameters = {0};
    size_t bytes;
    void *stack;
    int value;
    CODE(pthread_attr_init(&attributes));
    CODE(pthread_attr_setdetachstate(&attributes, 9));
    CODE(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
    CODE(pthread_attr_getdetachstate(&attributes, &value));
    show("detached", value);
    CODE(pthread_attr_setstacksize(&attributes, 1));
    CODE(pthread_attr_setstacksize(&attributes, 1 << 20));
    CODE(pthread_attr_getstacksize(&attributes, &bytes));
    show("stack", (long)bytes);
    CODE(pthread_attr_setguardsize(&attributes, 8192));
    CODE(pthread_attr_getguardsize(&attributes, &bytes));
    show("guard", (long)bytes);
    CODE(pthread_attr_setinheritsched(&attributes, 9));
    CODE(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS));
    CODE(pthread_attr_setscope(&attributes, 9));
    CODE(pthread_attr_setschedpolicy(&attributes, 77));
    CODE(pthread_attr_setschedpolicy(&attributes, SCHED_FIFO));
    CODE(pthread_attr_setschedparam(&attributes, &parameters));
    CODE(pthread_attr_destroy(&attributes));
    CODE(pthread_getattr_np(pthread_self(), &attributes));
    CODE(pthread_attr_getdetachstate(&attributes, &value));
    show("detached", value);
    CODE(pthread_attr_getstack(&attributes, &stack, &bytes));
    CODE((char *)stack <= (char *)&value && (char *)&value < (char *)stack + bytes);
    CODE(pthread_attr_destroy(&attributes));
}

static int initialised;

static void initialise(void) {
    initialised++;
}

static void keys(void) {
    static pthread_key_t all[PTHREAD_KEYS_MAX + 1];
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int created = 0, error = 0;
    pthread_key_t key;
    CODE(pthread_key_create(&key, NULL));
    CODE(pthread_setspecific(key, &key));
    CODE(pthread_getspecific(key) == &key);
    CODE(pthread_key_delete(key));
    CODE(pthread_key_delete(key));
    CODE(pthread_setspecific(key, &key));
    CODE(pthread_setspecific(PTHREAD_KEYS_MAX + 5, &key));
    CODE(pthread_getspecific(PTHREAD_KEYS_MAX + 5) == NULL);
    CODE(pthread_key_delete(PTHREAD_KEYS_MAX + 5));
    while (created <= PTHREAD_KEYS_MAX && (error = pthread_key_create(&all[created], NULL)) == 0) created++;
    show("the error of too many keys", error);
    show("their number is the limit", created <= PTHREAD_KEYS_MAX);
    CODE(pthread_once(&once, initialise));
    CODE(pthread_once(&once, initialise));
    show("initialised", initialised);
}

static void c11_locks(void) {
    mtx_t mutex;
    cnd_t condition;
    tss_t key;
    CODE(mtx_init(&mutex, 77));
    CODE(mtx_init(&mutex, mtx_timed | mtx_recursive));
    CODE(mtx_lock(&mutex));
    CODE(mtx_trylock(&mutex));
    CODE(mtx_unlock(&mutex));
    CODE(mtx_timedlock(&mutex, &past));
    CODE(mtx_unlock(&mutex));
    CODE(mtx_unlock(&mutex));
    mtx_destroy(&mutex);
    CODE(mtx_init(&mutex, mtx_timed));
    CODE(mtx_lock(&mutex));
    CODE(mtx_trylock(&mutex));
    CODE(mtx_timedlock(&mutex, &past));
    CODE(mtx_timedlock(&mutex, &too_many));
    CODE(cnd_init(&condition));
    CODE(cnd_signal(&condition));
    CODE(cnd_broadcast(&condition));
    CODE(cnd_timedwait(&condition, &mutex, &past));
    CODE(cnd_timedwait(&condition, &mutex, &too_many));
    CODE(mtx_unlock(&mutex));
    cnd_destroy(&condition);
    mtx_destroy(&mutex);
    CODE(tss_create(&key, NULL));
    tss_delete(key);
}

static volatile sig_atomic_t handled;

static void handle(int signal) {
    handled += signal;
}

static void signals(void) {
    sigset_t set, old;
    struct sigaction action = {0}, before_that;
    int number = 0;
    action.sa_handler = handle;
    ERROR(kill(getpid(), 0));
    ERROR(kill(getpid(), 65));
    ERROR(raise(0));
    ERROR(raise(65));
    ERROR(sigaction(0, NULL, &before_that));
    ERROR(sigaction(65, &action, NULL));
    ERROR(sigaction(SIGKILL, &action, NULL));
    ERROR(sigaction(SIGSTOP, &action, NULL));
    ERROR(sigaction(SIGUSR1, &action, NULL));
    ERROR(sigaction(SIGUSR1, NULL, &before_that));
    CODE(before_that.sa_handler == handle);
    ERROR(signal(SIGKILL, handle) == SIG_ERR);
    ERROR(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    ERROR(signal(SIGUSR2, handle) == SIG_IGN);
    ERROR(raise(SIGUSR1));
    show("handled", handled);
    ERROR(kill(getpid(), SIGUSR2));
    show("handled", handled);
    CODE(pthread_kill(pthread_self(), SIGUSR1));
    show("handled", handled);
    ERROR(sigemptyset(&set));
    ERROR(sigaddset(&set, 0));
    ERROR(sigaddset(&set, SIGUSR1));
    ERROR(sigismember(&set, SIGUSR1));
    ERROR(sigprocmask(77, &set, NULL));
    CODE(pthread_sigmask(77, &set, NULL));
    CODE(pthread_sigmask(SIG_BLOCK, &set, &old));
    CODE(sigismember(&old, SIGUSR1));
    ERROR(raise(SIGUSR1));
    show("handled", handled);
    ERROR(sigpending(&old));
    CODE(sigismember(&old, SIGUSR1));
    CODE(sigwait(&set, &number));
    show("waited for", number);
    ERROR(sigpending(&old));
    CODE(sigismember(&old, SIGUSR1));
    const struct timespec now = {0, 0};
    ERROR(sigtimedwait(&set, NULL, &now));
    ERROR(sigtimedwait(&set, NULL, &too_many));
    ERROR(raise(SIGUSR1));
    ERROR(sigtimedwait(&set, NULL, &now));
    ERROR(raise(SIGUSR1));
    CODE(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
    show("handled", handled);
    ERROR(sigqueue(getpid(), 65, (union sigval){.sival_int = 1}));
    ERROR(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 1}));
    show("handled", handled);
    action.sa_flags = SA_RESETHAND;
    ERROR(sigaction(SIGUSR1, &action, NULL));
    ERROR(raise(SIGUSR1));
    ERROR(sigaction(SIGUSR1, NULL, &before_that));
    CODE(before_that.sa_handler == SIG_DFL);
    ERROR(alarm(0));
}

static void cancellation(void) {
    int old = 77;
    CODE(pthread_setcancelstate(77, &old));
    CODE(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    show("old", old);
    CODE(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
    show("old", old);
    CODE(pthread_setcanceltype(77, &old));
    CODE(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
    show("old", old);
    CODE(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
    show("old", old);
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, waits, NULL);
    CODE(pthread_cancel(thread));
    CODE(pthread_join(thread, &result));
}

static void sleeping(void) {
    const struct timespec moment = {0, 1};
    ERROR(nanosleep(&too_many, NULL));
    ERROR(nanosleep(&negative, NULL));
    ERROR(nanosleep(&before, NULL));
    ERROR(nanosleep(&moment, NULL));
    CODE(clock_nanosleep(CLOCK_REALTIME, 0, &too_many, NULL));
    CODE(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL));
    CODE(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &moment, NULL));
    CODE(clock_nanosleep(999, 0, &moment, NULL));
    ERROR(usleep(1));
    CODE(sleep(0));
    CODE(sched_yield());
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    mutexes();
    mutex_attributes();
    conditions();
    read_write_locks();
    spin_locks();
    semaphores();
    barriers();
    threads();
    thread_attributes();
    keys();
    c11_locks();
    signals();
    cancellation();
    sleeping();
    return 0;
}
