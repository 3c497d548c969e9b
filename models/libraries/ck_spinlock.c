// flags: -idirafter /usr/include
// expect: verified flags: -DFAS
// expect: verified flags: -DTICKET
// expect: verified flags: -DMCS
// expect: verified flags: -DCLH
// expect: verified flags: -DCAS
// expect: verified flags: -DDEC
// expect: verified flags: -DFAS -DTHREADS=3
// expect: verified flags: -DTICKET -DTHREADS=3
// expect: verified flags: -DMCS -DTHREADS=3
// expect: verified flags: -DCLH -DTHREADS=3
// expect: data-race flags: -DFAS -DBUG
// expect: data-race flags: -DTICKET -DBUG
// expect: data-race flags: -DCAS -DBUG
//
// The spin locks of Concurrency Kit, under each of which two or more threads count twice. BUG asks whether the lock is held
// instead of acquiring it.
#include "ck_port.h"
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>
#include <stddef.h>

#if defined(FAS)
#define KIND(OPERATION) ck_spinlock_fas_##OPERATION
static ck_spinlock_fas_t shared = CK_SPINLOCK_FAS_INITIALIZER;
#elif defined(TICKET)
#define KIND(OPERATION) ck_spinlock_ticket_##OPERATION
static ck_spinlock_ticket_t shared = CK_SPINLOCK_TICKET_INITIALIZER;
#elif defined(CAS)
#define KIND(OPERATION) ck_spinlock_cas_##OPERATION
static ck_spinlock_cas_t shared = CK_SPINLOCK_CAS_INITIALIZER;
#elif defined(DEC)
#define KIND(OPERATION) ck_spinlock_dec_##OPERATION
static ck_spinlock_dec_t shared = CK_SPINLOCK_DEC_INITIALIZER;
#elif defined(MCS)
static ck_spinlock_mcs_t shared = CK_SPINLOCK_MCS_INITIALIZER;
#elif defined(CLH)
static ck_spinlock_clh_t unowned, nodes[8];
static ck_spinlock_clh_t *shared;
#endif

#ifndef THREADS
#define THREADS 2
#endif
static int counter;

static void *count(void *number) {
#if defined(CLH)
    ck_spinlock_clh_t *node = &nodes[*(int *)number];
#endif
    for (int round = 0; round < 2; ++round) {
#if defined(MCS)
        ck_spinlock_mcs_context_t node;
        ck_spinlock_mcs_lock(&shared, &node);
#elif defined(CLH)
        ck_spinlock_clh_lock(&shared, node);
#elif defined(BUG)
        while (KIND(locked)(&shared)) {
        }
#else
        KIND(lock)(&shared);
#endif
        ++counter; // fault: data-race
#if defined(MCS)
        ck_spinlock_mcs_unlock(&shared, &node);
#elif defined(CLH)
        ck_spinlock_clh_unlock(&node);
#elif !defined(BUG)
        KIND(unlock)(&shared);
#endif
    }
    return number;
}

int main(void) {
    static int numbers[] = {0, 1, 2, 3};
#if defined(CLH)
    ck_spinlock_clh_init(&shared, &unowned);
#endif
    pthread_t others[THREADS - 1];
    for (int index = 0; index < THREADS - 1; ++index)
        pthread_create(&others[index], NULL, count, &numbers[index]);
    count(&numbers[THREADS - 1]);
    for (int index = 0; index < THREADS - 1; ++index)
        pthread_join(others[index], NULL);
    assert(counter == 2 * THREADS);
    return 0;
}
