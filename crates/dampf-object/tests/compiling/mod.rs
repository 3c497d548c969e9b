//! Programs of `tests/programs`, compiled and loaded.

use dampf_object::{ObjectModel, Program, ProgramChecks, Sharing, Surroundings, read_facts};
use dampf_testkit::moving::explore;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const COMPILING: [&str; 7] =
    ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-stack-protector", "-fno-pie", "-pthread", "-fsanitize=thread"];

/// How many programs have been compiled.
static COMPILED: AtomicUsize = AtomicUsize::new(0);

/// Runs a tool of the cross compiler's kit; whether it is there.
fn run(tool: &str, arguments: &[&str]) -> bool {
    let Ok(output) = Command::new(format!("riscv64-linux-gnu-{tool}")).args(arguments).output() else {
        println!("skipped: riscv64-linux-gnu-{tool} is not installed");
        return false;
    };
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Compiles a source of `tests/programs`; none where there is no compiler.
pub fn compile(source: &str) -> Option<Vec<u8>> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runtime = crate_folder.join("../../runtime");
    // Several tests compile the same source at the same time.
    let number = COMPILED.fetch_add(1, Ordering::Relaxed);
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compiled_{}_{number}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a folder for what is compiled");
    let named = |name: &str| scratch.join(name).display().to_string();
    let (object, hooks, executable) = (named("program.o"), named("hooks.o"), named("program"));
    let (include, hooks_source) = (format!("-I{}", runtime.display()), runtime.join("hooks.c").display().to_string());
    let path = crate_folder.join("tests/programs").join(source).display().to_string();
    let compiler = if source.ends_with(".c") { "gcc" } else { "g++" };
    // The sanitizer's library does not exist for this machine; so the linker is not told of it.
    let there =
        run(compiler, &[&COMPILING[..], &["-D__DAMPF__=1", "-w", &include, "-c", &path, "-o", &object]].concat())
            && run("gcc", &["-std=gnu11", "-O2", "-fno-pie", "-pthread", "-w", "-c", &hooks_source, "-o", &hooks])
            && run(compiler, &["-static", "-no-pie", "-pthread", &object, &hooks, "-o", &executable, "-lm"]);
    let bytes = there.then(|| std::fs::read(&executable).expect("the compiler has written the program"));
    // Whoever clears the folder for temporary files meanwhile does no harm.
    let _ = std::fs::remove_dir_all(&scratch);
    bytes
}

pub fn load(source: &str, bytes: &[u8]) -> Arc<Program> {
    let program = Program::load(source.to_owned(), bytes, Surroundings::of_arguments(vec![source.to_owned()]));
    Arc::new(program.unwrap_or_else(|refusal| panic!("{source}: {refusal:?}")))
}

/// What threads share in the first states of a program.
pub fn learn(program: &Arc<Program>, options: ProgramChecks, states_max: usize) -> Sharing {
    let mut sharing = Sharing::new(false);
    loop {
        let model = ObjectModel::new(Arc::clone(program), options, sharing.clone());
        let (_, refuted) = explore(&model, states_max);
        if refuted.is_empty() {
            return sharing;
        }
        refuted.iter().for_each(|revise| sharing.learn(read_facts(&String::from_utf8_lossy(&revise.facts))));
    }
}
