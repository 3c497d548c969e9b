// Dynamic programming: knapsack, edit distance, longest increasing subsequence.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

static int edit_distance(const std::string &from, const std::string &to) {
    std::vector<int> row(to.size() + 1);
    for (std::size_t j = 0; j <= to.size(); j++) row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= from.size(); i++) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= to.size(); j++) {
            int above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (from[i - 1] != to[j - 1])});
            diagonal = above;
        }
    }
    return row.back();
}

int main() {
    std::vector<int> weights{12, 7, 11, 8, 9, 6, 5}, values{24, 13, 23, 15, 16, 11, 9}, best(41);
    for (std::size_t i = 0; i < weights.size(); i++)
        for (int w = 40; w >= weights[i]; w--) best[static_cast<std::size_t>(w)] = std::max(best[static_cast<std::size_t>(w)], best[static_cast<std::size_t>(w - weights[i])] + values[i]);
    std::cout << best[40] << ' ' << edit_distance("kitten", "sitting") << ' ' << edit_distance("model checking", "checked models") << '\n';
    std::vector<int> tails;
    unsigned state = 3;
    for (int i = 0; i < 200; i++) {
        state = state * 1103515245 + 12345;
        int number = static_cast<int>(state >> 16) % 1000;
        auto at = std::lower_bound(tails.begin(), tails.end(), number);
        if (at == tails.end()) tails.push_back(number);
        else *at = number;
    }
    std::cout << tails.size() << '\n';
    return best[40];
}
