//! The C front end means what C means: random programs, run natively by the host's compiler on all their inputs, reach
//! their end with the same values of all variables as the transition system does.

#[allow(dead_code)]
mod concrete;

use concrete::{Chance, explore};
use dampf_cegar::input::c;
use dampf_core::Source;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;

const PROGRAMS: u64 = 60;
const INPUTS: u32 = 4;

/// A program over global variables whose names end in `suffix`. It ends in `reach_error()`, where values are compared.
struct Generator {
    chance: Chance,
    suffix: String,
    text: String,
    depth: usize,
    loops: usize,
    inputs: u32,
}

const NAMES: &[(&str, &str)] = &[
    ("a", "int"),
    ("b", "int"),
    ("c", "char"),
    ("d", "unsigned char"),
    ("f", "_Bool"),
    ("l", "long"),
    ("u", "unsigned"),
    ("v", "unsigned"),
];

impl Generator {
    fn program(seed: u64, suffix: &str) -> String {
        let mut generator = Generator {
            chance: Chance(seed),
            suffix: suffix.to_owned(),
            text: String::new(),
            depth: 0,
            loops: 0,
            inputs: 0,
        };
        for (name, of) in NAMES {
            let value = generator.chance.below(9);
            let _ = writeln!(generator.text, "{of} {name}{suffix} = {value};");
        }
        let _ = writeln!(generator.text, "int half{suffix}(int x) {{ if (x < 0) return -(-x / 2); return x / 2; }}");
        let _ = writeln!(generator.text, "void bump{suffix}(void) {{ u{suffix} += 2; a{suffix}--; }}");
        let _ = writeln!(generator.text, "int main{suffix}(void) {{");
        for _ in 0..7 {
            generator.statement();
        }
        let _ = writeln!(generator.text, "reach_error{suffix}();\nreturn 0; }}");
        generator.text
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn variable(&mut self) -> String {
        let name = self.chance.pick(NAMES).0;
        format!("{name}{}", self.suffix)
    }

    fn statement(&mut self) {
        self.depth += 1;
        let suffix = self.suffix.clone();
        match self.chance.below(if self.depth > 3 { 6 } else { 13 }) {
            0 => {
                let value = self.expression(2);
                let modulus = *self.chance.pick(&[3, 7, 50, 1000, -5]);
                self.line(&format!("a{suffix} = ({value}) % {modulus};"));
            }
            1 => {
                let value = self.expression(2);
                self.line(&format!("b{suffix} = ({value}) % 100;"));
            }
            2 => {
                let value = self.expression(1);
                let name = *self.chance.pick(&["c", "d", "f", "u", "v"]);
                self.line(&format!("{name}{suffix} = {value};"));
            }
            3 => {
                let value = self.expression(1);
                let operator = *self.chance.pick(&["+=", "-="]);
                self.line(&format!("u{suffix} {operator} {value};"));
            }
            4 => {
                let name = *self.chance.pick(&["c", "d", "u", "v", "f"]);
                let step = *self.chance.pick(&["++", "--"]);
                // Stepping a _Bool down is no arithmetic one would test.
                let step = if name == "f" { "++" } else { step };
                self.line(&format!("{name}{suffix}{step};"));
            }
            5 if self.inputs < INPUTS => {
                self.inputs += 1;
                let name = *self.chance.pick(&["a", "b", "f", "u"]);
                self.line(&format!("{name}{suffix} = __VERIFIER_nondet_bool();"));
            }
            5 => self.line(&format!("bump{suffix}();")),
            6 | 7 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.statement();
                self.line("} else {");
                self.statement();
                self.line("}");
            }
            8 => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                self.line(&format!("for (int {counter} = 0; {counter} < 3; {counter}++) {{"));
                let condition = self.condition();
                let jump = *self.chance.pick(&["break", "continue"]);
                self.line(&format!("if ({condition}) {jump};"));
                // An input in a loop would be one for each turn.
                let inputs = std::mem::replace(&mut self.inputs, INPUTS);
                self.statement();
                self.inputs = inputs;
                self.line("}");
            }
            9 => {
                let value = self.expression(1);
                self.line(&format!("switch (({value}) & 3) {{ case 0:"));
                self.statement();
                self.line("case 1:");
                self.statement();
                self.line("break; case 3: v++; default:".replace('v', &format!("v{suffix}")).as_str());
                self.statement();
                self.line("}");
            }
            10 => {
                let value = self.expression(1);
                self.line(&format!("l{suffix} = half{suffix}(({value}) % 40) + l{suffix} % 9;"));
            }
            11 => {
                let (one, other, condition) = (self.expression(1), self.expression(1), self.condition());
                self.line(&format!("b{suffix} = (({condition}) ? ({one}) % 9 : ({other}) % 11) + (a{suffix} = 3);"));
            }
            _ => {
                self.loops += 1;
                let label = format!("out{}", self.loops);
                let condition = self.condition();
                self.line(&format!("if ({condition}) goto {label};"));
                self.statement();
                self.line(&format!("{label}: ;"));
            }
        }
        self.depth -= 1;
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance.below(4) == 0 {
            return match self.chance.below(3) {
                0 => format!("{}", self.chance.below(12) as i64 - 4),
                _ => self.variable(),
            };
        }
        let (one, other) = (self.expression(depth - 1), self.expression(depth - 1));
        let constant = *self.chance.pick(&[2, 3, 5, -3]);
        match self.chance.below(9) {
            0 | 1 => format!("({one} + {other})"),
            2 => format!("({one} - {other})"),
            3 => format!("({one} * {constant})"),
            4 => format!("({one} / {constant})"),
            5 => format!("({one} % {constant})"),
            6 => format!("(({one}) >> 1)"),
            7 => format!("({})", self.condition()),
            _ => format!("(({one}) & 7)"),
        }
    }

    fn condition(&mut self) -> String {
        let (one, other) = (self.expression(1), self.expression(1));
        let operator = *self.chance.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let simple = format!("{one} {operator} {other}");
        match self.chance.below(5) {
            0 => format!("!({simple})"),
            1 => format!("{simple} && {} != 2", self.variable()),
            2 => format!("{simple} || {}", self.variable()),
            _ => simple,
        }
    }
}

