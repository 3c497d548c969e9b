//! A language of its own, in one file: what implements `FrontEnd` has every command, engine and output, without a line
//! elsewhere.
//!
//! A model is lines `counter NAME LIMIT`: each counter counts up to its limit. A line `never NAME VALUE` forbids a
//! value, and one `hasty NAME` says that the counter jumps back from its limit, for ever. How high counters get is
//! assumed at first, and refuted by running: restarts are shown, too.

use dampf_cli::{
    Failure, FrontEnd, Hashes, Knowledge, Made, Making, ModelOptions, Offer, Palette, Registry, read_source,
};
use dampf_core::{
    Acceptance, Action, Agents, Binding, Describe, Fault, FaultKind, Model, Movers, Observations, Propositions,
    Restore, Revise,
};
use dampf_core::{Sections, Step, StepEnd, Successors, Transfer, Unsupported, Word, Worker};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

#[derive(Clone, Default)]
struct Toy {
    counters: Vec<(String, Word, bool)>,
    never: Vec<(usize, Word)>,
    /// No counter is assumed to go beyond this.
    assumed: Word,
    text: String,
}

impl FrontEnd for Toy {
    const CALLED: &'static str = "a toy";
    const ALL_CALLED: &'static str = "toys";
    const OFFERS: &'static [Offer] = &[];
    type Model = Toy;

    fn reads(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "toy")
    }

    fn load(path: &Path, _: &ModelOptions, known: Option<&Knowledge>) -> Result<Toy, Failure> {
        let text = read_source(path)?.text.clone();
        let assumed = known.and_then(|known| known.text.parse().ok()).unwrap_or(1);
        let mut toy = Toy { assumed, text: text.clone(), ..Toy::default() };
        for (number, line) in text.lines().enumerate() {
            let at = |name: &str| toy.counters.iter().position(|(counter, ..)| counter == name);
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["counter", name, limit] if limit.parse::<Word>().is_ok() => {
                    toy.counters.push((name.to_owned(), limit.parse().unwrap_or(0), false));
                }
                ["never", name, value] if at(name).is_some() && value.parse::<Word>().is_ok() => {
                    toy.never.extend(at(name).map(|at| (at, value.parse().unwrap_or(0))));
                }
                ["hasty", name] if at(name).is_some() => toy.counters.iter_mut().for_each(|c| c.2 |= c.0 == name),
                _ => return Err(Failure::new(format!("{}:{}: `{line}` is no toy", path.display(), number + 1))),
            }
        }
        Ok(toy)
    }

    fn hashes(&self) -> Hashes {
        Hashes { input: format!("{} bytes", self.text.len()), build: None }
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge { version: 1, text: self.assumed.to_string() }
    }

    fn model(&self, _: &Making) -> Result<Made<Toy>, Unsupported> {
        Ok(Made { searched: self.clone(), reference: None, backend: "toy", reduction: "none" })
    }

    fn learn(&mut self, _: &[Revise]) -> bool {
        self.assumed *= 2;
        true
    }

    fn write_info(self, out: &mut dyn Write, _: Palette) -> Result<io::Result<()>, Failure> {
        Ok(writeln!(out, "{} counters", self.counters.len()))
    }
}

impl Model for Toy {
    type Worker<'m> = &'m Toy;

    fn width(&self) -> usize {
        self.counters.len().max(1)
    }

    fn worker(&self) -> &Toy {
        self
    }
}

impl Worker for &Toy {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &vec![0; self.width()]);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        for (number, &(ref name, limit, is_hasty)) in self.counters.iter().enumerate() {
            let (action, mut next) = (Action(number as u64), state.to_vec());
            next[number] = if state[number] < limit { state[number] + 1 } else { 0 };
            if state[number] >= limit && !is_hasty {
                continue;
            }
            if next[number] > self.assumed {
                let what = format!("{name} was assumed to stay below {}", self.assumed + 1);
                out.push_end(action, StepEnd::Refuted(Revise { what, facts: Vec::new() }));
            } else {
                out.push(action, &next);
            }
        }
        if let Some((at, value)) = self.never.iter().find(|(at, value)| state[*at] == *value) {
            let message = format!("{} is {value}", self.counters[*at].0);
            out.set_state_fault(Fault { kind: FaultKind::Assertion, message, location: None });
        }
        out.set_valid_end(true);
    }
}

impl Describe for Toy {
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        let named = self.counters.iter().zip(state);
        named.map(|((name, ..), value)| Binding { name: name.clone(), value: value.to_string() }).collect()
    }

    fn describe_step(&self, _: &[Word], action: Action) -> Step {
        let process = self.counters[action.front_end() as usize].0.clone();
        Step { process, function: "count".to_owned(), location: None, text: "counts".to_owned() }
    }

    fn describe_blocked(&self, _: &[Word]) -> Vec<String> {
        Vec::new()
    }
}

impl Transfer for Toy {}
impl Restore for Toy {}
impl Sections for Toy {}
impl Propositions for Toy {}
impl Acceptance for Toy {}

impl Agents for Toy {}
impl Movers for Toy {}
impl Observations for Toy {}

/// Called with arguments, this is Dampf with one more language; called without, it calls itself and looks at the
/// results.
fn main() -> ExitCode {
    let commands = ["check", "simulate", "replay", "info", "resume"];
    if std::env::args().nth(1).is_some_and(|argument| commands.contains(&argument.as_str())) {
        return dampf_cli::run(&Registry::new().with::<Toy>());
    }
    let folder = std::env::temp_dir().join(format!("dampf-toy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for models");
    std::fs::write(folder.join("right.toy"), "counter a 9\ncounter b 4\nhasty b\n").expect("a model");
    std::fs::write(folder.join("wrong.toy"), "counter a 9\ncounter b 4\nnever a 7\n").expect("a model");
    std::fs::write(folder.join("bad.toy"), "counter a 9\ncount b\n").expect("a model");
    let run = |arguments: &str, status: i32, expected: &str| {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(arguments.split(' '))
            .current_dir(&folder)
            .output()
            .expect("it runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(output.status.code() == Some(status) && text.contains(expected), "{arguments}: {text}");
    };
    run("check right.toy", 0, "states       50");
    run("check right.toy --json -", 0, "\"rounds\": 5");
    for options in [
        "--search dfs --threads 2",
        "--search stack-slicing --threads 3 --handoff 2",
        "--deterministic",
        "--ranks 3",
        "--store exact",
        "--store disk",
        "--checkpoint kept",
    ] {
        run(&format!("check right.toy {options}"), 0, "states       50");
        run(
            &format!("check wrong.toy {options} --no-deadlock --trail t.json --json -").replace("kept", "held"),
            1,
            "a is 7",
        );
        run("replay t.json", 0, "assertion: a is 7");
    }
    for kept in ["--checkpoint half --checkpoint-every 0", "--store disk --disk half-on-disk"] {
        let folder = kept.split(' ').find(|word| word.starts_with("half")).expect("a folder");
        run(&format!("check right.toy {kept} --max-states 100"), 3, &format!("dampf resume {folder}"));
        run(&format!("resume {folder}"), 0, "states       50");
    }
    run("simulate wrong.toy --seed 1", 1, "a is 7");
    run("simulate right.toy --seed 2 --steps 30", 0, "could go on");
    run("info right.toy", 0, "2 counters");
    run("check bad.toy", 2, "bad.toy:2: `count b` is no toy");
    run("check right.toy --leaks", 2, "--leaks goes with programs; `right.toy` is a toy");
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    println!("test result: ok. 18 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    ExitCode::SUCCESS
}
