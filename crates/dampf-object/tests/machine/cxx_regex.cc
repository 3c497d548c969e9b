// Regular expressions of the C++ library.
#include <iostream>
#include <iterator>
#include <regex>
#include <string>

int main() {
    std::string text = "alice@example.org, bob@test.net; nobody@, carol@a.b.com";
    std::regex address(R"((\w+)@(\w+(?:\.\w+)+))");
    int found = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), address), end; at != end; ++at, ++found)
        std::cout << (*at)[1] << " at " << (*at)[2] << " from " << at->position() << '\n';
    std::cout << std::regex_replace(text, address, "<$2:$1>") << '\n';
    std::regex separator("[,;] *");
    std::copy(std::sregex_token_iterator(text.begin(), text.end(), separator, -1), std::sregex_token_iterator(), std::ostream_iterator<std::string>(std::cout, "|"));
    std::cout << '\n' << std::regex_match("aaab", std::regex("a*b")) << std::regex_match("AB", std::regex("ab", std::regex::icase)) << '\n';
    try {
        std::regex broken("(");
    } catch (const std::regex_error &error) {
        std::cout << (error.code() == std::regex_constants::error_paren) << '\n';
    }
    return found;
}
