//! Which crate may use which: front ends know nothing of engines, engines nothing of front ends.
//!
//! The table below is the design; `cargo metadata` says what is. Tests may use more than the code they test:
//! the test kit, and the languages as a source of real models.

use super::Problem;
use serde_json::Value;

const PLACE: &str = "Cargo.toml";

/// What a crate of the workspace may use of the workspace.
enum May {
    Use(&'static [&'static str]),
    /// The command line, where everything meets.
    UseAllBut(&'static [&'static str]),
}

/// One row for each crate, in the order in which things build upon each other.
const ARROWS: &[(&str, May)] = &[
    ("dampf-core", May::Use(&[])),
    ("dampf-gcl", May::Use(&["dampf-core"])),
    ("dampf-dve", May::Use(&["dampf-core", "dampf-gcl"])),
    ("dampf-dmc", May::Use(&["dampf-core", "dampf-gcl"])),
    ("dampf-promela", May::Use(&["dampf-core", "dampf-gcl"])),
    ("dampf-rv", May::Use(&["dampf-core"])),
    ("dampf-object", May::Use(&["dampf-core", "dampf-rv"])),
    ("dampf-store", May::Use(&["dampf-core"])),
    ("dampf-search", May::Use(&["dampf-core", "dampf-store"])),
    ("dampf-ltl", May::Use(&["dampf-core", "dampf-store", "dampf-search"])),
    ("dampf-reduce", May::Use(&["dampf-core"])),
    ("dampf-net", May::Use(&[])),
    ("dampf-dist", May::Use(&["dampf-core", "dampf-store", "dampf-search", "dampf-net"])),
    ("dampf-cegar", May::Use(&["dampf-core", "dampf-gcl", "dampf-net"])),
    ("dampf-plan", May::Use(&["dampf-core", "dampf-store", "dampf-search"])),
    ("dampf-report", May::Use(&["dampf-core"])),
    ("dampf", May::UseAllBut(&["dampf-testkit", "xtask"])),
    ("dampf-testkit", May::Use(&["dampf-core", "dampf-gcl"])),
    // No crate of the checker: what is measured and compared is what users run.
    ("xtask", May::Use(&["dampf-testkit"])),
];

/// What the tests of every crate may use besides.
const IN_TESTS: &[&str] = &["dampf-testkit", "dampf-gcl", "dampf-dve", "dampf-dmc", "dampf-promela", "dampf-reduce"];

/// The crates of the workspace, in alphabetic order.
pub fn crate_names(metadata: &Value) -> Vec<String> {
    let mut names: Vec<String> =
        packages(metadata).filter_map(|package| package["name"].as_str()).map(str::to_owned).collect();
    names.sort();
    names
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

pub fn check(metadata: &Value) -> Vec<Problem> {
    let names = crate_names(metadata);
    let mut problems = Vec::new();
    for (name, _) in ARROWS {
        if !names.iter().any(|known| known == name) {
            problems
                .push(Problem::new(PLACE, format!("the table of arrows names `{name}`, and there is no such crate")));
        }
    }
    for package in packages(metadata) {
        let Some(name) = package["name"].as_str() else { continue };
        let Some((_, may)) = ARROWS.iter().find(|(row, _)| *row == name) else {
            let message = format!("`{name}` is not in the table of arrows: say in tidy/arrows.rs what it may use");
            problems.push(Problem::new(PLACE, message));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let Some(used) = dependency["name"].as_str().filter(|used| names.iter().any(|known| known == used)) else {
                continue;
            };
            let in_tests = dependency["kind"] == "dev";
            let allowed = may.use_crate(used) || (in_tests && IN_TESTS.contains(&used));
            if !allowed {
                problems.push(refusal(name, used, in_tests, may));
            }
        }
    }
    problems
}

impl May {
    fn use_crate(&self, name: &str) -> bool {
        match self {
            May::Use(allowed) => allowed.contains(&name),
            May::UseAllBut(refused) => !refused.contains(&name),
        }
    }
}

fn refusal(name: &str, used: &str, in_tests: bool, may: &May) -> Problem {
    let whose = if in_tests { "its tests" } else { "it" };
    let allowed = match may {
        May::Use([]) => "no other crate of the workspace".to_owned(),
        May::Use(allowed) => format!("only {}", allowed.join(", ")),
        May::UseAllBut(refused) => format!("all but {}", refused.join(", ")),
    };
    let besides = if in_tests { format!(" (and {})", IN_TESTS.join(", ")) } else { String::new() };
    Problem::new(
        format!("crates/{name}/Cargo.toml"),
        format!("{name} -> {used} is no arrow of the design: {whose} may use {allowed}{besides}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Metadata in which all crates are there and one of them has one dependency.
    fn with(name: &str, used: &str, kind: Value) -> Value {
        let mut packages: Vec<Value> = ARROWS.iter().map(|(row, _)| json!({"name": row, "dependencies": []})).collect();
        let package = packages.iter_mut().find(|package| package["name"] == name).expect("a row of the table");
        package["dependencies"] = json!([{"name": used, "kind": kind}]);
        json!({ "packages": packages })
    }

    fn messages(metadata: &Value) -> Vec<String> {
        check(metadata).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn an_engine_may_not_use_a_language() {
        assert_eq!(
            messages(&with("dampf-search", "dampf-dve", Value::Null)),
            ["crates/dampf-search/Cargo.toml: dampf-search -> dampf-dve is no arrow of the design: \
              it may use only dampf-core, dampf-store"]
        );
        assert!(messages(&with("dampf-search", "dampf-dve", json!("dev"))).is_empty());
    }

    #[test]
    fn build_scripts_and_tests_are_under_the_rule_too() {
        assert_eq!(messages(&with("dampf-core", "dampf-gcl", json!("build"))).len(), 1);
        assert_eq!(messages(&with("dampf-dve", "dampf-search", json!("dev"))).len(), 1);
        assert_eq!(messages(&with("xtask", "dampf", Value::Null)).len(), 1);
        assert_eq!(messages(&with("dampf", "dampf-testkit", Value::Null)).len(), 1);
    }

    #[test]
    fn arrows_of_the_design_and_other_peoples_crates_are_fine() {
        assert!(messages(&with("dampf", "dampf-report", Value::Null)).is_empty());
        assert!(messages(&with("dampf-core", "serde", Value::Null)).is_empty());
    }

    #[test]
    fn the_table_and_the_workspace_name_the_same_crates() {
        let mut metadata = with("dampf-core", "serde", Value::Null);
        metadata["packages"][0]["name"] = json!("dampf-kernel");
        assert_eq!(
            messages(&metadata),
            [
                "Cargo.toml: the table of arrows names `dampf-core`, and there is no such crate",
                "Cargo.toml: `dampf-kernel` is not in the table of arrows: say in tidy/arrows.rs what it may use",
            ]
        );
    }
}
