// flags: -DREADERS=3 -DLOOKUPS=2
// expect: verified
// expect: use-after-free flags: -DBUG_EVICTS_USED
// expect: assertion flags: -DBUG_LOADS_TWICE -DROOM=2
// expect: data-race flags: -DBUG_COUNTS_UNLOCKED
// expect: use-after-free flags: -DBUG_FREED_BY_BOTH
//
// A cache of objects that take long to load. Entries are counted while somebody uses them; there is room for few, and the
// one that was not used for the longest time gives way. Seeded:
//
//  BUG_EVICTS_USED       later an entry gives way though somebody uses it
//  BUG_LOADS_TWICE       the lock is given back to load an object, and nobody looks again afterwards
//  BUG_COUNTS_UNLOCKED   later whoever is done with an entry counts so without the lock
//  BUG_FREED_BY_BOTH     an entry that gives way while it is used is freed by whoever evicts it, and by its last user
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef READERS
#define READERS 2
#endif
#ifndef LOOKUPS
#define LOOKUPS 1
#endif
#ifndef ROOM
#define ROOM 1
#endif
#define KEYS 2

class Entry {
public:
    explicit Entry(int key) : key(key), value(100 + key) {}

    const int key, value;
    int users = 0;
    int used_last = 0;
    bool is_evicted = false;
};

class Cache {
public:
    ~Cache() {
        for (Entry *entry : entries) delete entry;
    }

    // An entry that stays until it is released.
    Entry *acquire(int key) {
        std::unique_lock<std::mutex> lock(mutex);
        if (Entry *known = find(key)) return use(known);
#ifdef BUG_LOADS_TWICE
        lock.unlock();
        Entry *loaded = load(key);
        lock.lock();
#else
        lock.unlock();
        Entry *loaded = load(key);
        lock.lock();
        if (Entry *known = find(key)) {
            delete loaded;
            return use(known);
        }
#endif
        make_room();
        entries.push_back(loaded);
        check();
        return use(loaded);
    }

    void release(Entry *entry) {
#ifdef BUG_COUNTS_UNLOCKED
        if (entry->used_last > READERS) {
            entry->users--;
            return;
        }
        std::lock_guard<std::mutex> guard(mutex);
        int users = --entry->users;
#else
        std::lock_guard<std::mutex> guard(mutex);
        int users = --entry->users;
#endif
        if (users == 0 && entry->is_evicted) delete entry;
    }

private:
    static Entry *load(int key) { return new Entry(key); }

    Entry *find(int key) {
        for (Entry *entry : entries) {
            if (entry->key == key) return entry;
        }
        return nullptr;
    }

    Entry *use(Entry *entry) {
        entry->users++;
        entry->used_last = ++time;
        return entry;
    }

    void make_room() {
        while (entries.size() >= ROOM) {
            std::size_t oldest = 0;
            for (std::size_t i = 1; i < entries.size(); i++) {
                if (entries[i]->used_last < entries[oldest]->used_last) oldest = i;
            }
            Entry *entry = entries[oldest];
            entries.erase(entries.begin() + static_cast<long>(oldest));
            entry->is_evicted = true;
#ifdef BUG_EVICTS_USED
            if (time > READERS) {
                delete entry;
                continue;
            }
#endif
            int used_by = entry->users;
#ifdef BUG_FREED_BY_BOTH
            if (used_by == 1 && time > READERS) used_by = 0;
#endif
            if (used_by == 0) delete entry;
        }
    }

    // No key is there twice.
    void check() {
        for (Entry *one : entries) {
            int times = 0;
            for (Entry *other : entries) times += one->key == other->key;
            assert(times == 1);
        }
        assert(entries.size() <= ROOM);
    }

    std::mutex mutex;
    std::vector<Entry *> entries;
    int time = 0;
};

static void read(Cache &cache, int reader) {
    for (int i = 0; i < LOOKUPS; i++) {
        int key = (reader + i) % KEYS;
        Entry *entry = cache.acquire(key);
        int value = entry->value;
        assert(value == 100 + key);
        cache.release(entry);
    }
}

int main() {
    Cache cache;
    std::vector<std::thread> readers;
    for (int i = 0; i < READERS; i++) readers.emplace_back(read, std::ref(cache), i);
    for (std::thread &reader : readers) reader.join();
    return 0;
}
