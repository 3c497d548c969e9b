// An interpreter of expressions, with virtual functions and visitors.
#include <iostream>
#include <map>
#include <memory>
#include <string>

struct Expression {
    virtual ~Expression() = default;
    virtual long value(const std::map<std::string, long> &variables) const = 0;
    virtual std::string text() const = 0;
};
using Pointer = std::unique_ptr<Expression>;

struct Number : Expression {
    long number;
    explicit Number(long number) : number(number) {}
    long value(const std::map<std::string, long> &) const override { return number; }
    std::string text() const override { return std::to_string(number); }
};
struct Variable : Expression {
    std::string name;
    explicit Variable(std::string name) : name(std::move(name)) {}
    long value(const std::map<std::string, long> &variables) const override { return variables.at(name); }
    std::string text() const override { return name; }
};
struct Binary : Expression {
    char symbol;
    Pointer left, right;
    Binary(char symbol, Pointer left, Pointer right) : symbol(symbol), left(std::move(left)), right(std::move(right)) {}
    long value(const std::map<std::string, long> &variables) const override {
        long a = left->value(variables), b = right->value(variables);
        return symbol == '+' ? a + b : symbol == '-' ? a - b : a * b;
    }
    std::string text() const override { return '(' + left->text() + symbol + right->text() + ')'; }
};

class Parser {
public:
    explicit Parser(const char *at) : at(at) {}
    Pointer sum() {
        Pointer left = product();
        while (*at == '+' || *at == '-') {
            char symbol = *at++;
            left = std::make_unique<Binary>(symbol, std::move(left), product());
        }
        return left;
    }

private:
    Pointer product() {
        Pointer left = factor();
        while (*at == '*') {
            at++;
            left = std::make_unique<Binary>('*', std::move(left), factor());
        }
        return left;
    }
    Pointer factor() {
        if (*at == '(') {
            at++;
            Pointer inner = sum();
            at++;
            return inner;
        }
        if (*at >= 'a') return std::make_unique<Variable>(std::string(1, *at++));
        long number = 0;
        while (*at >= '0' && *at <= '9') number = number * 10 + (*at++ - '0');
        return std::make_unique<Number>(number);
    }
    const char *at;
};

int main() {
    long last = 0;
    for (const char *text : {"1+2*3", "(x-4)*(y+10)-2", "a*b*(c+1)"}) {
        Pointer expression = Parser(text).sum();
        try {
            last = expression->value({{"x", 7}, {"y", 5}, {"a", 2}, {"b", 3}});
            std::cout << expression->text() << " = " << last << '\n';
        } catch (const std::out_of_range &) {
            std::cout << expression->text() << " has an unknown variable\n";
        }
    }
    return static_cast<int>(last);
}
