// Text in columns.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
    const std::string text = "A model checker explores every run of a program, in contrast to a test, which "
                             "explores one. When a run goes wrong, the checker shows it step by step.";
    std::istringstream words(text);
    std::vector<std::string> lines(1);
    for (std::string word; words >> word;) {
        if (lines.back().size() + word.size() + 1 > 28) lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
    }
    std::size_t widest = 0;
    for (const auto &line : lines) widest = std::max(widest, line.size());
    for (const auto &line : lines) {
        std::size_t left = (widest - line.size()) / 2;
        std::cout << '|' << std::setw(static_cast<int>(left)) << "" << line << std::setw(static_cast<int>(widest - line.size() - left)) << "" << "|\n";
    }
    return static_cast<int>(lines.size() * 10 + widest);
}
