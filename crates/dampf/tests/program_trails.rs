//! What a trail of a program looks like, word for word, and that breadth-first search finds the shortest.
//!
//! The golden trails stand in `tests/trails`; `cargo xtask bless` rewrites them.

mod running;

use expect_test::expect_file;
use running::program::{folder, has_compiler};
use running::{Finished, dampf_in};

fn check(program: &str, arguments: &[&str]) -> Option<Finished> {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return None;
    }
    let (place, file) = program.rsplit_once('/').expect("a folder and a file");
    let mut all = vec!["check".to_owned(), file.to_owned()];
    all.extend(arguments.iter().map(|&argument| argument.to_owned()));
    Some(dampf_in(&folder(place), &all))
}

/// The text of a result without what differs from run to run and from place to place: the figures of the search, and
/// where our own headers are.
fn story(finished: &Finished) -> String {
    let end = finished.stdout.find("\nsearch\n").unwrap_or(finished.stdout.len());
    let mut story = finished.stdout[..end].to_owned();
    while let Some(at) = story.find("/dampf/runtime-") {
        let start = story[..at].rfind(' ').map_or(0, |blank| blank + 1);
        let end = story[at..].find("/include/").map_or(story.len(), |length| at + length + "/include/".len());
        story.replace_range(start..end, "RUNTIME/");
    }
    story
}

/// The number of steps of the run that was found.
fn steps(finished: &Finished) -> usize {
    let line = finished.stdout.lines().find(|line| line.ends_with(" steps") || *line == "1 step").expect("a run");
    line.split(' ').next().and_then(|count| count.parse().ok()).expect("a number of steps")
}

macro_rules! golden {
    ($($name:ident: $program:literal $($argument:literal)*;)*) => {
        $(
            #[test]
            fn $name() {
                if let Some(finished) = check($program, &[$($argument),*]) {
                    assert_eq!(finished.status, 1, "{finished:?}");
                    expect_file![concat!("trails/", stringify!($name), ".txt")].assert_eq(&story(&finished));
                }
            }
        )*
    };
}

golden! {
    two_philosophers: "models/cpp/philosophers.cc" "-DN=2";
    a_global_counter: "models/cpp/glob.cc";
    a_null_pointer: "models/cpp/null_pointer.c";
    outside_of_an_array: "models/cpp/outside_array.c";
    a_snack_vendor: "models/cpp/snack_vendor.cc";
    a_lost_wake_up: "crates/dampf-object/tests/programs/condition_if_instead_of_while.c";
    locks_in_opposite_order: "crates/dampf-object/tests/programs/mutex_order.c" "-DBUG";
    a_data_race: "crates/dampf-object/tests/programs/race_read_write.c";
    use_after_free: "crates/dampf-object/tests/programs/use_after_free_order.c" "-DBUG";
    freed_by_its_owner: "crates/dampf-object/tests/programs/use_after_free_unique.cc";
    nodes_of_a_queue: "crates/dampf-object/tests/programs/cxx_queue_reclaimed.cc" "-DBUG";
    twice_freed: "crates/dampf-object/tests/programs/double_free_threads.c" "-DBUG";
    a_stack_that_is_used_up: "crates/dampf-object/tests/programs/stack_overflow.c";
    variables_on_a_stack: "crates/dampf-object/tests/programs/stack_variables_named.cc";
    a_thread_local_variable: "crates/dampf-object/tests/programs/race_thread_local.c";
    blocks_of_containers: "crates/dampf-object/tests/programs/cxx_container_stale.cc";
    a_foreign_unlock: "crates/dampf-object/tests/programs/mutex_unlock_foreign.c";
    fields_of_a_ring: "crates/dampf-object/tests/programs/ring_published_early.c" "-DBUG";
    a_ring_that_is_overrun: "crates/dampf-object/tests/programs/cxx_ring_overrun.cc" "-DBUG";
    elements_of_containers: "crates/dampf-object/tests/programs/cxx_elements_named.cc" "-DBUG";
    elements_of_a_map: "crates/dampf-object/tests/programs/cxx_map_lost_update.cc" "-DBUG";
    links_of_a_list: "crates/dampf-object/tests/programs/cxx_list_race.cc" "-DBUG";
    values_of_several_types: "crates/dampf-object/tests/programs/told_values.cc" "-DBUG";
}

#[test]
fn calls_of_libraries_are_shown_on_request() {
    let program = "crates/dampf-object/tests/programs/told_values.cc";
    let (Some(folded), Some(unfolded)) = (check(program, &["-DBUG"]), check(program, &["-DBUG", "--full-trail"]))
    else {
        return;
    };
    assert_eq!((folded.status, unfolded.status), (1, 1));
    let in_library = |finished: &Finished| finished.stdout.lines().any(|line| line.trim().starts_with("in std::"));
    assert!(!in_library(&folded) && !folded.stdout.contains("/usr/"), "{}", folded.stdout);
    assert!(in_library(&unfolded), "{}", unfolded.stdout);
}

#[test]
fn what_the_library_says_before_it_aborts_is_told_and_not_how_it_reads_that() {
    let program = "crates/dampf-object/tests/programs/cxx_deque_taken_twice.cc";
    let Some(finished) = check(program, &["-DBUG", "-D_GLIBCXX_ASSERTIONS"]) else { return };
    assert_eq!(finished.status, 1, "{finished:?}");
    let step = finished.stdout.lines().find(|line| line.contains("// prints …"));
    assert!(step.is_some_and(|step| step.ends_with("Assertion '!this->empty()' failed.\"")), "{}", finished.stdout);
    assert!(!finished.stdout.contains("__PRETTY_FUNCTION__"), "{}", finished.stdout);
}

#[test]
fn breadth_first_search_finds_a_shortest_run() {
    for program in ["models/cpp/philosophers.cc", "models/cpp/glob.cc", "models/cpp/snack_vendor.cc"] {
        let (Some(shortest), Some(deep)) = (check(program, &[]), check(program, &["--search", "dfs"])) else { return };
        assert_eq!((shortest.status, deep.status), (1, 1), "{program}");
        assert!(steps(&shortest) <= steps(&deep), "{program}");
    }
}

#[test]
fn finer_steps_come_to_the_same_verdicts() {
    for (program, status) in [("mutex_counter.c", 0), ("race_read_write.c", 1), ("mutex_order.c", 0)] {
        for granularity in ["visible", "line", "instruction"] {
            let place = format!("crates/dampf-object/tests/programs/{program}");
            let Some(finished) = check(&place, &["--step", granularity, "--max-states", "500000"]) else { return };
            // Whole lines leave runs out, and the finest steps may be too many: neither may come to another verdict.
            let agrees = finished.status == status || finished.status == 3;
            assert!(agrees, "{program} {granularity}: {finished:?}");
        }
    }
}
