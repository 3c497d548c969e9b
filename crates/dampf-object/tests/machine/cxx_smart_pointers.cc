// Owners of objects.
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

struct Node : std::enable_shared_from_this<Node> {
    int value;
    std::vector<std::shared_ptr<Node>> children;
    std::weak_ptr<Node> parent;
    explicit Node(int value) : value(value) {}
    ~Node() { std::cout << '~' << value << ' '; }
    std::shared_ptr<Node> add(int child) {
        auto node = std::make_shared<Node>(child);
        node->parent = shared_from_this();
        children.push_back(node);
        return node;
    }
};

int main() {
    std::weak_ptr<Node> leaf;
    {
        auto root = std::make_shared<Node>(1);
        auto branch = root->add(2);
        leaf = branch->add(3);
        branch->add(4);
        std::cout << root.use_count() << branch.use_count() << leaf.use_count() << leaf.lock()->parent.lock()->value << '\n';
        std::shared_ptr<int> inside(branch, &branch->value);
        root.reset();
        std::cout << *inside << ' ';
        branch.reset();
        std::cout << leaf.expired() << ' ';
    }
    std::cout << leaf.expired() << '\n';
    int deleted = 0;
    {
        auto deleter = [&deleted](int *number) {
            deleted += *number;
            delete number;
        };
        std::unique_ptr<int, decltype(deleter)> first(new int(5), deleter), second(new int(6), deleter);
        second.reset(first.release());
        std::shared_ptr<int> third(new int(10), deleter);
        std::cout << (first == nullptr) << *second << deleted << '\n';
    }
    auto array = std::make_unique<int[]>(4);
    array[3] = deleted;
    return array[3];
}
