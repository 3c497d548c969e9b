// expect: use-after-free
// A member function that deletes its own object.
struct Node {
    int value = 1;
    __attribute__((noinline)) void finish() { delete this; }
    __attribute__((noinline)) int read() const {
        return value; // fault: use-after-free
    }
};

int main() {
    Node *node = new Node;
    node->finish();
    return node->read();
}
