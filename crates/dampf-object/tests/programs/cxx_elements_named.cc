// expect: verified
// expect: assertion flags: -DBUG
// Two threads change elements of several containers under a lock, the one by hundreds and the other by thousands; with
// BUG, what they come to depends on who is first. What an element holds tells which it is.
#include <cassert>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Item {
    int weight;
    std::string label;
};

static std::mutex mutex;
static std::map<std::string, int> prices{{"apple", 10}, {"pear", 20}, {"plum", 30}};
static std::map<int, Item> stock{{3, {40, "three"}}, {4, {50, "four"}}};
static std::multimap<int, int> sales{{1, 60}, {1, 70}};
static std::set<int> ids{5, 6, 7};
static std::unordered_map<int, long> totals{{8, 80}, {9, 90}};
static std::list<Item> items{{11, "first"}, {12, "second"}, {13, "third"}};
static std::forward_list<int> chain{14, 15};
static std::deque<Item> jobs{{16, "early"}, {17, "late"}};
static std::vector<std::list<int>> rows{{18, 19}, {21, 22}};
static std::vector<std::string> names{"a", "a name that is too long to be kept in the string itself"};

static int last;

static void change(int by) {
    std::lock_guard<std::mutex> lock(mutex);
    prices["pear"] += by;
    stock[4].weight += by;
    stock[3].label[0] += 1;
    sales.rbegin()->second += by;
    last += *ids.find(6);
    totals[9] += by;
    items.back().weight += by;
    *std::next(chain.begin()) += by;
    jobs[1].weight += by;
    rows[1].back() += by;
    names[1][2] = 'N';
    last = by;
}

int main() {
    std::thread one(change, 100), other(change, 1000);
    one.join();
    other.join();
    assert(prices["pear"] == 1120 && stock[4].weight == 1150 && totals[9] == 1190 && jobs[1].weight == 1117);
#ifdef BUG
    assert(last == 1000); // fault: assertion
#endif
}
