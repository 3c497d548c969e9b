// flags: -DREADERS=2 -DWRITERS=2
// expect: verified
// expect: deadlock flags: -DBUG_UPGRADE
// expect: data-race flags: -DBUG_READERS_COUNT
// expect: use-after-free flags: -DBUG_USED_UNLOCKED
// expect: leak flags: -DBUG_REPLACED_LOST options: --leaks
//
// Names of services and who offers them, in a table that is read much and changed little: a lock for readers and writers.
// Seeded:
//
//  BUG_UPGRADE         a writer that offers service 1 has the lock for reading, and wants to write without giving that back
//  BUG_READERS_COUNT   readers count how often service 1 was looked up, with the lock for reading
//  BUG_USED_UNLOCKED   a reader uses the entry of service 1 when it has given the lock back
//  BUG_REPLACED_LOST   an entry that is replaced is not freed
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#define BUCKETS 2

struct entry {
    int name;
    int offered_by;
    int lookups;
    struct entry *next;
};

static struct entry *buckets[BUCKETS];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct entry *find(int name) {
    struct entry *entry = buckets[name % BUCKETS];
    while (entry && entry->name != name) entry = entry->next;
    return entry;
}

/* Who offers a service; 0 if nobody does. */
static int look_up(int name) {
    int found = 0;
    pthread_rwlock_rdlock(&lock);
    struct entry *entry = find(name);
#ifdef BUG_READERS_COUNT
    if (entry && name == 1) entry->lookups++;
#endif
#ifdef BUG_USED_UNLOCKED
    if (entry && name == 0) found = entry->offered_by;
    pthread_rwlock_unlock(&lock);
    if (entry && name == 1) found = entry->offered_by;
#else
    if (entry) found = entry->offered_by;
    pthread_rwlock_unlock(&lock);
#endif
    return found;
}

/* Offers a service, maybe instead of somebody else. */
static void offer(int name, int who) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry) abort();
    *entry = (struct entry){.name = name, .offered_by = who};
#ifdef BUG_UPGRADE
    if (name == 1) pthread_rwlock_rdlock(&lock);
#endif
    pthread_rwlock_wrlock(&lock);
    struct entry *old = find(name);
    struct entry **place = &buckets[name % BUCKETS];
    if (old) {
        while (*place != old) place = &(*place)->next;
        entry->next = old->next;
    }
    *place = entry;
#ifndef BUG_REPLACED_LOST
    free(old);
#endif
    pthread_rwlock_unlock(&lock);
}

static void withdraw(int name) {
    pthread_rwlock_wrlock(&lock);
    struct entry **place = &buckets[name % BUCKETS];
    while (*place && (*place)->name != name) place = &(*place)->next;
    struct entry *old = *place;
    if (old) *place = old->next;
    pthread_rwlock_unlock(&lock);
    free(old);
}

static void *read_entries(void *argument) {
    (void)argument;
    for (int name = 0; name < 2; name++) {
        int found = look_up(name);
        assert(found >= 0 && found <= WRITERS);
    }
    return NULL;
}

static void *change_entries(void *argument) {
    int who = *(int *)argument;
    offer(0, who);
    offer(1, who);
    withdraw(0);
    withdraw(1);
    return NULL;
}

int main(void) {
    pthread_t readers[READERS], writers[WRITERS];
    int numbers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = i + 1;
        pthread_create(&writers[i], NULL, change_entries, &numbers[i]);
    }
    for (int i = 0; i < READERS; i++) pthread_create(&readers[i], NULL, read_entries, NULL);
    for (int i = 0; i < WRITERS; i++) pthread_join(writers[i], NULL);
    for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
    for (int name = 0; name < 2; name++) {
        while (find(name)) withdraw(name);
    }
    return 0;
}
