// Error codes and categories.
#include <cerrno>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

class Own : public std::error_category {
public:
    const char *name() const noexcept override { return "own"; }
    std::string message(int code) const override { return "own error " + std::to_string(code); }
};

int main() {
    static Own own;
    std::error_code code(3, own), generic = std::make_error_code(std::errc::no_such_file_or_directory);
    std::cout << code.message() << ' ' << code.category().name() << ' ' << generic.message() << ' ' << (generic == std::errc::no_such_file_or_directory) << '\n';
    try {
        throw std::system_error(EACCES, std::generic_category(), "opening");
    } catch (const std::system_error &error) {
        std::cout << error.what() << ' ' << error.code().value() << '\n';
    }
    try {
        std::string("short").at(10);
    } catch (const std::out_of_range &error) {
        std::cout << error.what() << '\n';
    }
    try {
        std::stoi("none");
    } catch (const std::invalid_argument &error) {
        std::cout << error.what() << '\n';
    }
    return EACCES;
}
