//! Runs a program once and says how many instructions the machine executes in a second.
//!
//!     cargo run --release -p dampf-object --example instruction_rate -- PROGRAM

use dampf_object::{ObjectModel, Program, ProgramChecks, Sharing, Surroundings};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("the name of an executable");
    let bytes = std::fs::read(&path).expect("a readable file");
    let program = Program::load(path.clone(), &bytes, Surroundings::of_arguments(vec![path]))
        .expect("a program that can be checked");
    let model = ObjectModel::new(Arc::new(program), ProgramChecks::default(), Sharing::new(false));
    let start = Instant::now();
    let (ending, instructions) = model.run_counted(0, &mut |_| {}).expect("a program that is supported");
    let seconds = start.elapsed().as_secs_f64();
    let rate = instructions as f64 / seconds / 1e6;
    println!("{ending:?}: {instructions} instructions in {seconds:.3} s, {rate:.0} million a second");
}
