// expect: abort
// A constructor calls what its derived class has not defined yet.
struct Base {
    Base() { call(); }
    virtual ~Base() {}
    __attribute__((noinline)) void call() {
        virtual_function(); // fault: abort
    }
    virtual void virtual_function() = 0;
};
struct Derived : Base {
    void virtual_function() override {}
};

int main() {
    Derived derived;
    return 0;
}
