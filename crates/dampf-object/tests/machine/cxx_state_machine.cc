// Enumerations, switches and tables.
#include <array>
#include <iostream>
#include <string_view>

enum class State : unsigned char { start, sign, integer, point, fraction, exponent, exponent_sign, power, error };

static State step(State state, char c) {
    const bool digit = c >= '0' && c <= '9';
    switch (state) {
    case State::start: return digit ? State::integer : c == '-' || c == '+' ? State::sign : c == '.' ? State::point : State::error;
    case State::sign: return digit ? State::integer : c == '.' ? State::point : State::error;
    case State::integer: return digit ? State::integer : c == '.' ? State::fraction : c == 'e' ? State::exponent : State::error;
    case State::point: return digit ? State::fraction : State::error;
    case State::fraction: return digit ? State::fraction : c == 'e' ? State::exponent : State::error;
    case State::exponent: return digit ? State::power : c == '-' || c == '+' ? State::exponent_sign : State::error;
    case State::exponent_sign: return digit ? State::power : State::error;
    case State::power: return digit ? State::power : State::error;
    case State::error: return State::error;
    }
    return State::error;
}

int main() {
    constexpr std::array accepting{State::integer, State::fraction, State::power};
    int accepted = 0;
    for (std::string_view text : {"1", "-12.5", ".5", "1e10", "1.e-3", "", "-", "1e", "abc", "1.2.3", "+7.25e+08"}) {
        State state = State::start;
        for (char c : text) state = step(state, c);
        bool good = false;
        for (State final_state : accepting) good |= state == final_state;
        std::cout << text << ' ' << static_cast<int>(state) << ' ' << good << '\n';
        accepted += good;
    }
    return accepted;
}
