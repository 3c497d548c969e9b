//! The text and the JSON of runs of a small hand-made model.

use dampf_core::{
    Action, Binding, Describe, Fault, FaultKind, FaultSelection, Finding, Model, SourceLocation, Statistics, Step,
    Successors, Trail, Verdict, Word, Worker,
};
use dampf_report::{CheckReport, Excerpt, Palette, Run, Setting};
use expect_test::{Expect, expect};
use std::time::Duration;

/// Counts `ticks` up to `limit` and then stops, or, with action 1, faults in the step.
struct Clock {
    limit: Word,
}

impl Worker for &Clock {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &[0]);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        if state[0] < self.limit {
            out.push(Action(0), &[state[0] + 1]);
            out.push_fault(Action(1), broken());
        }
    }
}

impl Model for Clock {
    type Worker<'m> = &'m Clock;

    fn width(&self) -> usize {
        1
    }

    fn worker(&self) -> &Clock {
        self
    }
}

impl Describe for Clock {
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        let binding = |name: &str, value: Word| Binding { name: name.to_owned(), value: value.to_string() };
        vec![binding("ticks", state[0]), binding("limit", self.limit)]
    }

    fn describe_step(&self, _: &[Word], action: Action) -> Step {
        let location = Some(SourceLocation { file: "clock.dve".to_owned(), line: 7 + action.0 as u32, column: 3 });
        let text = if action.0 == 0 { "run -> run {\n  effect ticks = ticks + 1; }" } else { "run -> broken {}" };
        Step { process: "Clock".to_owned(), function: "run".to_owned(), location, text: text.to_owned() }
    }

    fn describe_blocked(&self, _: &[Word]) -> Vec<String> {
        vec!["Clock waits in run for ticks < limit".to_owned()]
    }
}

fn broken() -> Fault {
    let location = Some(SourceLocation { file: "clock.dve".to_owned(), line: 8, column: 9 });
    Fault { kind: FaultKind::Assertion, message: "`ticks < 2` is false".to_owned(), location }
}

fn setting() -> Setting {
    Setting {
        model: "clock.dve".to_owned(),
        search: "bfs",
        store: "tree",
        backend: "native",
        reduction: "none",
        threads: 2,
        ranks: 1,
        deterministic: false,
    }
}

