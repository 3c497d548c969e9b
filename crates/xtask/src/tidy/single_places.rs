//! Things that are done in one place: a state is judged by one function, and one place knows which languages there are.

use super::Problem;

/// Judging a state: this call, in the one function that every engine shares.
const JUDGING: &str = concat!(".rem", "arks(");

/// Where states are judged.
const JUDGE: &str = "crates/dampf-search/src/expand.rs";

/// The crates of languages, as code names them.
const FRONT_ENDS: &[&str] = &["dampf_promela", "dampf_dve", "dampf_dmc", "dampf_object", "dampf_gcl", "dampf_rv"];

/// The command line, which knows languages through a trait.
const COMMAND_LINE: &str = "crates/dampf/src/";

/// The one door for languages.
const REGISTRY: &[&str] = &["crates/dampf/src/front_ends.rs", "crates/dampf/src/front_ends/"];

/// Checks one file.
pub fn check(place: &str, text: &str) -> Vec<Problem> {
    let is_code = place.starts_with("crates/") && place.contains("/src/") && place.ends_with(".rs");
    if !is_code {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let knows_languages = !place.starts_with(COMMAND_LINE) || REGISTRY.iter().any(|part| place.starts_with(part));
    let mut judgements = 0;
    for (index, line) in code(text) {
        let place = || format!("{place}:{}", index + 1);
        if line.contains(JUDGING) {
            judgements += 1;
            if judgements > 1 || !place().starts_with(JUDGE) {
                let message = format!("`{JUDGING}`: a state is judged once, in {JUDGE}: call that");
                problems.push(Problem::new(place(), message));
            }
        }
        if let Some(named) = FRONT_ENDS.iter().find(|name| line.contains(*name)).filter(|_| !knows_languages) {
            let message = format!("`{named}`: only front_ends.rs and front_ends/ name a language: ask its `FrontEnd`");
            problems.push(Problem::new(place(), message));
        }
    }
    problems
}

/// The lines of a file that are neither comments nor tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(place: &str, text: &str) -> Vec<String> {
        check(place, text).iter().map(Problem::to_string).collect()
    }

    fn judging(times: usize) -> String {
        format!("    for one in steps{JUDGING}true) {{}}\n").repeat(times)
    }

    #[test]
    fn a_state_is_judged_once() {
        assert!(messages(JUDGE, &judging(1)).is_empty());
        let complaint = format!("`{JUDGING}`: a state is judged once, in {JUDGE}: call that");
        assert_eq!(messages(JUDGE, &judging(2)), [format!("{JUDGE}:2: {complaint}")]);
        assert_eq!(
            messages("crates/dampf/src/check.rs", &judging(1)),
            [format!("crates/dampf/src/check.rs:1: {complaint}")]
        );
    }

    #[test]
    fn tests_and_comments_may_speak_of_judging() {
        assert!(messages("crates/dampf-search/tests/matrix.rs", &judging(3)).is_empty());
        assert!(messages("crates/a/src/a.rs", &format!("//! A.\n#[cfg(test)]\n{}", judging(1))).is_empty());
        assert!(messages("crates/a/src/a.rs", &format!("//! See {JUDGING}.\n")).is_empty());
    }

    #[test]
    fn the_command_line_names_languages_in_one_place() {
        let text = "//! A room that dampf_gcl is not for.\nuse dampf_gcl::GclModel;\n";
        assert_eq!(
            messages("crates/dampf/src/check.rs", text),
            ["crates/dampf/src/check.rs:2: `dampf_gcl`: only front_ends.rs and front_ends/ name a language: \
              ask its `FrontEnd`"]
        );
        for place in ["crates/dampf/src/front_ends.rs", "crates/dampf/src/front_ends/guarded.rs"] {
            assert!(messages(place, text).is_empty());
        }
        assert!(messages("crates/dampf/tests/programs.rs", text).is_empty());
        assert!(messages("crates/dampf-dve/src/lower.rs", text).is_empty());
    }
}
