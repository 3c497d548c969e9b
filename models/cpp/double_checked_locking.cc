// expect: verified
// expect: data-race flags: -DBROKEN
// expect: verified flags: -DSTATIC
//
// An object that is made when it is first needed. To save a lock, one looks first whether it is there. BROKEN looks at a plain
// pointer, and so may see an object that is not finished.
// STATIC leaves all of it to the language.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Settings {
    int width, height;
    Settings() : width(80), height(25) {} // fault: data-race
};

#if defined(STATIC)
static Settings *settings() {
    static Settings settings;
    return &settings;
}
#elif defined(BROKEN)
static Settings *made;
static std::mutex mutex;

static Settings *settings() {
    if (!made) { // fault: data-race
        std::lock_guard<std::mutex> guard(mutex);
        if (!made) made = new Settings; // fault: data-race
    }
    return made; // fault: data-race
}
#else
static std::atomic<Settings *> made;
static std::mutex mutex;

static Settings *settings() {
    Settings *found = made.load(std::memory_order_acquire);
    if (!found) {
        std::lock_guard<std::mutex> guard(mutex);
        found = made.load(std::memory_order_acquire);
        if (!found) {
            found = new Settings;
            made.store(found, std::memory_order_release);
        }
    }
    return found;
}
#endif

static void draw() {
    Settings *used = settings();
    assert(used->width == 80 && used->height == 25); // fault: data-race
}

int main() {
    std::thread other(draw);
    draw();
    other.join();
    return 0;
}
