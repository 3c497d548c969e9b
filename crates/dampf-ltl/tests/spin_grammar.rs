//! Formulas without parentheses are read as SPIN reads them, in `ltl` blocks and behind `-f`.
//!
//! A few formulas are compared by default; `DAMPF_LTL_FORMULAS=2000` asks for more.

mod oracle;

use dampf_ltl::{Reading, is_read_differently, parse, parse_as, translate};
use oracle::are_disjoint;
use oracle::claim::{claim, is_spin_installed};
use oracle::random::Random;
use std::process::Command;

fn wanted() -> u64 {
    std::env::var("DAMPF_LTL_FORMULAS").ok().and_then(|count| count.parse().ok()).unwrap_or(25)
}

/// A formula with parentheses here and there.
fn text(random: &mut Random, operands: usize, with_weak: bool) -> String {
    let binary = ["U", "V", "&&", "||", "->", "<->", "W", "until", "weakuntil", "release", "implies", "equivalent"];
    let mut written = Vec::new();
    for index in 0..operands {
        if index > 0 {
            written.push(binary[random.below(if with_weak { binary.len() } else { 6 })].to_owned());
        }
        for _ in 0..random.below(3) {
            // Two negations in a row are another operator of Promela.
            let unary = ["[]", "<>", "!"][random.below(3)];
            if unary != "!" || written.last().is_none_or(|last| last != "!") {
                written.push(unary.to_owned());
            }
        }
        let group = operands > 1 && random.below(5) == 0;
        written.push(match group {
            true => format!("({})", text(random, operands - 1, with_weak)),
            false => format!("p{}", random.below(3)),
        });
    }
    written.join(" ")
}

#[test]
fn blocks_are_grouped_as_spin_groups_them() {
    if !is_spin_installed() {
        eprintln!("spin is not installed: nothing was compared");
        return;
    }
    let folder = std::env::temp_dir().join(format!("dampf-ltl-grammar-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for SPIN");
    let mut compared = 0;
    for seed in 0..wanted() {
        let mut random = Random(seed);
        let operands = 1 + random.below(4);
        let written = text(&mut random, operands, true);
        let model = format!("bool p0, p1, p2;\nltl f {{ {written} }}\nactive proctype P() {{ skip }}\n");
        std::fs::write(folder.join("f.pml"), model).expect("a model for SPIN");
        // The claim may take long and is of no interest; the formula with all parentheses is printed first.
        let output = Command::new("timeout").args(["2", "spin", "-a", "f.pml"]).current_dir(&folder).output();
        let output = String::from_utf8(output.expect("SPIN runs").stdout).expect("text");
        let Some(grouped) = output.lines().find_map(|line| line.strip_prefix("ltl f: ")) else { continue };
        let (ours, theirs) = (parse(&written).expect(&written), parse(grouped).expect(grouped));
        // Propositions may appear in another order after SPIN has rewritten the formula.
        let name = |parsed: &dampf_ltl::Parsed| {
            let texts: Vec<String> = parsed.propositions.iter().map(|known| known.text.clone()).collect();
            parsed.formula.show(&|number| texts[number as usize].clone())
        };
        let (ours, theirs) = (parse(&numbered(&name(&ours))), parse(&numbered(&name(&theirs))));
        let (ours, theirs) = (ours.expect("shown formulas can be read"), theirs.expect("shown formulas can be read"));
        let (ours, theirs) = (ours.formula, theirs.formula);
        assert!(are_disjoint(&translate(&ours), &translate(&theirs.negated()), 3), "{written}: SPIN has {grouped}");
        assert!(are_disjoint(&translate(&theirs), &translate(&ours.negated()), 3), "{written}: SPIN has {grouped}");
        compared += 1;
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    println!("{compared} blocks compared");
    assert!(compared * 4 > wanted() * 3, "SPIN refused too many formulas");
}

/// The formula behind a tautology that numbers the propositions by their names.
fn numbered(formula: &str) -> String {
    format!("((p0 || p1 || p2) || true) && ({formula})")
}

#[test]
fn options_are_grouped_as_spin_groups_them() {
    if !is_spin_installed() {
        eprintln!("spin is not installed: nothing was compared");
        return;
    }
    let (mut compared, mut differ) = (0, 0);
    for seed in 0..wanted() {
        let mut random = Random(seed);
        let operands = 1 + random.below(4);
        let written = text(&mut random, operands, false);
        let grouped = numbered(&written);
        let (Some((positive, _)), Some((negative, _))) = (claim(&written), claim(&format!("!({written})"))) else {
            continue;
        };
        if positive.locations.len() > 40 || negative.locations.len() > 40 {
            continue;
        }
        let formula = parse_as(&grouped, Reading::Option).expect(&grouped).formula;
        let (ours, negation) = (translate(&formula), translate(&formula.negated()));
        assert!(are_disjoint(&ours, &negative, 3), "{written}: SPIN's claim is another");
        assert!(are_disjoint(&positive, &negation, 3), "{written}: SPIN's claim is another");
        compared += 1;
        differ += usize::from(is_read_differently(&written));
    }
    println!("{compared} options compared, {differ} that blocks read differently");
    assert!(compared * 4 > wanted() * 3, "SPIN refused too many formulas");
}