/// The report of a run of the clock with these actions.
fn with_report<R>(limit: Word, actions: &[u64], use_report: impl FnOnce(&CheckReport<'_, Clock>) -> R) -> R {
    let clock = Clock { limit };
    let trail = Trail::ending(0, actions.iter().map(|&action| Action(action)).collect());
    let run = Run::replay(&clock, trail.clone(), true, &FaultSelection::default()).unwrap();
    let finding = Finding { fault: run.fault().unwrap().clone(), trail };
    let verdict = Verdict::Violated(Box::new(finding.clone()));
    let statistics =
        Statistics { states: 1000, transitions: 2500, depth: 12, store_bytes: 8500, frontier: 3, faults: 1 };
    use_report(&CheckReport {
        setting: &setting(),
        verdict: &verdict,
        statistics: &statistics,
        satisfied: None,
        rounds: 1,
        findings: &[finding.clone(), finding],
        run: Some(&run),
        elapsed: Duration::from_millis(500),
        peak_rss_bytes: 5 << 20,
        traffic: None,
        cut_short: None,
        assumptions: Vec::new(),
        warnings: Vec::new(),
        busy_lines: None,
    })
}

fn check_text(limit: Word, actions: &[u64], palette: Palette, expected: Expect) {
    let mut text = Vec::new();
    with_report(limit, actions, |report| report.write_text(&mut text, palette, Excerpt::Ends)).unwrap();
    expected.assert_eq(&String::from_utf8(text).unwrap());
}

#[test]
fn a_faulty_step_ends_the_list() {
    check_text(
        9,
        &[0, 0, 1],
        Palette::plain(),
        expect![[r#"
            violated: assertion: `ticks < 2` is false
              at clock.dve:8:9

            initial state (without 1 value that never changes here)
              ticks = 0

            3 steps
                1  Clock  clock.dve:7  run -> run { effect ticks = ticks + 1; }
                     ticks: 0 -> 1
                2  Clock  clock.dve:7  run -> run { effect ticks = ticks + 1; }
                     ticks: 1 -> 2
                3  Clock  clock.dve:8  run -> broken {}

            final state (without 1 value that never changes here)
              ticks = 2

            1 further finding
              assertion: `ticks < 2` is false at clock.dve:8:9, after 3 steps

            search
              states       1,000
              transitions  2,500
              depth        12
              not explored 3
              time         0.500 s
              rate         2,000 states/s
              memory       5.0 MiB
              store        8.3 KiB, 8.5 B/state
        "#]],
    );
}

#[test]
fn a_deadlock_says_who_waits() {
    check_text(
        1,
        &[0],
        Palette::colour(),
        expect![[r#"
            [1;31mviolated[0m: deadlock: no process can move

            [1minitial state (without 1 value that never changes here)[0m
              ticks = 0

            [1m1 step[0m
                1  [36mClock[0m  [2mclock.dve:7[0m  run -> run { effect ticks = ticks + 1; }
                     ticks: [2m0[0m -> [1m1[0m

            [1mfinal state (without 1 value that never changes here)[0m
              ticks = 1

            [1mwho waits for what[0m
              Clock waits in run for ticks < limit

            [1m1 further finding[0m
              deadlock: no process can move, after 1 step

            [1msearch[0m
              [2mstates      [0m 1,000
              [2mtransitions [0m 2,500
              [2mdepth       [0m 12
              [2mnot explored[0m 3
              [2mtime        [0m 0.500 s
              [2mrate        [0m 2,000 states/s
              [2mmemory      [0m 5.0 MiB
              [2mstore       [0m 8.3 KiB, 8.5 B/state
        "#]],
    );
}

#[test]
fn a_fault_of_the_initial_state_has_no_steps() {
    check_text(
        0,
        &[],
        Palette::plain(),
        expect![[r#"
        violated: deadlock: no process can move

        initial state
          ticks = 0, limit = 0

        no steps: the initial state itself is the end of the run

        who waits for what
          Clock waits in run for ticks < limit

        1 further finding
          deadlock: no process can move, after 0 steps

        search
          states       1,000
          transitions  2,500
          depth        12
          not explored 3
          time         0.500 s
          rate         2,000 states/s
          memory       5.0 MiB
          store        8.3 KiB, 8.5 B/state
    "#]],
    );
}

#[test]
fn the_middle_of_a_long_run_is_left_out() {
    let mut text = Vec::new();
    let steps = [0; 1284];
    with_report(1284, &steps, |report| report.write_text(&mut text, Palette::plain(), Excerpt::Ends)).unwrap();
    let text = String::from_utf8(text).unwrap();
    let numbers: Vec<&str> = text.lines().filter(|line| line.contains("run ->")).map(|line| &line[2..6]).collect();
    assert_eq!(numbers.len(), 50);
    assert_eq!((numbers[9], numbers[10], numbers[49]), ("  10", "1245", "1284"));
    assert!(text.contains("… 1,234 steps not shown; --trail FILE and `dampf replay` show all"), "{text}");

    let mut whole = Vec::new();
    with_report(1284, &steps, |report| report.write_text(&mut whole, Palette::plain(), Excerpt::Whole)).unwrap();
    assert_eq!(String::from_utf8(whole).unwrap().matches("run ->").count(), 1284);
}

#[test]
fn the_summary_has_every_field() {
    let mut json = Vec::new();
    with_report(9, &[0, 1], |report| report.write_json(&mut json)).unwrap();
    expect![[r#"
        {
          "verdict": "violated",
          "reason": null,
          "assumptions": [],
          "warnings": [],
          "error": {
            "kind": "assertion",
            "message": "`ticks < 2` is false",
            "location": {
              "file": "clock.dve",
              "line": 8,
              "column": 9
            }
          },
          "findings": 2,
          "faults": 1,
          "errors": [
            {
              "kind": "assertion",
              "message": "`ticks < 2` is false",
              "location": {
                "file": "clock.dve",
                "line": 8,
                "column": 9
              },
              "steps": 2
            },
            {
              "kind": "assertion",
              "message": "`ticks < 2` is false",
              "location": {
                "file": "clock.dve",
                "line": 8,
                "column": 9
              },
              "steps": 2
            }
          ],
          "model": "clock.dve",
          "search": "bfs",
          "store": "tree",
          "backend": "native",
          "reduction": "none",
          "deterministic": false,
          "threads": 2,
          "ranks": 1,
          "states": 1000,
          "transitions": 2500,
          "depth": 12,
          "frontier": 3,
          "rounds": 1,
          "seconds": 0.5,
          "states_per_second": 2000,
          "peak_rss_bytes": 5242880,
          "store_bytes": 8500,
          "bytes_per_state": 8.5,
          "initial": {
            "ticks": "0",
            "limit": "9"
          },
          "trail": [
            {
              "process": "Clock",
              "file": "clock.dve",
              "line": 7,
              "function": "run",
              "text": "run -> run {\n  effect ticks = ticks + 1; }",
              "changes": [
                {
                  "name": "ticks",
                  "before": "0",
                  "after": "1"
                }
              ]
            },
            {
              "process": "Clock",
              "file": "clock.dve",
              "line": 8,
              "function": "run",
              "text": "run -> broken {}",
              "changes": []
            }
          ],
          "blocked": []
        }
    "#]]
    .assert_eq(&String::from_utf8(json).unwrap());
}

#[test]
fn without_an_answer_the_fields_are_still_there() {
    let mut json = Vec::new();
    let report: CheckReport<'_, Clock> = CheckReport {
        setting: &setting(),
        verdict: &Verdict::Unknown("the time is up".to_owned()),
        statistics: &Statistics::default(),
        satisfied: None,
        rounds: 1,
        findings: &[],
        run: None,
        elapsed: Duration::ZERO,
        peak_rss_bytes: 0,
        traffic: None,
        cut_short: None,
        assumptions: Vec::new(),
        warnings: Vec::new(),
        busy_lines: None,
    };
    report.write_json(&mut json).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["reason"], "the time is up");
    assert!(json["error"].is_null());
    assert_eq!(json["trail"], serde_json::json!([]));
    assert_eq!(json["bytes_per_state"], 0.0);

    let mut text = Vec::new();
    report.write_text(&mut text, Palette::plain(), Excerpt::Ends).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), "unknown: the time is up\n");
}

/// A disk that is full.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_that_is_handed_back() {
    with_report(1, &[0], |report| {
        assert_eq!(report.write_json(&mut Full).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        let text = report.write_text(&mut Full, Palette::plain(), Excerpt::Ends);
        assert_eq!(text.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    });
}
