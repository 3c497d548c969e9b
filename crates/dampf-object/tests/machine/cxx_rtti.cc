// Types at run time: dynamic_cast, typeid, virtual and multiple inheritance.
#include <iostream>
#include <memory>
#include <typeinfo>
#include <vector>

struct Named {
    virtual ~Named() = default;
    virtual const char *name() const { return "named"; }
};
struct Counted {
    int count = 3;
    virtual ~Counted() = default;
    virtual int total() const { return count; }
};
struct Left : virtual Named {
    const char *name() const override { return "left"; }
};
struct Right : virtual Named, Counted {
    int total() const override { return count * 2; }
};
struct Both : Left, Right {
    const char *name() const override { return "both"; }
    int total() const override { return Right::total() + 1; }
};

int main() {
    std::vector<std::unique_ptr<Named>> things;
    things.push_back(std::make_unique<Left>());
    things.push_back(std::make_unique<Right>());
    things.push_back(std::make_unique<Both>());
    int sum = 0;
    for (const auto &thing : things) {
        const Named &reference = *thing;
        std::cout << thing->name() << ' ' << typeid(reference).name() << ' ';
        if (auto *counted = dynamic_cast<Counted *>(thing.get())) sum += counted->total();
        std::cout << (dynamic_cast<Left *>(thing.get()) != nullptr) << (dynamic_cast<Both *>(thing.get()) != nullptr) << '\n';
    }
    try {
        dynamic_cast<Right &>(*things[0]);
    } catch (const std::bad_cast &error) {
        std::cout << error.what() << '\n';
    }
    Both both;
    Counted &counted = both;
    int Counted::*member = &Counted::count;
    int (Counted::*function)() const = &Counted::total;
    std::cout << both.*member << ' ' << (counted.*function)() << ' ' << (typeid(counted) == typeid(Both)) << '\n';
    return sum;
}
