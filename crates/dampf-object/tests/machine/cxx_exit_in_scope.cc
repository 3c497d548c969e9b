// std::exit does not unwind the stack, but destroys what is static.
#include <cstdlib>
#include <iostream>

struct Tracer {
    const char *name;
    ~Tracer() { std::cout << "destroyed " << name << '\n'; }
};
static Tracer global{"global"};

static void leave() {
    Tracer local{"local"};
    static Tracer kept{"static"};
    std::atexit([] { std::cout << "at exit\n"; });
    std::cout << local.name << ' ' << kept.name << '\n';
    std::exit(31);
}

int main() {
    Tracer never{"never"};
    leave();
    return never.name[0];
}
