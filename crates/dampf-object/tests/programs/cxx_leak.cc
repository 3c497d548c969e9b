// expect: verified
// expect: leak options: --leaks
// expect: verified flags: -DFIX options: --leaks
// A cycle of shared pointers keeps itself.
#include <memory>

struct Node {
    std::shared_ptr<Node> next;
#ifdef FIX
    std::weak_ptr<Node> previous;
#else
    std::shared_ptr<Node> previous;
#endif
};

int main() {
    auto first = std::make_shared<Node>();
    auto second = std::make_shared<Node>();
    first->next = second;
    second->previous = first;
    return 0;
}
