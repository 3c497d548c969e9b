// A parser and printer of JSON.
#include <cctype>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

struct Json;
using Array = std::vector<Json>;
using Object = std::map<std::string, Json>;
struct Json {
    std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value;
};

class Parser {
public:
    explicit Parser(const std::string &text) : text(text) {}
    Json parse() {
        skip();
        char c = peek();
        if (c == '{') return object();
        if (c == '[') return array();
        if (c == '"') return {string()};
        if (c == 't' || c == 'f') return {word(c == 't' ? "true" : "false") && c == 't'};
        if (c == 'n') {
            word("null");
            return {nullptr};
        }
        std::size_t used = 0;
        double number = std::stod(text.substr(at), &used);
        at += used;
        return {number};
    }

private:
    char peek() const {
        if (at >= text.size()) throw std::runtime_error("unexpected end at " + std::to_string(at));
        return text[at];
    }
    void skip() {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) at++;
    }
    void expect(char c) {
        skip();
        if (peek() != c) throw std::runtime_error(std::string("expected ") + c + " at " + std::to_string(at));
        at++;
    }
    bool word(const std::string &expected) {
        if (text.compare(at, expected.size(), expected) != 0) throw std::runtime_error("unknown word at " + std::to_string(at));
        at += expected.size();
        return true;
    }
    std::string string() {
        std::string result;
        expect('"');
        while (peek() != '"') {
            if (text[at] == '\\') at++;
            result += text[at++];
        }
        at++;
        return result;
    }
    Json array() {
        Array elements;
        expect('[');
        skip();
        while (peek() != ']') {
            elements.push_back(parse());
            skip();
            if (peek() == ',') at++;
        }
        at++;
        return {elements};
    }
    Json object() {
        Object members;
        expect('{');
        skip();
        while (peek() != '}') {
            skip();
            std::string key = string();
            expect(':');
            members.emplace(key, parse());
            skip();
            if (peek() == ',') at++;
        }
        at++;
        return {members};
    }
    const std::string &text;
    std::size_t at = 0;
};

static void print(const Json &json) {
    if (auto *flag = std::get_if<bool>(&json.value)) std::cout << (*flag ? "true" : "false");
    else if (auto *number = std::get_if<double>(&json.value)) std::cout << *number;
    else if (auto *text = std::get_if<std::string>(&json.value)) std::cout << '"' << *text << '"';
    else if (auto *array = std::get_if<Array>(&json.value)) {
        std::cout << '[';
        for (const Json &element : *array) print(element), std::cout << ',';
        std::cout << ']';
    } else if (auto *object = std::get_if<Object>(&json.value)) {
        std::cout << '{';
        for (const auto &[key, member] : *object) {
            std::cout << key << ':';
            print(member);
            std::cout << ' ';
        }
        std::cout << '}';
    } else std::cout << "null";
}

int main() {
    int errors = 0;
    for (const std::string text : {R"({"name": "dampf", "list": [1, 2.5, -3e2, true, null], "inner": {"a\"b": []}})", "[1, 2", "nul", "\"text\""}) {
        try {
            print(Parser(text).parse());
        } catch (const std::exception &error) {
            std::cout << error.what();
            errors++;
        }
        std::cout << '\n';
    }
    return errors;
}
