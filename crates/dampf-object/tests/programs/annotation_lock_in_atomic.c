// expect: verified
// A region that meets a locked resource begins anew: nobody sees its first half.
#include <dampf.h>
#include <pthread.h>
#include <stdatomic.h>

static int resource;
static atomic_int begun;

static void *body(void *none) {
    BEGINATOMIC;
    begun = 1;
    VLOCK(&resource);
    begun = 0;
    ENDATOMIC;
    VUNLOCK(&resource);
    return none;
}

int main(void) {
    pthread_t thread;
    VLOCK(&resource);
    pthread_create(&thread, NULL, body, NULL);
    VASSERT(begun == 0);
    VUNLOCK(&resource);
    VASSERT(begun == 0);
    pthread_join(thread, NULL);
    return 0;
}
