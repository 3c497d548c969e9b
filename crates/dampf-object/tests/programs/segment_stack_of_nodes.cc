// expect: verified
// expect: use-after-free flags: -DBUG
//
// A node's link is what its push expects. Once the node is pushed, another thread may take and delete it.
#include <atomic>
#include <thread>

struct Node {
    Node *next;
    int value;
};

static std::atomic<Node *> head;
static Node *taken;

static void push(Node *node) {
    node->next = head.load();
    while (!head.compare_exchange_strong(node->next, node)) {
    }
#ifdef BUG
    node->value = 2; // fault: use-after-free
#endif
}

int main() {
    push(new Node{nullptr, 1});
    std::thread pusher([] {
        if (Node *node = head.exchange(nullptr)) {
            push(node);
        }
    });
    taken = head.exchange(nullptr);
    pusher.join();
    delete taken; // fault: use-after-free
    if (Node *node = head.exchange(nullptr)) {
        std::thread again([node] { push(node); });
        delete head.exchange(nullptr); // fault: use-after-free
        again.join();
        delete head.exchange(nullptr);
    }
}
