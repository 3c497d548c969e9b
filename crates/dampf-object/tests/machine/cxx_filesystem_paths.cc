// Paths as text; no file is touched.
#include <filesystem>
#include <iostream>

int main() {
    namespace fs = std::filesystem;
    int parts = 0;
    for (const char *text : {"/usr/lib/../share/./doc/file.tar.gz", "relative/path", "", "/", "name.", ".hidden"}) {
        fs::path path(text);
        std::cout << path.filename() << ' ' << path.stem() << ' ' << path.extension() << ' ' << path.parent_path() << ' ' << path.lexically_normal() << ' ' << path.is_absolute() << '\n';
        for (const auto &part : path) {
            (void)part;
            parts++;
        }
    }
    fs::path built = fs::path("a") / "b" / "c.txt";
    built.replace_extension(".md");
    std::cout << built << ' ' << fs::path("/a/b/c").lexically_relative("/a/d") << ' ' << (fs::path("a") < fs::path("b")) << '\n';
    return parts;
}
