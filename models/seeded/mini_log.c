// flags: -DWRITERS=3 -DRECORDS=2
// expect: verified
// expect: assertion flags: -DBUG_NUMBERED_EARLY
// expect: deadlock flags: -DBUG_FLUSHED_UNNOTICED
// expect: data-race flags: -DBUG_COPIED_UNLOCKED
// expect: assertion flags: -DBUG_FLUSH_OF_OLD
//
// A log to which writers append records. A flusher writes what has come together to the disk, and whoever needs a record
// to be there waits until the log is flushed up to it. The errors that are seeded show behind the first records only:
//
//  BUG_NUMBERED_EARLY      a writer draws its number under the lock, and appends its record under the lock, but not at once
//  BUG_FLUSHED_UNNOTICED   the flusher wakes those who wait before it says how far it has come
//  BUG_COPIED_UNLOCKED     the flusher takes the records out of the buffer without the lock
//  BUG_FLUSH_OF_OLD        the flusher reports what is appended when it is through, not what it has written
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef RECORDS
#define RECORDS 1
#endif
#define BUFFER 4
#define DISK (WRITERS * RECORDS)

struct log {
    pthread_mutex_t mutex;
    pthread_cond_t has_work, is_flushed, has_room;
    int buffer[BUFFER];
    int count;
    /* Numbers of records that were given out, appended and written. */
    int numbered, appended, flushed;
    bool closed;
};

static struct log log_ = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .has_work = PTHREAD_COND_INITIALIZER,
    .is_flushed = PTHREAD_COND_INITIALIZER,
    .has_room = PTHREAD_COND_INITIALIZER,
};

/* What survives. */
static int disk[DISK];
static int disk_count;
static pthread_mutex_t disk_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Appends a record, and returns its number. */
static int append(struct log *log) {
    pthread_mutex_lock(&log->mutex);
    while (log->count == BUFFER) pthread_cond_wait(&log->has_room, &log->mutex);
    int number = ++log->numbered;
#ifdef BUG_NUMBERED_EARLY
    if (number > WRITERS) {
        pthread_mutex_unlock(&log->mutex);
        pthread_mutex_lock(&log->mutex);
    }
#endif
    log->buffer[log->count++] = number;
    log->appended = number;
    pthread_cond_signal(&log->has_work);
    pthread_mutex_unlock(&log->mutex);
    return number;
}

static bool is_on_disk(int number) {
    bool found = false;
    pthread_mutex_lock(&disk_mutex);
    for (int i = 0; i < disk_count; i++) found |= disk[i] == number;
    pthread_mutex_unlock(&disk_mutex);
    return found;
}

/* Waits until a record is on the disk. */
static void wait_flushed(struct log *log, int number) {
    pthread_mutex_lock(&log->mutex);
    while (log->flushed < number) pthread_cond_wait(&log->is_flushed, &log->mutex);
    pthread_mutex_unlock(&log->mutex);
}

static void write_to_disk(const int *records, int count) {
    pthread_mutex_lock(&disk_mutex);
    for (int i = 0; i < count; i++) {
        assert(disk_count == 0 || disk[disk_count - 1] < records[i]);
        disk[disk_count++] = records[i];
    }
    pthread_mutex_unlock(&disk_mutex);
}

static void *flush(void *argument) {
    struct log *log = argument;
    int records[BUFFER];
    pthread_mutex_lock(&log->mutex);
    while (true) {
        while (log->count == 0 && !log->closed) pthread_cond_wait(&log->has_work, &log->mutex);
        if (log->count == 0) break;
        int count = log->count, last = log->appended;
#ifdef BUG_COPIED_UNLOCKED
        bool copies_late = last > WRITERS;
#else
        bool copies_late = false;
#endif
        for (int i = 0; i < count && !copies_late; i++) records[i] = log->buffer[i];
        log->count = 0;
        pthread_mutex_unlock(&log->mutex);
        for (int i = 0; i < count && copies_late; i++) records[i] = log->buffer[i];
        write_to_disk(records, count);
#ifdef BUG_FLUSHED_UNNOTICED
        bool wakes_early = last > WRITERS;
        if (wakes_early) pthread_cond_broadcast(&log->is_flushed);
        pthread_mutex_lock(&log->mutex);
        log->flushed = last;
        if (!wakes_early) pthread_cond_broadcast(&log->is_flushed);
#else
        pthread_mutex_lock(&log->mutex);
#ifdef BUG_FLUSH_OF_OLD
        if (last > WRITERS) last = log->appended;
#endif
        log->flushed = last;
        pthread_cond_broadcast(&log->is_flushed);
#endif
        pthread_cond_broadcast(&log->has_room);
    }
    pthread_mutex_unlock(&log->mutex);
    return NULL;
}

static void *write_records(void *argument) {
    struct log *log = argument;
    for (int i = 0; i < RECORDS; i++) {
        int number = append(log);
        wait_flushed(log, number);
        assert(is_on_disk(number));
    }
    return NULL;
}

int main(void) {
    pthread_t writers[WRITERS], flusher;
    pthread_create(&flusher, NULL, flush, &log_);
    for (int i = 0; i < WRITERS; i++) pthread_create(&writers[i], NULL, write_records, &log_);
    for (int i = 0; i < WRITERS; i++) pthread_join(writers[i], NULL);
    pthread_mutex_lock(&log_.mutex);
    log_.closed = true;
    pthread_cond_signal(&log_.has_work);
    pthread_mutex_unlock(&log_.mutex);
    pthread_join(flusher, NULL);
    assert(disk_count == WRITERS * RECORDS);
    return 0;
}
