//! Limits of time and memory hold for programs, whatever these do.

mod running;

use running::Playground;
use running::program::has_compiler;
use serde_json::Value;

/// Writes so many megabytes, every line another one.
const WRITE: &str = "#include <stdlib.h>\n\
                     static void write_much(void) {\n\
                     for (unsigned block = 0; block < 100; block++) {\n\
                     char *memory = malloc(10 << 20);\n\
                     for (unsigned at = 0; at < 10 << 20; at += 64) *(unsigned *)(memory + at) = at + block;\n\
                     }\n\
                     }\n";

#[test]
fn what_one_step_writes_counts_as_memory() {
    const LIMIT: u64 = 160 << 20;
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let playground = Playground::new();
    let in_main = "int main(void) { write_much(); return 0; }\n";
    let before_main = "__attribute__((constructor)) static void begin(void) { write_much(); }\n\
                       int main(void) { return 0; }\n";
    for (name, rest) in [("main.c", in_main), ("constructor.c", before_main)] {
        playground.write(name, format!("{WRITE}{rest}").as_bytes());
        let finished = playground.dampf(&["check", name, "--max-memory", "160M", "--max-time", "120", "--json", "-"]);
        assert_eq!(finished.status, 3, "{name}: {finished:?}");
        let summary: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(summary["reason"], "the memory limit of 160 MiB was reached", "{name}");
        let peak = summary["peak_rss_bytes"].as_u64().unwrap();
        assert!(peak < 2 * LIMIT, "{name}: {} MiB", peak >> 20);
    }
}
