//! Properties of runs: which ones a check looks at, and as which automata.
//!
//! What is asked for on the command line counts; where nothing is, what the input itself says of its runs does. A
//! formula is taken apart into expressions of the input's own language, which the front end understands, and what
//! connects them, which becomes an automaton of the runs that violate it.

use crate::failure::Failure;
use crate::front_end::{FrontEnd, Observed, OwnProperty};
use crate::options::CheckOptions;
use crate::source::{has_extension, read_source};
use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation, Diagnostic, Fault, FaultKind};
use std::path::Path;

/// A property that a check looks at.
pub struct Property {
    /// Of the runs that violate it.
    pub automaton: Automaton,
    /// What is wrong where there is such a run.
    pub fault: Fault,
    /// Whether the accepting states are the model's own, and the automaton only looks on.
    pub is_of_labels: bool,
    /// Whether it is that every state leads on to an end, which no automaton says.
    pub is_of_ends: bool,
    /// Whether only fair runs count, whatever else is asked for.
    pub is_fair: bool,
    /// What is said where it holds; none where that is that runs satisfy it.
    pub told: Option<&'static str>,
    /// Whether it is known that repeating states makes no difference to it: then steps may be left out.
    pub is_stutter_invariant: bool,
}

impl Property {
    fn new(kind: FaultKind, message: String, automaton: Automaton) -> Property {
        let fault = Fault { kind, message, location: None };
        Property {
            automaton,
            fault,
            is_of_labels: false,
            is_of_ends: false,
            is_fair: false,
            told: None,
            is_stutter_invariant: false,
        }
    }
}

/// What a check looks at, in order; nothing where it looks at states and steps alone.
pub fn asked<F: FrontEnd>(front_end: &mut F, options: &CheckOptions) -> Result<Vec<Property>, Failure> {
    let own = front_end.properties();
    let mut properties = Vec::new();
    for formula in &options.ltl {
        let spelt_out = spelt_out(formula, &options.ap);
        let property = of_formula(front_end, formula, &spelt_out)?;
        if !F::COUNTS_STEPS && !property.is_stutter_invariant {
            return Err(Failure::with_help(
                format!(
                    "`{formula}` speaks of the next state, and how many states {} pass has no meaning",
                    F::ALL_CALLED
                ),
                "leave out X: `<>` is some later state, `U` says what holds until then",
            ));
        }
        properties.push(property);
    }
    for name in &options.property {
        let number = own.iter().position(|property| property.name.as_ref() == Some(name));
        let number = number.ok_or_else(|| no_such_property(name, &own, options))?;
        properties.push(of_own(front_end, &own, number)?);
    }
    if let Some(file) = &options.buchi {
        properties.push(in_file(front_end, file)?);
    }
    if options.acceptance {
        properties.push(of_labels());
    }
    if options.non_progress {
        let automaton = front_end.non_progress()?;
        let message = "a run makes no progress from some moment on".to_owned();
        properties.push(Property::new(FaultKind::NonProgress, message, automaton));
    }
    if options.starvation {
        let automaton = front_end.starvation()?;
        let property = Property::new(FaultKind::Livelock, STARVES.to_owned(), automaton);
        let told = Some("no thread waits for ever while others go on");
        properties.push(Property { is_fair: true, told, is_stutter_invariant: true, ..property });
    }
    if options.livelock {
        let property = Property::new(FaultKind::Livelock, String::new(), Automaton::default());
        let told = Some("every state leads on to an end");
        properties.push(Property { is_of_ends: true, told, is_stutter_invariant: true, ..property });
    }
    if !properties.is_empty() {
        front_end.watch_runs();
    }
    if properties.is_empty() && !options.no_claims {
        for number in 0..own.len() {
            properties.push(of_own(front_end, &own, number)?);
        }
    }
    Ok(properties)
}

/// What is said where no run violates a property. Where no run ends, nothing is said of ends.
pub fn satisfied(properties: &[Property], is_fair: bool, met_end: bool) -> Option<String> {
    let runs = if is_fair { "every run that is fair to all" } else { "every run" };
    let formulas = properties.iter().filter(|property| property.told.is_none());
    let names: Vec<String> = formulas.map(|property| format!("`{}`", property.automaton.name)).collect();
    let mut told = Vec::new();
    if !names.is_empty() {
        told.push(format!("{runs} satisfies {}", names.join(", ")));
    }
    let others = properties.iter().filter(|property| met_end || !property.is_of_ends);
    told.extend(others.filter_map(|property| property.told).map(str::to_owned));
    (!told.is_empty()).then(|| told.join("; "))
}

/// What is wrong with a run in which a thread starves, before it is known who.
pub const STARVES: &str = "a thread waits for ever while others go on";

/// A formula with expressions instead of the names that were given to them.
fn spelt_out(formula: &str, names: &[(String, String)]) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut text = String::new();
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        match names.iter().find(|(name, _)| name == word) {
            Some((_, expression)) => text.extend(["(", expression, ")"]),
            None => text.push_str(word),
        }
        rest = behind;
    }
    text
}

