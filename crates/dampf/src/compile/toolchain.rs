//! The compiler that makes RISC-V executables: where it is found, and the flags it is given.
//!
//! Why these flags:
//! - `-g` and `-fno-omit-frame-pointer`, `-fno-optimize-sibling-calls`, `-funwind-tables`: a trail names lines, and
//!   the callers of a function are found at any time.
//! - `-O0`, whatever the user says: every access to memory stays where the source has it, and is made once. From `-O1`
//!   on gcc drops the load of a named variable whose value nobody uses, and no flag keeps it; other accesses can be
//!   kept in their places only by naming every pass that moves, merges or drops one. What `-O0` drops itself is the
//!   load for a condition that decides nothing: the branch goes when the control-flow graph is made, the load in the
//!   pass `jump` or, where that is disabled, in the register allocation. clang is given the user's level: with the
//!   callbacks for races, it announces what it optimises away.
//! - `-fno-builtin-malloc` and their like: an allocation that nobody needs can be wrong all the same, and copies are
//!   made by the function that the source names, which can be called wrongly.
//! - `-msmall-data-limit=0`: small constants are constants like others, and not kept among small variables.
//! - `-finstrument-functions`, but for the C++ library's headers: gcc lets a function tell that a block is left only if
//!   a call comes behind, which there is then.
//! - `-fno-jump-tables`: a function that jumps through a table jumps anywhere, as far as can be seen from its code, and
//!   what it will not read any more (`dampf-object/src/frame_slots.rs`) could not be told.
//! - `-fsigned-char`: as on the machines that programs are written for.
//! - `--no-relax`: the linker may shorten code, at the price of time that grows with the square of its size.
//! - `-B`: gcc finds an assembler of ours, which notes where inline assembly is (`runtime/as.sh`).
//! - `-D_GLIBCXX_USE_POSIX_SEMAPHORE`: of the two semaphores that libstdc++ has, the one that its releases 11 to 14 do
//!   not use by themselves. The other one may sleep for ever although it is free (GCC's bug 104928), which is no fault
//!   of the program's; and it has many more states.
//! - `-fsanitize=address` without its checks: variables have room around them, and functions tell which bytes of their
//!   frames are no variable's. gcc cannot look for races at the same time, so `-fno-inline-atomics` makes atomic
//!   operations calls that tell what they are, and a header that is always included does so for those that are
//!   expanded all the same. clang, which has no such flag, is given `-fsanitize=thread`: a call for each access that
//!   may be shared, with its memory order; its variables have no room around them.
//! - `-fsanitize=undefined` but for what the machine itself sees more exactly (null and misaligned pointers, bounds
//!   of objects in memory), what needs the sanitizer's own runtime (virtual tables), and what real programs do to no
//!   harm (a null pointer with a length of zero). Every report is a fault, so none returns.
//!
//! gcc's driver hands sanitizer flags to the compiler and asks the linker for the sanitizers' libraries. A specs file
//! tells it to do the former only. clang has `-Xclang` for that. gcc is the first choice: clang sees less. It
//! also leaves a plain copy of every atomic load that it has announced in the code, which the machine takes for a part
//! of the load.

use super::Compiler;
use super::arguments::Invocation;
use super::runtime::Runtime;
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Given before the user's flags, which therefore win.
const FLAGS_BEFORE: &[&str] = &[
    "-g",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-funwind-tables",
    "-fno-stack-protector",
    "-fsigned-char",
    "-fno-pie",
    "-fno-builtin-malloc",
    "-fno-builtin-calloc",
    "-fno-builtin-realloc",
    "-fno-builtin-free",
    "-fno-builtin-aligned_alloc",
    "-fno-builtin-posix_memalign",
    "-fno-builtin-memcpy",
    "-pthread",
    "-D__DAMPF__=1",
    "-D_GLIBCXX_USE_POSIX_SEMAPHORE=1",
];

/// Given after the user's flags: the checks depend on them.
const FLAGS_AFTER: &[&str] = &["-U_FORTIFY_SOURCE", "-fno-lto"];

/// The same for gcc.
const FLAGS_AFTER_GCC: &[&str] = &["-O0", "-msmall-data-limit=0", "-fno-jump-tables"];

const FLAGS_LINKING: &[&str] = &["-static", "-no-pie", "-Wl,--no-relax"];

/// Functions of a program that are known by their names, or by how these begin; inlined, they would have none.
const NAMED_FUNCTIONS: [&str; 3] = ["__VERIFIER_atomic_", "assume_abort_if_not", "reach_error"];

/// What counts as an undefined operation.
const UNDEFINED: &str = "-fsanitize=shift,integer-divide-by-zero,unreachable,vla-bound,return,signed-integer-overflow,\
                         float-cast-overflow,bounds,bool,enum,builtin";

/// The same for clang's compiler proper, which knows no groups.
const UNDEFINED_CLANG: &str = "-fsanitize=shift-base,shift-exponent,integer-divide-by-zero,unreachable,vla-bound,return,\
                               signed-integer-overflow,float-cast-overflow,array-bounds,bool,enum,builtin";

