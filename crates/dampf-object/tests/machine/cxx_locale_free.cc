// The classic locale: facets that do not depend on where one is.
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>

struct Grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return '\''; }
    std::string do_grouping() const override { return "\3"; }
    char do_decimal_point() const override { return ','; }
};

int main() {
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new Grouped));
    out << 1234567890 << ' ' << std::fixed << std::setprecision(2) << 9876543.21;
    std::cout << out.str() << '\n';
    const std::locale &classic = std::locale::classic();
    std::cout << classic.name() << ' ' << std::toupper('x', classic) << std::isdigit('7', classic) << '\n';
    auto &collate = std::use_facet<std::collate<char>>(classic);
    const char left[] = "abc", right[] = "abd";
    std::cout << collate.compare(left, left + 3, right, right + 3) << '\n';
    std::istringstream in("1,5");
    in.imbue(std::locale(std::locale::classic(), new Grouped));
    double number;
    in >> number;
    return static_cast<int>(number * 10);
}
