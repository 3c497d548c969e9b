// std::string: everything it can do.
#include <iostream>
#include <string>
#include <string_view>

int main() {
    std::string text = "a short one", longer(40, '.');
    longer.replace(10, 5, "replaced").insert(3, text, 2, 5).append(3, '!').erase(0, 2);
    std::cout << longer << '\n' << longer.find("repl") << ' ' << longer.rfind('.') << ' ' << longer.find_first_not_of('.') << '\n';
    text += " that grows";
    text.push_back('!');
    std::cout << text.substr(2, 5) << '|' << text.compare("b") << '|' << (text < longer) << '|' << text.c_str() << '\n';
    std::string_view view = text;
    view.remove_prefix(8);
    std::cout << view << ' ' << view.substr(0, 3).size() << ' ' << (view.find("grows") != view.npos) << '\n';
    std::string numbers;
    for (int i = -3; i < 12; i += 3) numbers += std::to_string(i) + ',';
    std::cout << numbers << std::stoi("77x") + std::stol("-5") << ' ' << std::stod("2.5e1") << ' ' << std::to_string(1.5) << '\n';
    std::string moved = std::move(text);
    text = "again";
    swap(moved, text);
    std::cout << moved << ' ' << text.size() << ' ' << std::wstring(L"wide").size() << ' ' << std::u32string(U"32").size() << '\n';
    return static_cast<int>(numbers.size());
}
