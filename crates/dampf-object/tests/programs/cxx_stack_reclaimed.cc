// expect: verified
// expect: use-after-free flags: -DBUG
// Treiber's stack. Nodes are kept, or deleted although others may still look at them.
#include <atomic>
#include <thread>

struct Node {
    int value;
    Node *next;
};

static std::atomic<Node *> top;

static void push(int value) {
    Node *node = new Node{value, top.load()};
    while (!top.compare_exchange_strong(node->next, node)) {
    }
}

static void pop() {
    Node *node = top;
    while (node && !top.compare_exchange_strong(node, node->next)) { // fault: use-after-free
    }
#ifdef BUG
    delete node;
#endif
}

int main() {
    push(1);
    push(2);
    std::thread first(pop), second(pop);
    first.join();
    second.join();
}
