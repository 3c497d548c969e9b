// Own allocators, memory resources and operators new.
#include <cstdlib>
#include <iostream>
#include <list>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

static int allocations;

void *operator new(std::size_t size) {
    allocations++;
    if (void *block = std::malloc(size)) return block;
    throw std::bad_alloc();
}
void operator delete(void *block) noexcept {
    std::free(block);
}
void operator delete(void *block, std::size_t) noexcept {
    std::free(block);
}

template <typename T>
struct Counting {
    using value_type = T;
    static inline std::size_t elements = 0;
    Counting() = default;
    template <typename U>
    Counting(const Counting<U> &) {}
    T *allocate(std::size_t count) {
        elements += count;
        return std::allocator<T>().allocate(count);
    }
    void deallocate(T *block, std::size_t count) { std::allocator<T>().deallocate(block, count); }
    bool operator==(const Counting &) const { return true; }
    bool operator!=(const Counting &) const { return false; }
};

int main() {
    int before = allocations;
    {
        std::vector<int, Counting<int>> numbers;
        for (int i = 0; i < 100; i++) numbers.push_back(i);
        std::list<std::string> texts(3, std::string(50, 'x'));
    }
    std::cout << allocations - before << ' ' << Counting<int>::elements << '\n';
    char arena[4096];
    std::pmr::monotonic_buffer_resource pool(arena, sizeof arena, std::pmr::null_memory_resource());
    before = allocations;
    std::pmr::vector<std::pmr::string> strings(&pool);
    for (int i = 0; i < 8; i++) strings.emplace_back("a string that is too long to be kept inside");
    std::cout << allocations - before << ' ' << strings.size() << '\n';
    try {
        strings.resize(1000);
    } catch (const std::bad_alloc &) {
        std::cout << "full\n";
    }
    return static_cast<int>(Counting<int>::elements % 256);
}
