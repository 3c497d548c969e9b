// std::variant, std::optional and std::any.
#include <any>
#include <iostream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

static std::optional<int> parse(const std::string &text) {
    if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
    return std::stoi(text);
}

int main() {
    std::vector<std::variant<int, double, std::string>> values{1, 2.5, "three", 4};
    int sum = 0;
    for (const auto &value : values) {
        std::visit(Overloaded{[&](int number) { sum += number; }, [](double real) { std::cout << real << ' '; },
                              [](const std::string &text) { std::cout << text << ' '; }},
                   value);
        std::cout << value.index() << ' ' << std::holds_alternative<int>(value) << '\n';
    }
    try {
        std::get<int>(values[1]);
    } catch (const std::bad_variant_access &error) {
        std::cout << error.what() << '\n';
    }
    for (const char *text : {"12", "x", "", "340"}) std::cout << parse(text).value_or(-1) << ' ';
    std::any anything = 5;
    anything = std::string("any");
    std::cout << std::any_cast<std::string>(anything) << ' ' << (std::any_cast<int>(&anything) == nullptr) << '\n';
    try {
        std::any_cast<double>(anything);
    } catch (const std::bad_any_cast &error) {
        std::cout << error.what() << '\n';
    }
    return sum + *parse("12");
}