/// The values at the end of each program, by the host's compiler.
fn native() -> Option<Vec<BTreeSet<Vec<i128>>>> {
    let folder = tempfolder();
    let mut text = String::from(
        "#include <setjmp.h>\n#include <stdio.h>\nstatic unsigned bits; static jmp_buf out;\n\
         static _Bool __VERIFIER_nondet_bool(void) { _Bool bit = bits & 1; bits >>= 1; return bit; }\n",
    );
    for seed in 0..PROGRAMS {
        let suffix = format!("_{seed}");
        let _ = writeln!(text, "static void reach_error{suffix}(void);\n{}", Generator::program(seed, &suffix));
        let _ = write!(text, "static void reach_error{suffix}(void) {{ printf(\"{seed}");
        text.push_str(&" %lld".repeat(NAMES.len()));
        text.push_str("\\n\"");
        for (name, _) in NAMES {
            let _ = write!(text, ", (long long){name}{suffix}");
        }
        text.push_str("); longjmp(out, 1); }\n");
        let _ = writeln!(text, "static void reset{suffix}(void) {{");
        let program = Generator::program(seed, &suffix);
        for (line, (name, _)) in program.lines().zip(NAMES) {
            let value = line.rsplit(' ').next().unwrap_or("0;");
            let _ = writeln!(text, "{name}{suffix} = {value}");
        }
        text.push_str("}\n");
    }
    text.push_str("int main(void) {\n");
    for seed in 0..PROGRAMS {
        let _ = writeln!(
            text,
            "for (unsigned k = 0; k < {}; k++) {{ bits = k; reset_{seed}(); if (!setjmp(out)) main_{seed}(); }}",
            1 << INPUTS
        );
    }
    text.push_str("return 0; }\n");
    let (source, binary) = (folder.join("programs.c"), folder.join("programs"));
    std::fs::write(&source, &text).unwrap();
    let compiled = Command::new("cc").args(["-w", "-fwrapv", "-o"]).arg(&binary).arg(&source).status();
    if !compiled.is_ok_and(|status| status.success()) {
        return None;
    }
    let output = Command::new(&binary).output().unwrap();
    let mut ends = vec![BTreeSet::new(); PROGRAMS as usize];
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let numbers: Vec<i128> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        ends[numbers[0] as usize].insert(numbers[1..].to_vec());
    }
    std::fs::remove_dir_all(folder).unwrap();
    Some(ends)
}

fn tempfolder() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("dampf-c-semantics-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn random_programs_end_as_they_do_natively() {
    let Some(expected) = native() else {
        println!("skipped: there is no C compiler `cc`");
        return;
    };
    let mut compared = 0;
    for seed in 0..PROGRAMS {
        let text = Generator::program(seed, "");
        let input = match c::parse(&Source::new("random.c", text.clone())) {
            Ok(input) => input,
            // A choice between unsigned numbers with side effects, for one.
            Err(errors) => {
                assert!(
                    errors[0].message.contains("not supported") || errors[0].message.contains("overflows"),
                    "{}\n{text}",
                    errors[0]
                );
                continue;
            }
        };
        let Some(explored) = explore(&input.system, 200_000) else { continue };
        let mut ends = BTreeSet::new();
        for transition in input.system.transitions.iter().filter(|transition| transition.to == input.system.error) {
            let variables = &input.system.location(transition.from).variables;
            let at = |name: &str| variables.iter().position(|variable| variable.name == name).unwrap();
            for values in &explored.states[transition.from.0 as usize] {
                ends.insert(NAMES.iter().map(|(name, _)| values[at(name)]).collect::<Vec<i128>>());
            }
        }
        assert_eq!(ends, expected[seed as usize], "seed {seed}\n{text}");
        compared += 1;
    }
    assert!(compared > PROGRAMS / 2, "only {compared} programs were compared");
}
