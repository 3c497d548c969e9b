// Graphs: shortest paths, components, topological order.
#include <functional>
#include <iostream>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

int main() {
    constexpr std::size_t nodes = 40;
    std::vector<std::vector<std::pair<std::size_t, int>>> edges(nodes);
    unsigned state = 11;
    for (int i = 0; i < 120; i++) {
        state = state * 1664525 + 1013904223;
        edges[(state >> 10) % nodes].emplace_back((state >> 20) % nodes, static_cast<int>(state % 17) + 1);
    }
    std::vector<int> distance(nodes, std::numeric_limits<int>::max());
    std::priority_queue<std::pair<int, std::size_t>, std::vector<std::pair<int, std::size_t>>, std::greater<>> open;
    open.emplace(distance[0] = 0, 0);
    while (!open.empty()) {
        auto [so_far, node] = open.top();
        open.pop();
        if (so_far > distance[node]) continue;
        for (auto [next, length] : edges[node])
            if (so_far + length < distance[next]) open.emplace(distance[next] = so_far + length, next);
    }
    for (int d : distance) std::cout << (d == std::numeric_limits<int>::max() ? -1 : d) << ' ';
    std::vector<int> index(nodes, -1), low(nodes), component(nodes, -1);
    std::vector<std::size_t> stack;
    int counter = 0, components = 0;
    std::function<void(std::size_t)> visit = [&](std::size_t node) {
        index[node] = low[node] = counter++;
        stack.push_back(node);
        for (auto [next, length] : edges[node]) {
            if (index[next] < 0) {
                visit(next);
                low[node] = std::min(low[node], low[next]);
            } else if (component[next] < 0) {
                low[node] = std::min(low[node], index[next]);
            }
        }
        if (low[node] == index[node]) {
            std::size_t member;
            do {
                member = stack.back();
                stack.pop_back();
                component[member] = components;
            } while (member != node);
            components++;
        }
    };
    for (std::size_t node = 0; node < nodes; node++)
        if (index[node] < 0) visit(node);
    std::cout << '\n' << components << '\n';
    return components;
}