/// The name of the machine that programs are compiled for.
const TARGET: &str = "riscv64-linux-gnu";

const GCC_NAMES: [(&str, &str); 3] = [
    ("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-g++"),
    ("riscv64-unknown-linux-gnu-gcc", "riscv64-unknown-linux-gnu-g++"),
    ("riscv64-suse-linux-gcc", "riscv64-suse-linux-g++"),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavour {
    Gcc,
    Clang,
}

/// A compiler for the machine.
#[derive(Debug)]
pub struct Toolchain {
    compiler: Compiler,
    flavour: Flavour,
    program: PathBuf,
    /// Arguments that make the program the compiler it is: a launcher's operand, `--target`.
    leading: Vec<OsString>,
}

impl Toolchain {
    /// The compiler that the environment names, or else one that is installed.
    pub fn find(compiler: Compiler) -> Result<Toolchain, Failure> {
        let variable = compiler.variable();
        match std::env::var(variable) {
            Ok(words) if !words.trim().is_empty() => Toolchain::named(compiler, variable, &words),
            _ => installed(compiler).ok_or_else(|| none_is_installed(compiler)),
        }
    }

    /// A compiler given as a program with leading arguments.
    fn named(compiler: Compiler, variable: &str, words: &str) -> Result<Toolchain, Failure> {
        let mut words = words.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut leading: Vec<OsString> = words.map(OsString::from).collect();
        let path = find_program(program).ok_or_else(|| {
            Failure::with_help(
                format!("{variable}: there is no program `{program}`"),
                format!("{variable} names a C or C++ compiler for {TARGET}, with its leading arguments"),
            )
        })?;
        let flavour = flavour(&path, &leading);
        let targeted = |word: &OsString| word.to_string_lossy().starts_with("--target") || word == "-target";
        let is_cross = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("riscv64"));
        if flavour == Flavour::Clang && !is_cross && !leading.iter().any(targeted) {
            leading.push(format!("--target={TARGET}").into());
        }
        Ok(Toolchain { compiler, flavour, program: path, leading })
    }

    pub fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// The compiler with no arguments of a user yet.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.leading);
        command
    }

    /// The path of the assembler that gcc calls; none for clang, which has one built in.
    pub fn assembler(&self) -> Option<String> {
        if self.flavour == Flavour::Clang {
            return None;
        }
        let answer = self.command().arg("-print-prog-name=as").stdin(Stdio::null()).output().ok()?;
        let name = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
        find_program(&name).map(|path| path.display().to_string())
    }

    /// What the compiled runtime depends on: the compiler, and its version by the file it is.
    pub fn identity(&self) -> String {
        let path = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        let file = path.metadata().map(|metadata| (metadata.len(), metadata.modified().ok()));
        format!("{} {:?} {file:?}", path.display(), self.leading)
    }

    /// Our flags that come before the user's.
    pub fn flags_before(&self, runtime: &Runtime) -> Vec<OsString> {
        let mut flags: Vec<OsString> = FLAGS_BEFORE.iter().map(OsString::from).collect();
        flags.extend(["-isystem".into(), runtime.include_directory().into()]);
        match self.flavour {
            Flavour::Gcc => {
                flags.extend(["-B".into(), runtime.tools_directory().into()]);
                flags.extend(["-include".into(), runtime.atomics_header().into()]);
                let mut specs = OsString::from("-specs=");
                specs.push(runtime.specs());
                flags.push(specs);
            }
            Flavour::Clang => {
                // Of our flags, a question or an object alone needs few, and clang would count the others up. An access
                // through a null pointer is ours to report, and not to be optimised away.
                flags.extend(["-O0", "-Qunused-arguments", "-fno-delete-null-pointer-checks"].map(OsString::from));
                for flag in ["-fsanitize=thread", UNDEFINED_CLANG] {
                    flags.extend(["-Xclang".into(), flag.into()]);
                }
                for flag in ["-tsan-distinguish-volatile=1", "-tsan-instrument-func-entry-exit=0"] {
                    flags.extend(["-mllvm".into(), flag.into()]);
                }
            }
        }
        flags
    }

    /// Our flags that come after the user's.
    pub fn flags_after(&self, runtime: &Runtime, invocation: &Invocation) -> Vec<OsString> {
        let mut flags: Vec<OsString> = FLAGS_AFTER.iter().map(OsString::from).collect();
        if self.flavour == Flavour::Gcc {
            flags.extend(FLAGS_AFTER_GCC.iter().map(OsString::from));
        }
        if NAMED_FUNCTIONS.iter().any(|name| invocation.mentions(name)) {
            flags.push("-fno-inline".into());
        }
        if invocation.links() {
            flags.extend(FLAGS_LINKING.iter().map(OsString::from));
        }
        if invocation.links_program() {
            // Given as an input, the object would be taken for a source after a `-x`.
            flags.extend(["-Xlinker".into(), runtime.hooks().into()]);
            if self.compiler == Compiler::Cxx {
                // Referred to weakly by virtual tables, and so left out of a static executable: a null call instead.
                flags.push("-Wl,--undefined=__cxa_pure_virtual".into());
            }
            if self.flavour == Flavour::Clang {
                flags.push("-latomic".into());
            }
        }
        flags
    }

    /// Compiles our own part of a checked program, which is not checked itself.
    pub fn compile_plainly(&self, source: &Path, object: &Path) -> Result<(), Failure> {
        let mut command = self.command();
        command.args(["-x", "c", "-std=gnu11", "-O2", "-fno-stack-protector", "-fno-pie", "-pthread", "-w", "-c"]);
        command.arg(source).arg("-o").arg(object);
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Failure::new(format!("cannot run `{}`: {error}", self.name())))?;
        if output.status.success() {
            return self.check_target(object);
        }
        let messages = String::from_utf8_lossy(&output.stderr);
        Err(Failure::with_help(
            format!("`{}` cannot compile programs for {TARGET}:\n{}", self.name(), messages.trim_end()),
            "a compiler with the machine's C library is needed; DAMPF_CC and DAMPF_CXX may name another one",
        ))
    }

    /// Refuses a compiler for another machine, which is known by what it made: to compile is all that it can do.
    fn check_target(&self, object: &Path) -> Result<(), Failure> {
        const HEADER_BYTES: usize = 20;
        const RISCV: [u8; 2] = 243_u16.to_le_bytes();
        const WORDS_OF_64_BITS: u8 = 2;
        let bytes = std::fs::read(object)
            .map_err(|error| Failure::new(format!("cannot read `{}`: {error}", object.display())))?;
        let fits = bytes.len() >= HEADER_BYTES && bytes[4] == WORDS_OF_64_BITS && bytes[18..HEADER_BYTES] == RISCV;
        if bytes.starts_with(b"\x7fELF") && fits {
            return Ok(());
        }
        let variable = self.compiler.variable();
        let (c, cxx) = GCC_NAMES[0];
        let example = if self.compiler == Compiler::C { c } else { cxx };
        Err(Failure::with_help(
            format!("`{}` compiles for another machine, not for {TARGET}", self.name()),
            format!(
                "{variable} has to name a cross compiler, {variable}={example} for instance; unset, it is looked for"
            ),
        ))
    }
}

