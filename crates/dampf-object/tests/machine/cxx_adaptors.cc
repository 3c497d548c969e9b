// Stacks, queues and priority queues.
#include <functional>
#include <iostream>
#include <queue>
#include <stack>
#include <string>
#include <vector>

int main() {
    std::stack<char> open;
    std::string text = "{[()]}([)]";
    int depth = 0, wrong = -1;
    for (std::size_t i = 0; i < text.size(); i++) {
        char c = text[i];
        if (c == '(' || c == '[' || c == '{') {
            open.push(c);
            depth = std::max(depth, static_cast<int>(open.size()));
        } else {
            char expected = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (open.empty() || open.top() != expected) {
                wrong = static_cast<int>(i);
                break;
            }
            open.pop();
        }
    }
    std::cout << depth << ' ' << wrong << '\n';
    std::priority_queue<int, std::vector<int>, std::greater<int>> least;
    for (int i = 0; i < 30; i++) least.push(i * 17 % 31);
    for (; !least.empty(); least.pop()) std::cout << least.top() << ' ';
    std::queue<int> queue;
    for (int i = 0; i < 5; i++) queue.push(i);
    while (queue.size() > 1) {
        queue.push(queue.front());
        queue.pop();
        queue.pop();
    }
    std::cout << '\n' << queue.front() << '\n';
    return queue.front() + depth;
}
