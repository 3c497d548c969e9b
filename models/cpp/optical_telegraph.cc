// expect: deadlock
// expect: deadlock flags: -DN=3
// expect: verified flags: -DPATIENT
//
// N stations on hills pass messages on, each to the next, the last one back to the first. An operator who has a message
// is busy with it, and needs the attention of the next station to pass it on. When all have a message at once, all look at
// each other and nobody notes down. The patient operators of the last station look for attention before they turn to
// their own message.
#include <dampf.h>

#ifndef N
#define N 2
#endif

struct Station {
    int received;
};

static Station stations[N];

class Operator : public ICVMThread {
public:
    explicit Operator(int own) : own(own), next((own + 1) % N) {}

private:
    void run() override {
        Station *busy = &stations[own], *wanted = &stations[next];
#ifdef PATIENT
        if (own == N - 1) {
            VLOCK(wanted);
            VLOCK(busy);
        } else {
            VLOCK(busy);
            VLOCK(wanted);
        }
#else
        VLOCK(busy);
        VLOCK(wanted);
#endif
        int before = wanted->received;
        wanted->received++;
        VASSERT(wanted->received == before + 1);
        VUNLOCK(wanted);
        VUNLOCK(busy);
    }

    int own, next;
};

int main() {
    BEGINATOMIC
    for (int i = 0; i < N; i++) (new Operator(i))->start();
    ENDATOMIC
    return 0;
}
