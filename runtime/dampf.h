/* Annotations for programs that Dampf checks, in C and C++.
 *
 * They are those of the StEAM model checker, under their own names: atomic regions, a nondeterministic choice,
 * local assertions, locks on resources, what agents say to a planner, and for C++ the base class of threads. The
 * functions that the software verification community has agreed on are declared too. A checked program need not use
 * any of this: threads, mutexes and `assert` of the standard libraries are understood as they are.
 *
 * The checker performs every function declared here itself. Run elsewhere, a program finds plain bodies in
 * hooks.c: a choice yields its least value, a failed assertion ends the program.
 *
 * Each annotation is a statement, and the semicolon after it is optional. An `if` with an `else` therefore
 * needs braces around one.
 */
#ifndef DAMPF_H
#define DAMPF_H

#ifdef __cplusplus
#include <pthread.h>
#include <stdlib.h>
extern "C" {
#define DAMPF_BOOL bool
#define DAMPF_STATIC_ASSERT static_assert
#else
#define DAMPF_BOOL _Bool
#define DAMPF_STATIC_ASSERT _Static_assert
#endif

void __dampf_begin_atomic(void);
void __dampf_end_atomic(void);
long __dampf_choose(long least, long greatest);
void __dampf_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
    __attribute__((__noreturn__));
void __dampf_lock(const void *address, unsigned long size);
void __dampf_unlock(const void *address, unsigned long size);
extern long __dampf_estimate;
void __dampf_publish(long *place, long estimate);
extern long __dampf_evaluation;
void __dampf_suggest(void *component);
void __dampf_busy(void);
void __dampf_idle(void);

/* Begins an atomic region: no other thread moves until ENDATOMIC. Within a region it has no effect. A region
 * that meets a locked resource is taken back, and begins anew when the resource is free. */
#define BEGINATOMIC __dampf_begin_atomic();

/* Ends an atomic region. Outside of a region it has no effect. */
#define ENDATOMIC __dampf_end_atomic();

/* Gives a variable each of the values `least` to `greatest`, both included, in a run of its own. */
#define RANGE(variable, least, greatest) \
    ((variable) = (__typeof__(variable))__dampf_choose((long)(least), (long)(greatest)));

/* The condition has to hold whenever a thread comes by. */
#define VASSERT(...) \
    ((__VA_ARGS__) ? (void)0 : __dampf_assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __func__));

/* Publishes a proposition: formulas (--ltl) know by this name whether the condition held when a thread last came
 * by. Before that it does not hold. A name is for one place. */
