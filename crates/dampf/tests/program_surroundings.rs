//! What a program is given to read: it travels with trails, checkpoints and ranks.

mod running;

use running::Playground;
use running::program::has_compiler;
use serde_json::Value;

const SUM: &str = "#include <assert.h>\n\
                   #include <fcntl.h>\n\
                   #include <pthread.h>\n\
                   #include <stdio.h>\n\
                   #include <stdlib.h>\n\
                   #include <unistd.h>\n\
                   static int numbers[2];\n\
                   static void *read_number(void *number) {\n\
                   char text[16] = \"\";\n\
                   int file = open(\"numbers.txt\", O_RDONLY);\n\
                   if (read(file, text, 15) > 0) *(int *)number = atoi(text);\n\
                   close(file);\n\
                   return NULL;\n\
                   }\n\
                   int main(void) {\n\
                   pthread_t threads[2];\n\
                   for (int at = 0; at < 2; ++at) pthread_create(&threads[at], NULL, read_number, &numbers[at]);\n\
                   for (int at = 0; at < 2; ++at) pthread_join(threads[at], NULL);\n\
                   int limit;\n\
                   assert(scanf(\"%d\", &limit) == 1);\n\
                   assert(numbers[0] + numbers[1] < limit);\n\
                   return 0;\n\
                   }\n";

fn workshop() -> Option<Playground> {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return None;
    }
    let playground = Playground::new();
    playground.write("sum.c", SUM.as_bytes());
    playground.write("numbers.txt", b"20 21 22\n");
    playground.write("limit.txt", b"41\n");
    Some(playground)
}

const GIVEN: [&str; 6] = ["check", "sum.c", "--file", "numbers.txt", "--stdin", "limit.txt"];

#[test]
fn a_trail_is_replayed_with_the_same_files_or_not_at_all() {
    let Some(playground) = workshop() else { return };
    let verified = playground.dampf(&GIVEN);
    assert_eq!(verified.status, 0, "{verified:?}");
    playground.write("limit.txt", b"40\n");
    let violated = playground.dampf(&[&GIVEN[..], &["--trail", "trail.json"]].concat());
    assert_eq!(violated.status, 1, "{violated:?}");
    let replayed = playground.dampf(&["replay", "trail.json"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    assert!(replayed.stdout.contains("assertion"), "{replayed:?}");
    playground.write("numbers.txt", b"19\n");
    playground.refused(&["replay", "trail.json"], "`sum.c`, or a file that it reads, has changed");
}

#[test]
fn ranks_and_checkpoints_have_the_same_files() {
    let Some(playground) = workshop() else { return };
    let states = |options: &[&str]| {
        let finished = playground.dampf(&[options, &["--json", "-"]].concat());
        let summary: Value =
            serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
        (summary["verdict"].clone(), summary["states"].clone())
    };
    let alone = states(&GIVEN);
    assert_eq!(alone.0, "verified");
    assert_eq!(states(&[&GIVEN[..], &["--ranks", "3"]].concat()), alone);
    let limited =
        [&GIVEN[..], &["--store", "disk", "--disk", "kept", "--checkpoint-every", "0", "--max-states", "5"]].concat();
    assert_eq!(states(&limited).0, "unknown");
    assert_eq!(states(&["resume", "kept"]), alone);
}

#[test]
fn what_is_not_given_is_told() {
    let Some(playground) = workshop() else { return };
    playground.refused(&["check", "sum.c", "--stdin", "absent.txt"], "cannot read `absent.txt`");
    playground.refused(&["check", "sum.c", "--env", "NAME"], "expected a variable and its value");
    playground.refused(&["check", "sum.c", "--cpus", "0"], "1..=64");
    let unknown = playground.dampf(&["check", "sum.c", "--file", "numbers.txt"]);
    assert_eq!(unknown.status, 3, "{unknown:?}");
    assert!(unknown.stdout.contains("reading standard input without --stdin"), "{unknown:?}");
}
