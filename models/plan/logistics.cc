// expect: verified flags: -DTRUCKS=2 -DPACKAGES=3
// expect: assertion flags: -DTRUCKS=2 -DPACKAGES=3 -DBROKEN
//
// Trucks and packages on a road with towns: each truck is an agent that fetches one package after the other and brings
// it where it belongs. To drive to the next town takes a unit of time, and so does loading. A truck without advice takes
// any package that nobody has taken; a planner can tell it which, so that trucks do not cross the country for packages
// that another one has under its wheels.
//
//   dampf plan models/plan/logistics.cc --phase-min 1 --idle one-more
//   dampf plan models/plan/logistics.cc --no-planning
//
// With -DBROKEN a truck does not cross off what it has delivered, and fetches it again without looking.
#include <dampf.h>
#include <stdlib.h>

#ifndef TRUCKS
#define TRUCKS 3
#endif
#ifndef PACKAGES
#define PACKAGES 6
#endif
enum { NO_PACKAGE = 0 };

struct Package {
    int from, to;
    bool is_taken;
};

static Package packages[7] = {{0, 0, true}, {9, 8, false}, {1, 2, false}, {5, 4, false},
                                         {0, 3, false}, {8, 6, false}, {4, 5, false}};
static int position[3] = {0, 5, 9};
static int fetched[TRUCKS]; // the package that each truck brings, or is advised to fetch next
static int left = PACKAGES; // packages that nobody has taken
static long saved;          // by how much trucks are near to what they fetch

static int way(int one, int other) {
    return abs(one - other);
}

static void take(int truck, int package) {
    VASSERT(!packages[package].is_taken);
    packages[package].is_taken = true;
    fetched[truck] = package;
    left--;
    saved += 100 - way(position[truck], packages[package].from);
    EVALUATE(saved);
}

static bool is_promised(int package, int truck) {
    for (int other = 0; other < TRUCKS; other++) {
        if (other != truck && fetched[other] == package) return true;
    }
    return false;
}

static int chosen(int truck) {
    int advised = fetched[truck];
#ifdef BROKEN
    if (advised != NO_PACKAGE) return advised;
#else
    if (advised != NO_PACKAGE && !packages[advised].is_taken) return advised;
#endif
    int possible[PACKAGES], count = 0, choice;
    for (int package = 1; package <= PACKAGES; package++) {
        if (!packages[package].is_taken && !is_promised(package, truck)) possible[count++] = package;
    }
    if (count == 0) return NO_PACKAGE;
    RANGE(choice, 0, count - 1);
    return possible[choice];
}

class Truck : public ICVMThread {
public:
    int number;

protected:
    void run() override {
        bool has_loaded = false, is_busy = false, is_needed = true;
        SUGGEST(&fetched[number]);
        IDLE
        while (is_needed) {
            BEGINATOMIC
            int &place = position[number];
            if (!is_busy) {
                int package = chosen(number);
                fetched[number] = NO_PACKAGE;
                if (package != NO_PACKAGE) {
                    take(number, package);
                    is_busy = true;
                    BUSY
                }
            } else {
                const Package &package = packages[fetched[number]];
                int target = has_loaded ? package.to : package.from;
                if (place != target) {
                    place += place < target ? 1 : -1;
                } else if (!has_loaded) {
                    has_loaded = true;
                } else {
                    has_loaded = is_busy = false;
#ifndef BROKEN
                    fetched[number] = NO_PACKAGE;
#endif
                    IDLE
                }
            }
            is_needed = is_busy || left > 0;
            ENDATOMIC
        }
    }
};

static Truck trucks[TRUCKS];

int main() {
    BEGINATOMIC
    for (int truck = 0; truck < TRUCKS; truck++) {
        trucks[truck].number = truck;
        trucks[truck].start();
    }
    ENDATOMIC
}
