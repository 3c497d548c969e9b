// Thunks, offsets and covariant returns.
#include <iostream>

struct A {
    int a = 1;
    virtual ~A() { std::cout << "~A"; }
    virtual A *self() { return this; }
    virtual int sum() const { return a; }
};
struct B {
    int b = 2;
    virtual ~B() { std::cout << "~B"; }
    virtual int product(int factor) const { return b * factor; }
};
struct C : A, B {
    int c = 4;
    ~C() override { std::cout << "~C"; }
    C *self() override { return this; }
    int sum() const override { return a + b + c; }
    int product(int factor) const override { return (b + c) * factor; }
};
struct D : virtual A {
    int d = 8;
};
struct E : virtual A {
    int e = 16;
};
struct F : D, E {
    ~F() override { std::cout << "~F"; }
    int sum() const override { return a + d + e; }
};

int main() {
    C c;
    A *a = &c;
    B *b = &c;
    std::cout << a->sum() << ' ' << b->product(10) << ' ' << a->self()->sum() << ' ' << (dynamic_cast<C *>(b) == &c) << ' ' << (static_cast<void *>(a) != static_cast<void *>(b)) << '\n';
    F f;
    D &d = f;
    E &e = f;
    d.a = 100;
    std::cout << e.sum() << ' ' << (static_cast<A *>(&d) == static_cast<A *>(&e)) << '\n';
    B *owned = new C;
    delete owned;
    std::cout << '\n';
    return b->product(5);
}
