// expect: verified
// expect: assertion flags: -DBUG
// Values of several types in globals, in blocks of the heap and in containers, which threads read and write.

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
    int key;
    Node *next;
};

struct Item {
    short id;
    unsigned char level;
};

std::atomic<long> total{0};
std::atomic<Node *> top{nullptr};
std::mutex lock;
std::vector<Item> items(2);
Node *last;

void add(int key) {
    Node *node = new Node{key, top.load()};
    while (!top.compare_exchange_strong(node->next, node)) {}
    std::lock_guard<std::mutex> guard(lock);
    items[1].id -= 3;
    items[1].level += 200;
    last = node;
    total += key;
}

int main() {
    std::thread one(add, -5);
    std::thread two([] { add(7); });
    one.join();
    two.join();
    assert(items[1].id == -6 && items[1].level == 144);
    assert(total == 2 && (last->key == 7 || last->key == -5));
#ifdef BUG
    assert(last->key == 7);
#endif
    for (Node *node = top; node;) {
        Node *next = node->next;
        delete node;
        node = next;
    }
}
