//! The architecture page names every crate, and no crate that is long gone.

use super::Problem;

pub const PAGE: &str = "ARCHITECTURE.md";

pub fn check(page: &str, crates: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for name in crates {
        if !words(page).any(|word| word == name) {
            problems.push(Problem::new(PAGE, format!("the crate `{name}` is not named: say what lives there")));
        }
    }
    for (index, line) in page.lines().enumerate() {
        for word in words(line).filter(|word| word.len() > "dampf-".len() && word.starts_with("dampf-")) {
            if !crates.iter().any(|name| name == word) {
                problems.push(Problem::new(format!("{PAGE}:{}", index + 1), format!("there is no crate `{word}`")));
            }
        }
    }
    problems
}

/// The words of a text, where a name with hyphens is one word: `dampf-*` does not name the crate `dampf`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    text.split(move |letter| !inside(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(page: &str, crates: &[&str]) -> Vec<String> {
        let crates: Vec<String> = crates.iter().map(|&name| name.to_owned()).collect();
        check(page, &crates).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn every_crate_is_named_and_every_name_is_a_crate() {
        let page = "# Rooms\n`dampf-core` comes first, then dampf-net; all `dampf-*` crates.\n";
        assert_eq!(
            messages(page, &["dampf", "dampf-core"]),
            [
                "ARCHITECTURE.md: the crate `dampf` is not named: say what lives there",
                "ARCHITECTURE.md:2: there is no crate `dampf-net`",
            ]
        );
    }

    #[test]
    fn paths_and_tables_name_crates_too() {
        assert!(messages("| `dampf-core` | crates/dampf/src |", &["dampf", "dampf-core"]).is_empty());
    }
}
