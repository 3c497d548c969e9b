// Numbers to text and back without locales.
#include <charconv>
#include <iostream>
#include <string_view>

int main() {
    char buffer[64];
    auto show = [&buffer](auto... arguments) {
        auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, arguments...);
        std::cout << std::string_view(buffer, static_cast<std::size_t>(end - buffer)) << ' ' << static_cast<int>(error) << '\n';
    };
    show(42);
    show(-255, 16);
    show(1.0 / 3);
    show(1e300);
    show(0.1f);
    show(1234.5678, std::chars_format::fixed, 2);
    show(1234.5678, std::chars_format::scientific);
    show(255.5, std::chars_format::hex);
    std::string_view text = "123abc";
    int number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::cout << number << ' ' << end - text.data() << ' ' << static_cast<int>(error) << '\n';
    double real = 0;
    std::string_view other = "2.5e-3";
    std::from_chars(other.data(), other.data() + other.size(), real);
    std::cout << real << '\n';
    char tiny[2];
    return std::to_chars(tiny, tiny + 2, 1000).ec == std::errc::value_too_large ? 12 : 13;
}