fn no_such_property(name: &str, own: &[OwnProperty], options: &CheckOptions) -> Failure {
    let input = options.model.input.display();
    let names: Vec<String> =
        own.iter().filter_map(|property| property.name.as_ref()).map(|name| format!("`{name}`")).collect();
    let help = match names.as_slice() {
        [] => "it has none with a name; `--ltl FORMULA` gives one".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    Failure::with_help(format!("`{input}` has no property `{name}`"), help)
}

/// One that the input has.
fn of_own<F: FrontEnd>(front_end: &mut F, own: &[OwnProperty], number: usize) -> Result<Property, Failure> {
    let OwnProperty { name, formula, called } = &own[number];
    if let Some(formula) = formula {
        return of_formula(front_end, name.as_ref().unwrap_or(formula), formula);
    }
    let automaton = front_end.automaton(number)?;
    let message = match name {
        Some(name) => format!("property `{name}` does not hold"),
        None => format!("property violated: {called} accepts this run"),
    };
    Ok(Property::new(FaultKind::Property, message, automaton))
}

fn of_formula<F: FrontEnd>(front_end: &mut F, name: &str, text: &str) -> Result<Property, Failure> {
    let parsed = dampf_ltl::parse(text)?;
    let expressions = parsed.propositions.iter().map(|proposition| Observed { text: proposition.text.clone() });
    let first = front_end.observe(&expressions.collect::<Vec<_>>())?;
    // A run that ends stays where it ends, so what cannot be made good any more need not be followed further.
    let mut automaton = dampf_ltl::with_final_locations(&dampf_ltl::violations(&parsed, name));
    shift(&mut automaton, first);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = match name.split_whitespace().eq(text.split_whitespace()) {
        true => format!("property `{text}` does not hold"),
        false => format!("property `{name}` does not hold: {text}"),
    };
    let is_stutter_invariant = dampf_ltl::is_stutter_invariant(&parsed.formula);
    Ok(Property { is_stutter_invariant, ..Property::new(FaultKind::Property, message, automaton) })
}

/// Whether a file is an automaton in the Hanoi format, by its name.
pub fn is_hanoi(file: &Path) -> bool {
    has_extension(file, &["hoa"])
}

/// An automaton in a file: in the Hanoi format, over expressions, or in the language's own form.
fn in_file<F: FrontEnd>(front_end: &mut F, file: &Path) -> Result<Property, Failure> {
    let mut is_stutter_invariant = false;
    let automaton = match is_hanoi(file) {
        true => {
            let (mut automaton, expressions) = hanoi(file)?;
            is_stutter_invariant = dampf_ltl::accepts_stuttering(&automaton);
            let expressions: Vec<Observed> = expressions.into_iter().map(|text| Observed { text }).collect();
            let first = front_end.observe(&expressions)?;
            shift(&mut automaton, first);
            automaton
        }
        false => front_end.automaton_in(file)?,
    };
    let message = format!("property violated: the automaton of `{}` accepts this run", file.display());
    let name = if automaton.name.is_empty() { file.display().to_string() } else { automaton.name };
    let automaton = Automaton { name, ..automaton };
    Ok(Property { is_stutter_invariant, ..Property::new(FaultKind::Property, message, automaton) })
}

fn hanoi(file: &Path) -> Result<(Automaton, Vec<String>), Failure> {
    let source = read_source(file)?;
    Ok(dampf_ltl::parse_hoa(&source.text).map_err(|problem| Diagnostic { source, ..problem })?)
}

/// What a verdict takes for granted where an automaton may count the steps of a program, in which what a step is, is
/// our choice; none where it does not.
pub fn counted_steps(options: &CheckOptions) -> Result<Option<String>, Failure> {
    let Some(file) = options.buchi.as_deref().filter(|file| is_hanoi(file)) else { return Ok(None) };
    let counts = !dampf_ltl::accepts_stuttering(&hanoi(file)?.0);
    Ok(counts.then(|| {
        format!(
            "a step is one access to memory, or one operation on locks and threads (`--reduce none`): the automaton of `{}` may count steps",
            file.display()
        )
    }))
}

/// The accepting states that the model itself has.
fn of_labels() -> Property {
    let edges = vec![AutomatonEdge { guard: Vec::new(), target: 0 }];
    let location = AutomatonLocation { name: "any".to_owned(), edges, ..AutomatonLocation::default() };
    let automaton = Automaton { name: "acceptance".to_owned(), locations: vec![location], initial: 0 };
    let message = "property violated: a run passes states with acceptance labels for ever".to_owned();
    let property = Property::new(FaultKind::Property, message, automaton);
    Property { is_of_labels: true, ..property }
}

/// The propositions of an automaton are those from a number on.
fn shift(automaton: &mut Automaton, first: u32) {
    let edges = automaton.locations.iter_mut().flat_map(|location| &mut location.edges);
    edges.flat_map(|edge| &mut edge.guard).for_each(|literal| literal.proposition += first);
}
