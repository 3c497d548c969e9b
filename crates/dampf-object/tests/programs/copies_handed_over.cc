// expect: verified
// expect: data-race flags: -DBUG
// expect: verified flags: -DNEIGHBOURS
// Structures are copied by functions that read whole words. What lies around is another's, and no part of the copy.
#include <cstring>
#include <semaphore.h>
#include <thread>

struct Record {
    char name[43];
    char mark;
    int numbers[30];
};

static Record shared;
static sem_t full;

int main() {
    sem_init(&full, 0, 0);
    std::thread writer([] {
        Record mine{};
        mine.numbers[29] = 5;
        shared = mine;
        sem_post(&full);
#ifdef BUG
        shared.numbers[7]++; // fault: data-race
#elif defined NEIGHBOURS
        shared.mark++;
#endif
    });
    sem_wait(&full);
    char name[43];
    Record copy{};
#ifdef NEIGHBOURS
    std::memcpy(name, shared.name, sizeof name);
    copy.numbers[29] = 5;
#else
    copy = shared; // fault: data-race
    std::memcpy(name, copy.name, sizeof name);
#endif
    writer.join();
    return copy.numbers[29] != 5 || name[0] != 0;
}
