//! The drop-in as a build system uses it, with the compiler that is installed.

use super::{Compiler, executable, run};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A directory with sources, in which the compiler is called.
struct Project {
    directory: TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).expect("the file can be written");
        }
        Project { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Calls the compiler; a word that begins with `%` names a file of the project.
    fn compile(&self, compiler: Compiler, words: &[&str]) -> u8 {
        let arguments: Vec<OsString> = words
            .iter()
            .map(|word| match word.split_once('%') {
                Some((option, name)) => format!("{option}{}", self.path(name).display()).into(),
                None => OsString::from(word),
            })
            .collect();
        run(compiler, &arguments).expect("the compiler can be run")
    }

    fn contents(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn contains(&self, name: &str, text: &str) -> bool {
        self.contents(name).windows(text.len()).any(|window| window == text.as_bytes())
    }
}

/// Tests that need the compiler say so where it is not installed.
fn is_installed(compiler: Compiler) -> bool {
    let found = super::Toolchain::find(compiler).is_ok();
    if !found {
        println!("not tested: there is no compiler for RISC-V; run scripts/setup");
    }
    found
}

/// The exit status of a program as a shell sees it, where there is a machine to run it on.
fn run_elsewhere(program: &Path) -> Option<u8> {
    Command::new("qemu-riscv64").arg(program).status().ok().map(super::exit_status)
}

const COUNTER: &str = "#include <pthread.h>\n#include <assert.h>\nint counter;\n\
    static void *count(void *none) { counter++; return none; }\n\
    int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, count, 0);\n  pthread_join(thread, 0);\n\
    \n  assert(counter == 1);\n  return counter << 2;\n}\n";

#[test]
fn a_program_is_compiled_and_linked_at_once() {
    if !is_installed(Compiler::C) {
        return;
    }
    let project = Project::new(&[("counter.c", COUNTER)]);
    assert_eq!(project.compile(Compiler::C, &["%counter.c", "-o", "%counter"]), 0);
    for symbol in ["__tsan_read4", "__tsan_write4", "__ubsan_handle_shift_out_of_bounds_abort", "__dampf_choose"] {
        assert!(project.contains("counter", symbol), "{symbol}");
    }
    assert!(matches!(run_elsewhere(&project.path("counter")), None | Some(4)));
}

#[test]
fn objects_are_compiled_and_linked_apart() {
    if !is_installed(Compiler::Cxx) {
        return;
    }
    let caught = "#include <stdexcept>\nint thrown(int);\nint main() { try { return thrown(1); }\n\
                  catch (const std::runtime_error &) { return 9; } }\n";
    let thrown = "#include <stdexcept>\nint thrown(int i) { if (i) throw std::runtime_error(\"\"); return i; }\n";
    let project = Project::new(&[("caught.cc", caught), ("thrown.cpp", thrown)]);
    assert_eq!(project.compile(Compiler::Cxx, &["-c", "%caught.cc", "-o", "%caught.o", "-MMD", "-MF", "%caught.d"]), 0);
    assert_eq!(project.compile(Compiler::Cxx, &["-c", "%thrown.cpp", "-o", "%thrown.o"]), 0);
    assert!(project.contains("caught.d", "caught.cc"));
    assert!(!project.contains("caught.o", "__dampf_choose"), "nothing of ours is in an object");
    std::fs::write(project.path("arguments"), format!("'{}'", project.path("thrown.o").display())).expect("written");
    let link = ["%caught.o", "@%arguments", "-s", "-Wl,--gc-sections", "-o", "%caught"];
    assert_eq!(project.compile(Compiler::Cxx, &link), 0);
    assert!(project.contains("caught", "__tsan_atomic128_fetch_nand"), "hooks survive the linker's garbage collection");
    assert!(matches!(run_elsewhere(&project.path("caught")), None | Some(9)));
}

#[test]
fn other_questions_are_answered_by_the_compiler() {
    if !is_installed(Compiler::C) {
        return;
    }
    let project = Project::new(&[("small.c", "#include <dampf.h>\nint small(int *at) { return *at; }\n")]);
    for question in ["--version", "-dumpmachine", "-print-file-name=libc.a", "-v"] {
        assert_eq!(project.compile(Compiler::C, &[question]), 0, "{question}");
    }
    assert_eq!(project.compile(Compiler::C, &["-E", "%small.c", "-o", "%small.i"]), 0);
    assert!(project.contains("small.i", "__VERIFIER_nondet_int"));
    assert_eq!(project.compile(Compiler::C, &["-S", "%small.c", "-o", "%small.s"]), 0);
    assert!(project.contains("small.s", "__cyg_profile_func_enter"));
    assert_eq!(project.compile(Compiler::C, &["-M", "%small.c", "-MF", "%small.d"]), 0);
    assert!(project.contains("small.d", "dampf.h"));
    assert_eq!(project.compile(Compiler::C, &["-fsyntax-only", "%small.c"]), 0);
}

#[test]
fn the_compilers_exit_status_is_passed_on() {
    if !is_installed(Compiler::C) {
        return;
    }
    let project = Project::new(&[("wrong.c", "int main(void) { return absent; }\n")]);
    assert_ne!(project.compile(Compiler::C, &["%wrong.c", "-o", "%wrong", "-w"]), 0);
}

#[test]
fn more_arguments_than_the_system_passes_on_are_passed_on() {
    if !is_installed(Compiler::C) {
        return;
    }
    let project = Project::new(&[("main.c", "int main(void) { return 0; }\n"), ("empty.c", "int empty;\n")]);
    assert_eq!(project.compile(Compiler::C, &["-c", "%main.c", "-o", "%main.o"]), 0);
    assert_eq!(project.compile(Compiler::C, &["-c", "%empty.c", "-o", "%empty.o"]), 0);
    assert!(
        Command::new("ar").arg("rcs").args(["libempty.a", "empty.o"].map(|name| project.path(name))).status().is_ok()
    );
    let mut words = vec!["%main.o", "-o", "%main"];
    words.resize(20_000, "%libempty.a");
    assert_eq!(project.compile(Compiler::C, &words), 0);
}

#[test]
fn a_shared_library_is_refused() {
    let arguments = ["-shared", "a.o", "-o", "liba.so"].map(OsString::from);
    assert!(run(Compiler::C, &arguments).is_err());
}

#[test]
fn one_source_becomes_a_temporary_executable() {
    if !is_installed(Compiler::C) {
        return;
    }
    let project = Project::new(&[("-strange name.c", "int main(void) { return STATUS; }\n")]);
    let source = project.path("-strange name.c");
    let compiled = executable(&source, &["-DSTATUS=3".to_owned()]).expect("it compiles");
    assert!(matches!(run_elsewhere(compiled.path()), None | Some(3)));
    let path = compiled.path().to_owned();
    drop(compiled);
    assert!(!path.exists());
    for name in ["absent.c", "model.dve"] {
        assert!(executable(&project.path(name), &[]).is_err());
    }
}

#[test]
fn the_header_is_clean_in_every_language() {
    if !is_installed(Compiler::Cxx) {
        return;
    }
    let annotated = "#include <dampf.h>\nstruct resource { int value; } shared;\n\
        int main(void) {\n  int i = 0;\n  BEGINATOMIC\n  RANGE(i, 0, 3)\n  ENDATOMIC;\n  VLOCK(&shared)\n\
        \n  VUNLOCK(&shared);\n  void *any = &shared;\n  VLOCK(any);\n  VUNLOCK(any);\n  VASSERT(i >= 0, i <= 3)\n\
        \n  __VERIFIER_assume(i == 0);\n  return i + __VERIFIER_nondet_int();\n}\n";
    let threads = "#include <IVMThread.h>\nclass Worker : public IVMThread { void run() override { VASSERT(ID >= 2); } };\n\
        int started() { (new Worker)->start(); Worker second; second.start(); second.join(); return 0; }\nint status = started();\n";
    let both = format!("{annotated}{threads}");
    let project = Project::new(&[("annotated.c", annotated), ("annotated.cc", &both)]);
    let strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-value"];
    for standard in ["c11", "gnu11", "c17", "c2x"] {
        let standard = format!("-std={standard}");
        let words = [&strict[..], &[&standard, "%annotated.c", "-o", "%annotated"]].concat();
        assert_eq!(project.compile(Compiler::C, &words), 0, "{standard}");
        assert!(matches!(run_elsewhere(&project.path("annotated")), None | Some(0)));
    }
    for standard in ["c++11", "c++14", "c++17", "c++20", "gnu++20"] {
        let standard = format!("-std={standard}");
        let words = [&strict[..], &[&standard, "%annotated.cc", "-o", "%annotated"]].concat();
        assert_eq!(project.compile(Compiler::Cxx, &words), 0, "{standard}");
        assert!(matches!(run_elsewhere(&project.path("annotated")), None | Some(0)));
    }
}
