//! Models whose syntax is right and that mean nothing: what people are told, where SPIN refuses the model as well.

use dampf_core::{FaultKind, Source};
use dampf_promela::{Asked, Promela};
use std::path::Path;

/// What is wrong with a model, and with what is asked about it.
fn problems(text: &str, asked: &[(FaultKind, &str)]) -> Vec<String> {
    let mut no_files = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new("test.pml", text), &[], &mut no_files).expect("the syntax is right");
    let asked: Vec<Asked<'_>> = asked.iter().map(|(kind, text)| Asked { kind: *kind, text }).collect();
    let told = Promela::asked(&model, &asked).map(|_| Vec::new());
    told.unwrap_or_else(|diagnostics| diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

fn refused(text: &str, message: &str) {
    assert_eq!(problems(text, &[]), [message], "{text}");
}

fn accepted(text: &str) {
    assert_eq!(problems(text, &[]), [""; 0], "{text}");
}

#[test]
fn a_message_that_no_channel_takes() {
    let sends = |fields: &str| {
        format!("chan c = [1] of {{ byte, byte }}; active proctype P() {{ chan d = [1] of {{ bit }}; d!{fields} }}")
    };
    refused(&sends("1,2,3"), "a message of 3 fields, and channels take 2 at most");
    accepted(&sends("1,2"));
    accepted(&sends("1"));
}

#[test]
fn a_range_without_numbers() {
    let selects = |range: &str| format!("byte x; active proctype P() {{ select (x : {range}) }}");
    refused(&selects("5 .. 2"), "there is no number between 5 and 2");
    accepted(&selects("5 .. 5"));
    // A loop may count to a number that it begins behind.
    accepted(&selects("(5) .. 2"));
}

#[test]
fn no_process_at_all() {
    let message = "there is no process at the beginning";
    refused("byte x; proctype P() { x = 1 }", message);
    refused("byte x; active [0] proctype P() { x = 1 }", message);
    refused("byte x;", message);
    refused("", message);
    accepted("byte x; proctype P() { x = 1 } init { run P() }");
}

#[test]
fn initial_values_of_late_records() {
    let message = "a record that is declared late has no initial value";
    refused("typedef V { byte a } active proctype P() { skip; V v = 3 }", message);
    accepted("typedef V { byte a } active proctype P() { skip; V v }");
    accepted("typedef V { byte a } active proctype P() { V v = 3; skip }");
}

#[test]
fn arrays_as_parameters() {
    let runs = |fields: &str, parameter: &str| {
        format!("typedef V {{ byte a{fields} }} proctype P(V v{parameter}) {{ skip }} active proctype Q() {{ skip }}")
    };
    refused(&runs("[2]", ""), "an array cannot be a parameter");
    refused(&runs("", "[2]"), "an array cannot be a parameter");
    accepted(&runs("", ""));
}

#[test]
fn too_few_fields_of_a_record_parameter() {
    let runs = |arguments: &str| {
        format!("typedef V {{ byte a; byte b }} proctype P(V v) {{ skip }} init {{ run P({arguments}) }}")
    };
    refused(&runs("1"), "`P` takes 2 parameters, not 1");
    accepted(&runs("1, 2"));
}

#[test]
fn variables_that_another_process_does_not_have() {
    let refers = |variable: &str| {
        format!("active proctype P() {{ byte a[2]; skip }} active proctype Q() {{ P:{variable} == 0 }}")
    };
    refused(&refers("b"), "`P` has no variable `b`");
    refused(&refers("a"), "`a` has 1 indices, not 0");
    accepted(&refers("a[1]"));
}

#[test]
fn questions_that_states_cannot_answer() {
    const MODEL: &str = "byte x; chan c = [1] of { byte }; active [2] proctype P() { byte y; here: y = 1; skip }";
    let asks = |text: &str| problems(MODEL, &[(FaultKind::Invariant, text)]);
    for text in
        ["x < 3", "P[1]:y == x", "P[0]@here", "len(c) == 0 && empty(c)", "c?[3]", "_nr_pr < 3", "pc_value(0) > 0"]
    {
        assert_eq!(asks(text), [""; 0], "{text}");
    }
    for (text, what) in [
        ("_pid == 0", "_pid"),
        ("x == _last", "_last"),
        ("!enabled(1)", "enabled"),
        ("timeout", "timeout"),
        ("c?[eval(_pid)]", "_pid"),
        ("P[_pid]:y == 0", "_pid"),
        ("get_priority(1) > 1", "get_priority"),
        ("(run P() > 0 -> x : 2)", "run"),
        ("np_", "np_"),
    ] {
        assert_eq!(asks(text), [format!("`{what}` cannot be asked about")], "{text}");
    }
    assert_eq!(asks("y == 0"), ["unknown name `y`"]);
    assert_eq!(asks("P[0]:z == 0"), ["`P` has no variable `z`"]);
    assert_eq!(asks("P[0]@there"), ["`P` has no label `there`"]);
    assert_eq!(asks("Q[0]@here"), ["there is no proctype `Q`"]);
    assert_eq!(asks("x <").len(), 1);
}
