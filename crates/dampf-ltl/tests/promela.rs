//! Promela models with claims, accepting places and progress labels have the verdicts that SPIN 6.5.2 gave: each model
//! says in its first lines what a verifier made of `spin -o1 -o2 -o3 -a` with `-DNOREDUCE` found.

mod verdict;

use std::path::PathBuf;
use std::process::Command;
use verdict::{QUESTIONS, Question, Verifiers, is_violated};

/// The questions that a model answers, with the answers.
fn answers(path: &PathBuf) -> Vec<(Question, bool)> {
    let text = std::fs::read_to_string(path).expect("a model");
    let mut answers = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("// pan")) {
        let (options, answer) = line.split_once(": ").expect("an answer");
        let question = QUESTIONS.into_iter().find(|question| question.to_string() == format!("pan{options}"));
        let question = question.unwrap_or_else(|| panic!("{}: {line}", path.display()));
        assert!(["violated", "holds"].contains(&answer), "{}: {line}", path.display());
        answers.push((question, answer == "violated"));
    }
    answers
}

fn models() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/promela");
    let entries = std::fs::read_dir(folder).expect("the folder of models");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    models.sort();
    models
}

#[test]
fn verdicts_are_those_of_spin() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in models() {
        for (question, answer) in answers(&path) {
            compared += 1;
            let verdict = is_violated(&path, question);
            if verdict != Ok(answer) {
                wrong.push(format!("{}, {question}: {verdict:?}", path.display()));
            }
        }
    }
    println!("{compared} verdicts compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 60, "only {compared} verdicts were compared");
}

#[test]
fn models_quote_spin() {
    if Command::new("spin").arg("-V").output().is_err() || Command::new("gcc").arg("--version").output().is_err() {
        return println!("there is no spin, or no gcc: nothing is compared");
    }
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("models_quote_spin");
    let mut wrong = Vec::new();
    for path in models() {
        let verifiers = Verifiers::new(&path, &scratch).expect("SPIN makes verifiers");
        for (question, answer) in answers(&path) {
            let told = verifiers.ask(question);
            if told != Some(answer) {
                wrong.push(format!("{}, {question}: {told:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
