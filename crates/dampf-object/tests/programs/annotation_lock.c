// expect: verified
// expect: privilege-violation flags: -DBUG
// A locked resource is the holder's alone. Its accesses are atomic, so that nothing races.
#include <dampf.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int account;

static void *deposit(void *none) {
#ifndef BUG
    VLOCK(&account);
#endif
    account += 10; // fault: privilege-violation
#ifndef BUG
    VUNLOCK(&account);
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    VLOCK(&account);
    pthread_create(&thread, NULL, deposit, NULL);
    account += 5;
    VUNLOCK(&account);
    pthread_join(thread, NULL);
    VASSERT(account == 15);
    return 0;
}
