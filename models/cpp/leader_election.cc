// expect: verified
// expect: assertion flags: -DTWINS
// expect: verified flags: -DN=2
//
// N processes in a ring elect a leader: each sends its identity to the next, passes greater ones on, and is elected when
// its own comes back. With TWINS, one of the others, any one, is given the identity of the greatest: two leaders are
// elected. An observer thread watches for that; it looks once, at any time.
#include <atomic>
#include <dampf.h>
#include <semaphore.h>

#ifndef N
#define N 3
#endif

struct Message {
    int identity;
    bool elected;
};

// One process writes to a channel and one reads from it; it never fills, as nobody sends more than this.
class Channel {
public:
    Channel() { sem_init(&waiting, 0, 0); }
    void send(Message message) {
        BEGINATOMIC
        messages[written++] = message;
        sem_post(&waiting);
        ENDATOMIC
    }
    Message receive() {
        sem_wait(&waiting);
        BEGINATOMIC
        Message message = messages[read++];
        ENDATOMIC
        return message;
    }

private:
    Message messages[3 * N];
    int written = 0, read = 0;
    sem_t waiting;
};

static Channel channels[N];
static std::atomic<int> leaders;

class Process : public ICVMThread {
public:
    Process(int place, int identity) : in(channels[place]), out(channels[(place + 1) % N]), identity(identity) {}

private:
    void run() override {
        out.send({identity, false});
        while (true) {
            Message message = in.receive();
            if (message.elected) {
                if (message.identity != identity) out.send(message);
                return;
            }
            if (message.identity == identity) {
                leaders++;
                out.send({identity, true});
            } else if (message.identity > identity) {
                out.send(message);
            }
        }
    }

    Channel &in, &out;
    int identity;
};

class Observer : public ICVMThread {
    void run() override {
        VASSERT(leaders <= 1); // fault: assertion
    }
};

int main() {
    int identities[N];
    for (int i = 0; i < N; i++) identities[i] = i + 1;
#ifdef TWINS
    int twin;
    RANGE(twin, 0, N - 2);
    identities[twin] = identities[N - 1];
#endif
    BEGINATOMIC
    (new Observer)->start();
    for (int i = 0; i < N; i++) (new Process(i, identities[i]))->start();
    ENDATOMIC
    return 0;
}