#define PROP(name, ...) \
    do { \
        static int __dampf_prop_##name; \
        __atomic_store_n(&__dampf_prop_##name, (__VA_ARGS__) ? 1 : 0, __ATOMIC_SEQ_CST); \
    } while (0);

/* Publishes how many steps may be left to what is looked for, for searches that go by it (--heuristic published). The
 * last value that a thread came by with counts; before that it is 0. Other threads do not notice. */
#define HEURISTIC(...) \
    do { \
        static char __dampf_publishes __attribute__((__used__)); \
        __dampf_publish(&__dampf_estimate, (long)(__VA_ARGS__)); \
    } while (0);

/* Makes the calling thread an agent that takes advice: a planner (dampf plan) may overwrite the 32-bit variable that
 * the pointer points to before the agent moves on. The variable has to stay where it is as long as the thread runs.
 * Up to eight for each thread. Elsewhere nobody ever does. */
#define SUGGEST(pointer) \
    do { \
        static char __dampf_suggests __attribute__((__used__)); \
        DAMPF_STATIC_ASSERT(sizeof(*(pointer)) == 4, "a suggestion is a variable of 32 bits"); \
        __dampf_suggest((void *)(pointer)); \
    } while (0);

/* The calling thread is at work, or at leisure: a planner looks for what agents at leisure could do next. */
#define BUSY __dampf_busy();
#define IDLE __dampf_idle();

/* Publishes how good things stand, for planners, which look for states with a high value. The last value that a thread
 * came by with counts; before that it is 0. Other threads do not notice. */
#define EVALUATE(...) \
    do { \
        static char __dampf_evaluates __attribute__((__used__)); \
        __dampf_publish(&__dampf_evaluation, (long)(__VA_ARGS__)); \
    } while (0);

/* Waits until nobody else holds the resource that the pointer points to, and takes hold of it. While it is
 * held, every access of another thread to its bytes is a privilege violation. */
#define VLOCK(pointer) __dampf_lock((const void *)(pointer), DAMPF_SIZE_OF_RESOURCE(pointer));

/* Gives a resource back. Only the thread that holds it may. */
#define VUNLOCK(pointer) __dampf_unlock((const void *)(pointer), DAMPF_SIZE_OF_RESOURCE(pointer));

/* Some value of the type, any value. */
DAMPF_BOOL __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned int __VERIFIER_nondet_unsigned(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
__extension__ __int128 __VERIFIER_nondet_int128(void);
__extension__ unsigned __int128 __VERIFIER_nondet_uint128(void);
unsigned char __VERIFIER_nondet_u8(void);
unsigned short __VERIFIER_nondet_u16(void);
unsigned int __VERIFIER_nondet_u32(void);
unsigned long long __VERIFIER_nondet_u64(void);
unsigned long __VERIFIER_nondet_size_t(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);
char *__VERIFIER_nondet_pchar(void);
void __VERIFIER_nondet_memory(void *memory, unsigned long size);

/* Runs in which the condition does not hold are of no interest. */
void __VERIFIER_assume(int condition);
void __VERIFIER_assert(int condition);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
/* A place that no run may reach. A program may define these two, and __VERIFIER_assert, itself. */
void reach_error(void);
void __VERIFIER_error(void);

#ifdef __cplusplus
} /* extern "C" */

/* The size of what a pointer points to; of a resource of unknown type, the first byte stands for it. */
template <typename Resource>
constexpr unsigned long __dampf_size_of_resource(const volatile Resource *) {
    return sizeof(Resource);
}
constexpr unsigned long __dampf_size_of_resource(const volatile void *) {
    return 1;
}
#define DAMPF_SIZE_OF_RESOURCE(pointer) __dampf_size_of_resource(pointer)

/* The base class of threads: a derived class says in run() what its thread does, start() starts it. A program
 * ends when main has returned and all of these threads have ended, whether or not main waits for them. An object
 * that ends earlier has to be waited for with join(): its thread must not run without it. */
class ICVMThread {
public:
    ICVMThread() : ID(0), thread(), is_started(false), previous(nullptr), next(nullptr) {
        static int last_identity = 1; /* that of the main thread */
        ID = __atomic_add_fetch(&last_identity, 1, __ATOMIC_RELAXED);
    }
    ICVMThread(const ICVMThread &) = delete;
    ICVMThread &operator=(const ICVMThread &) = delete;
    virtual ~ICVMThread() { join(); }

    /* Runs run() and then die() in a new thread. It cannot be overridden: a start() that called run() itself
     * would run it in the thread of the caller. */
    virtual void start() final {
        Threads &threads = all();
        pthread_mutex_lock(&threads.mutex);
        next = threads.first;
        if (next) next->previous = this;
        threads.first = this;
        /* Registered as late as can be, hence called before anything that threads may use is destroyed. */
        if (!threads.are_awaited) threads.are_awaited = atexit(join_all) == 0;
        is_started = pthread_create(&thread, nullptr, body, this) == 0;
        pthread_mutex_unlock(&threads.mutex);
    }

    /* Waits until the thread has ended; at once if it was not started or was waited for already. */
    void join() {
        if (!is_started || pthread_equal(thread, pthread_self())) return;
        pthread_join(thread, nullptr);
        is_started = false;
        Threads &threads = all();
        pthread_mutex_lock(&threads.mutex);
        (previous ? previous->next : threads.first) = next;
        if (next) next->previous = previous;
        pthread_mutex_unlock(&threads.mutex);
    }

protected:
    /* What the thread does. */
    virtual void run() = 0;
    /* What it does last. */
    virtual void die() {}

    /* Unique for each object; the main thread counts as 1, so the first object has 2. */
    int ID;

private:
    /* The threads that were started and not waited for, the latest first. */
    struct Threads {
        pthread_mutex_t mutex;
        ICVMThread *first;
        bool are_awaited;
    };

    static Threads &all() {
        static Threads threads = {PTHREAD_MUTEX_INITIALIZER, nullptr, false};
        return threads;
    }

    /* The next thread to wait for. Whoever ends the program does not wait for itself. */
    static ICVMThread *remaining() {
        Threads &threads = all();
        pthread_mutex_lock(&threads.mutex);
        ICVMThread *thread = threads.first;
        while (thread && pthread_equal(thread->thread, pthread_self())) thread = thread->next;
        pthread_mutex_unlock(&threads.mutex);
        return thread;
    }

    static void join_all() {
        while (ICVMThread *thread = remaining()) thread->join();
    }

    static void *body(void *object) {
        ICVMThread *thread = static_cast<ICVMThread *>(object);
        thread->run();
        thread->die();
        return nullptr;
    }

    pthread_t thread;
    bool is_started;
    ICVMThread *previous;
    ICVMThread *next;
};

/* The shorter name, in use too. */
typedef ICVMThread IVMThread;

#else
#define DAMPF_SIZE_OF_RESOURCE(pointer) ((unsigned long)__extension__ sizeof(*(pointer)))
#endif

#endif
