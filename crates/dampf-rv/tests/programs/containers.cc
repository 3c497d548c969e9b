// Containers of the standard library, alone and in a structure.
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <vector>

struct Shop {
    int open;
    std::map<int, int> stock[1 + 1];
};

std::list<int> numbers{1, 2};
std::map<int, long> prices{{1, 2}};
std::multimap<int, int> sales{{1, 2}};
std::unordered_map<int, long> totals{{1, 2}};
std::unordered_map<int, long double> wide{{1, 2}};
std::forward_list<char> chain{'a'};
std::queue<int> waiting;
std::vector<int> row{1};
Shop shop;

int main() {
    waiting.push(1);
    shop.stock[1][2] = 3;
}
