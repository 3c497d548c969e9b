//! What models say about their runs is read: properties by name, never claims, atoms, and what is not supported there.

use dampf_core::{Model, Propositions, Source, Successors, Worker};
use dampf_gcl::Backend;
use dampf_promela::{Promela, PromelaModel, Property};
use std::path::{Path, PathBuf};

const MODEL: &str = "
#define p (x == 1)
byte x, a[3]; mtype = { req, ack }; chan q = [1] of { mtype };
active proctype P() { byte v = 2; L: x = 1; q!ack }
ltl one { [] (p -> <> P[0]@L) }
never two { do :: p -> break :: else od }
ltl { <> (a[2] == 0) }
trace { do :: q!ack od }
";

fn understood(text: &str) -> Promela {
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new("model.pml", text), &[], &mut none);
    let model = model.unwrap_or_else(|told| panic!("{}", told[0]));
    Promela::new(&model).unwrap_or_else(|told| panic!("{}", told[0]))
}

#[test]
fn properties_are_named_in_order() {
    let name = |text: &str| Some(text.to_owned());
    let expected = [
        Property::Formula { name: name("one"), text: "[] ( ( x == 1 ) -> <> P [ 0 ] @ L )".to_owned() },
        Property::Never { name: name("two") },
        Property::Formula { name: None, text: "<> ( a [ 2 ] == 0 )".to_owned() },
        Property::Trace { is_negated: false },
    ];
    assert_eq!(understood(MODEL).properties(), expected);
}

#[test]
fn atoms_are_propositions_in_order() {
    let atoms =
        ["x == 1", "P[0]@L", "P:v == 2", "P[1]:v == 0", "q ? [ack]", "len(q) == 0", "_nr_pr == 2", "_last == 0"];
    let mut promela = understood(MODEL);
    promela.observe(&atoms.map(str::to_owned)).unwrap_or_else(|told| panic!("{}", told[0]));
    promela.explore().expect("a model that can be explored");
    let model = promela.model(Backend::Interpreter, false).expect("a model");
    let mut steps = Successors::new(model.width());
    model.worker().initial(&mut steps);
    let held = |state: &[u32]| {
        let mut worker = model.worker();
        let mut holds = |atom: usize| PromelaModel::holds(&mut worker, atom, state).expect("it can be said");
        (0..atoms.len()).map(&mut holds).collect::<Vec<bool>>()
    };
    let state = steps.state(0).to_vec();
    assert_eq!(held(&state), [false, true, true, true, false, true, true, true]);
    model.worker().successors(&state, &mut steps);
    let state = steps.state(0).to_vec();
    model.worker().successors(&state, &mut steps);
    assert_eq!(held(steps.state(0)), [true, false, true, true, true, false, true, true]);
    assert_eq!(model.proposition_name(1), "P[0]@L");
}

#[test]
fn what_is_not_supported_is_named() {
    let told = |claim: &str| {
        let text = format!("byte x; chan q = [1] of {{ byte }}; active proctype P() {{ x = 1 }} never {{ {claim} }}");
        understood(&text).claim(None).expect_err("a claim that is refused")[0].to_string()
    };
    for (claim, what) in [
        ("x = 2", "an assignment"),
        ("x++", "an assignment"),
        ("byte y; skip", "a variable"),
        ("q!1", "a use of a channel"),
        ("d_step { x == 1; x == 2 }", "`d_step`"),
        ("{ x == 1 } unless { x == 2 }", "`unless`"),
        ("timeout", "`timeout`"),
        ("np_", "`np_`"),
        ("enabled(0)", "`enabled`"),
        ("_pid == 0", "`_pid`"),
        ("atomic { do :: x == 1 :: x == 2 -> break od }", "an atomic sequence of a never claim that goes round"),
    ] {
        let told = told(claim);
        assert!(told.contains(what) && told.contains("not supported"), "{claim}: {told}");
    }
    let mut promela = understood(MODEL);
    assert!(promela.observe(&["np_".to_owned()]).is_err());
    assert!(promela.claim(Some("three")).is_err());
}

#[test]
fn a_passed_accept_label_has_no_verdict() {
    let passed = understood("byte x; active proctype P() { do :: atomic { x = 1; accept: x = 0 } od }");
    assert!(passed.acceptance(false).is_err());
    assert_eq!(passed.acceptance(true).ok(), Some(true));
    let within = understood("byte x; active proctype P() { do :: atomic { x = 1; accept: x = 0; x = 2 } od }");
    assert_eq!(within.acceptance(false).ok(), Some(true));
    assert_eq!(understood(MODEL).acceptance(false).ok(), Some(false));
}

/// The examples of SPIN's package, and the corpus beside the workspace.
fn corpus() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/promela");
    let mut folders = vec![beside, PathBuf::from("/usr/share/doc/spin/examples")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.extension().is_some_and(|name| name == "pml" || name == "pm") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

#[test]
fn claims_of_the_corpus_are_understood() {
    let mut claims = 0;
    for path in corpus() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut include = |name: &str, _: &Path| {
            let path = folder.join(name);
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            Ok((path.display().to_string(), text))
        };
        let source = Source::new(path.display().to_string(), text);
        let Ok(model) = dampf_promela::read(source, &[], &mut include) else { continue };
        let Ok(mut promela) = Promela::new(&model) else { continue };
        for property in promela.properties() {
            if let Property::Never { name } = property {
                let claim = promela.claim(name.as_deref());
                let claim = claim.unwrap_or_else(|told| panic!("{}: {}", path.display(), told[0]));
                assert!(claim.locations.len() > 1, "{}", path.display());
                claims += 1;
            }
        }
    }
    println!("{claims} claims understood");
}
