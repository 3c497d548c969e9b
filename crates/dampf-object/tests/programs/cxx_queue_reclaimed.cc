// expect: verified
// expect: use-after-free flags: -DBUG
// Michael and Scott's queue. Nodes are kept, or deleted although others may still look at them.
#include <atomic>
#include <thread>

template <typename T> class Queue {
    struct Node {
        T value;
        std::atomic<Node *> next{nullptr};
    };
    std::atomic<Node *> head, tail;

  public:
    Queue() {
        Node *dummy = new Node{};
        head = dummy;
        tail = dummy;
    }

    void push(T value) {
        Node *node = new Node{value};
        for (;;) {
            Node *last = tail;
            Node *next = last->next; // fault: use-after-free
            if (next) {
                tail.compare_exchange_strong(last, next);
            } else if (last->next.compare_exchange_strong(next, node)) { // fault: use-after-free
                tail.compare_exchange_strong(last, node);
                return;
            }
        }
    }

    bool pop(T &value) {
        for (;;) {
            Node *first = head, *last = tail;
            Node *next = first->next; // fault: use-after-free
            if (!next) return false;
            if (first == last) {
                tail.compare_exchange_strong(last, next);
            } else if (head.compare_exchange_strong(first, next)) {
                value = next->value; // fault: use-after-free
#ifdef BUG
                delete first;
#endif
                return true;
            }
        }
    }
};

static Queue<int> queue;

int main() {
    std::thread producer([] { queue.push(1); });
    std::thread consumer([] {
        int value;
        queue.pop(value);
    });
    queue.push(2);
    producer.join();
    consumer.join();
}
