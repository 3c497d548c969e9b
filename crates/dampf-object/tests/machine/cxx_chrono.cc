// flags: -std=c++20
// Arithmetic of durations and dates, without a clock.
#include <chrono>
#include <iostream>

int main() {
    using namespace std::chrono;
    using namespace std::chrono_literals;
    auto duration = 2h + 45min + 30s + 250ms;
    std::cout << duration_cast<seconds>(duration).count() << ' ' << duration / 1ms << ' ' << duration_cast<hours>(duration).count() << '\n';
    hh_mm_ss parts(duration);
    std::cout << parts.hours().count() << ':' << parts.minutes().count() << ':' << parts.seconds().count() << '.' << parts.subseconds().count() << '\n';
    sys_days day = 2024y / February / 28;
    int leap = 0;
    for (int i = 0; i < 5; i++, day += days(1)) {
        year_month_day date(day);
        std::cout << int(date.year()) << '-' << unsigned(date.month()) << '-' << unsigned(date.day()) << ' ' << weekday(day).c_encoding() << '\n';
    }
    for (int year = 1896; year < 2104; year++) leap += std::chrono::year(year).is_leap();
    auto last = year_month_day(2023y / February / std::chrono::last);
    std::cout << leap << ' ' << unsigned(last.day()) << ' ' << (sys_days(2000y / 1 / 1) - sys_days(1970y / 1 / 1)).count() << '\n';
    std::cout << ceil<minutes>(61s).count() << floor<minutes>(119s).count() << round<minutes>(90s).count() << '\n';
    return leap;
}
