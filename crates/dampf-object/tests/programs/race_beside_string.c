// expect: verified
// expect: verified flags: -DCOPY
// expect: data-race flags: -DBUG
// flags: -fno-builtin
// A library reads strings by words, and thereby what lies behind their ends: that is no access of the program.
#include <pthread.h>
#include <string.h>

static _Alignas(8) struct {
    char name[5];
    char flag[3];
} record = {"name", ""};

static void *body(void *none) {
#ifdef COPY
    strcpy(record.flag, "up");
#elif defined(BUG)
    record.name[3] = 'E'; // fault: data-race
#else
    record.flag[0] = 'x';
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    size_t length = strlen(record.name); // fault: data-race
    pthread_join(thread, NULL);
    return length != 4;
}