/// What gcc's driver is told: sanitizers are the compiler's business alone.
pub fn specs() -> String {
    format!(
        "*cc1:\n+ -fsanitize=address {UNDEFINED} -fno-sanitize-recover=all -fno-inline-atomics \
         --param=asan-instrument-reads=0 --param=asan-instrument-writes=0 --param=asan-memintrin=0 \
         --param=asan-use-after-return=0 \
         -finstrument-functions -finstrument-functions-exclude-file-list=include/c++/\n\n"
    )
}

fn installed(compiler: Compiler) -> Option<Toolchain> {
    let of_pair = |pair: (&'static str, &'static str)| match compiler {
        Compiler::C => pair.0,
        Compiler::Cxx => pair.1,
    };
    let native = (std::env::consts::ARCH == "riscv64" && std::env::consts::OS == "linux").then_some(("gcc", "g++"));
    let gcc = GCC_NAMES.into_iter().chain(native).find_map(|pair| find_program(of_pair(pair)));
    let gcc = gcc.map(|program| Toolchain { compiler, flavour: Flavour::Gcc, program, leading: Vec::new() });
    gcc.or_else(|| {
        let program = find_program(of_pair(("clang", "clang++")))?;
        let leading = vec![format!("--target={TARGET}").into()];
        Some(Toolchain { compiler, flavour: Flavour::Clang, program, leading })
    })
}

fn none_is_installed(compiler: Compiler) -> Failure {
    let language = if compiler == Compiler::C { "C" } else { "C++" };
    let variable = compiler.variable();
    Failure::with_help(
        format!("no {language} compiler for {TARGET} is installed"),
        format!(
            "run scripts/setup, or apt-get install gcc-{TARGET} g++-{TARGET}; {variable} may name another compiler"
        ),
    )
}

/// Which of the two families a compiler belongs to: by its name, or by what it says of itself.
fn flavour(program: &Path, leading: &[OsString]) -> Flavour {
    let names: Vec<String> = std::iter::once(program.as_os_str())
        .chain(leading.iter().map(OsString::as_os_str))
        .filter_map(|word| Path::new(word).file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let any = |part: &str| names.iter().any(|name| name.contains(part));
    if any("clang") {
        return Flavour::Clang;
    }
    if any("gcc") || any("g++") {
        return Flavour::Gcc;
    }
    let answer = Command::new(program).args(leading).arg("--version").stdin(Stdio::null()).output();
    let says_clang = answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains("clang"));
    if says_clang { Flavour::Clang } else { Flavour::Gcc }
}

/// Where a program is that a shell would run under this name.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_executable(path));
    }
    let directories = std::env::var_os("PATH").unwrap_or_else(|| OsStr::new("/usr/local/bin:/usr/bin:/bin").into());
    std::env::split_paths(&directories).map(|directory| directory.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
