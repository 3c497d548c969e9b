// Static objects: their construction and destruction.
#include <iostream>

struct Tracer {
    const char *name;
    explicit Tracer(const char *name) : name(name) { std::cout << "+" << name << '\n'; }
    ~Tracer() { std::cout << "-" << name << '\n'; }
};

static Tracer first("first");
inline Tracer shared("inline");
template <typename T>
struct Holder {
    static Tracer tracer;
};
template <typename T>
Tracer Holder<T>::tracer("template");

static Tracer &local() {
    static Tracer tracer("local");
    return tracer;
}
thread_local Tracer own("thread-local");

int main() {
    std::cout << "main\n";
    std::cout << own.name << '\n';
    local();
    local();
    const Tracer &bound = Tracer("bound");
    (void)Holder<int>::tracer;
    Tracer array[2]{Tracer("zero"), Tracer("one")};
    std::cout << bound.name << array[1].name << '\n';
    return 14;
}
