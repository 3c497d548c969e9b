//! The arguments of a compiler driver, read as far as Dampf has to.
//!
//! Response files are expanded, and arguments that would undo what checking needs are left out: sanitizers of
//! the user's own (their libraries do not exist for the machine; what they look for is checked anyway), stripped
//! symbols, position-independent executables, code that is generated at link time. Everything else stays, in
//! its order. Options with an operand of their own are known here, so that an operand is never taken for an
//! option or an input.

use super::Compiler;
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Options whose operand may be the next argument.
const WITH_OPERAND: &[&str] = &[
    "-o",
    "-D",
    "-U",
    "-I",
    "-L",
    "-l",
    "-x",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-G",
    "-b",
    "-V",
    "-J",
    "-F",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-wrapper",
    "-target",
    "-arch",
    "-framework",
    "--param",
    "--output",
    "--include",
    "--sysroot",
    "--entry",
    "--undefined",
    "--config",
    "-install_name",
];

/// Options after which nothing is linked.
const WITHOUT_LINKING: &[&str] = &[
    "-c",
    "--compile",
    "-S",
    "--assemble",
    "-E",
    "--preprocess",
    "-M",
    "-MM",
    "--dependencies",
    "--user-dependencies",
    "-fsyntax-only",
    "--precompile",
    "-emit-ast",
];

/// Beginnings of options that make more than an object, or tell what cannot be seen in a preprocessed source.
const BEYOND_OBJECTS: &[&str] = &[
    "-x",
    "-d",
    "-v",
    "-###",
    "-Wa,",
    "-Wp,",
    "-MJ",
    "-Xassembler",
    "-Xpreprocessor",
    "-aux-info",
    "-coverage",
    "--coverage",
    "-fcallgraph-info",
    "-fdump",
    "-fmodule",
    "-fplugin",
    "-fprofile",
    "-fstack-usage",
    "-ftest-coverage",
    "-ftime-",
    "-gsplit-dwarf",
    "-save-temps",
    "--save-temps",
    "-specs",
    "-wrapper",
];

/// Response files may name each other, but not for ever.
const RESPONSE_FILES_MAX: usize = 1000;

/// One call of a compiler driver.
#[derive(Debug)]
pub struct Invocation {
    arguments: Vec<OsString>,
    /// Whether inputs would be linked, if there are any.
    links: bool,
    has_inputs: bool,
    shared: bool,
    /// Whether the result is an object to be linked again, or one that does without the standard libraries.
    freestanding: bool,
    sources: Vec<PathBuf>,
}

impl Invocation {
    pub fn read(arguments: &[OsString]) -> Result<Invocation, Failure> {
        let mut invocation = Invocation {
            arguments: Vec::new(),
            links: true,
            has_inputs: false,
            shared: false,
            freestanding: false,
            sources: Vec::new(),
        };
        let mut expanded = expand(arguments)?.into_iter();
        while let Some(argument) = expanded.next() {
            if is_one_of(&argument, WITH_OPERAND) {
                invocation.has_inputs |= argument == "-l";
                invocation.arguments.push(argument);
                invocation.arguments.extend(expanded.next());
            } else {
                invocation.take(argument);
            }
        }
        Ok(invocation)
    }

    /// Takes an argument that is no operand.
    fn take(&mut self, argument: OsString) {
        self.links &= !is_one_of(&argument, WITHOUT_LINKING);
        let text = argument.as_bytes();
        match text {
            b"-shared" | b"--shared" => self.shared = true,
            b"-r" | b"-nostdlib" | b"-nodefaultlibs" | b"-nostartfiles" => self.freestanding = true,
            _ => self.has_inputs |= text == b"-" || !text.starts_with(b"-") || text.starts_with(b"-l"),
        }
        if !text.starts_with(b"-") && Compiler::of_source(Path::new(&argument)).is_some() {
            self.sources.push(PathBuf::from(&argument));
        }
        if let Some(list) = text.strip_prefix(b"-Wl,") {
            self.arguments.extend(for_linker(list));
        } else if !is_left_out(text) {
            self.arguments.push(argument);
        }
    }

    /// The arguments that are passed on.
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Where the one object is written that the invocation makes of one source, if that is all it does.
    pub fn only_object(&self) -> Option<PathBuf> {
        let [source] = self.sources.as_slice() else { return None };
        let (mut output, mut compiles, mut inputs) = (None, false, 0);
        let mut rest = self.arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.as_bytes();
            if BEYOND_OBJECTS.iter().any(|option| text.starts_with(option.as_bytes())) {
                return None;
            }
            match text {
                b"-o" => output = rest.next().map(PathBuf::from),
                b"-c" => compiles = true,
                _ if is_one_of(argument, WITH_OPERAND) => {
                    rest.next();
                }
                _ if is_one_of(argument, WITHOUT_LINKING) => return None,
                [b'-', b'o', ..] => return None,
                _ => inputs += usize::from(text == b"-" || !text.starts_with(b"-")),
            }
        }
        let output = output.unwrap_or_else(|| Path::new(source.file_stem().unwrap_or_default()).with_extension("o"));
        let is_file = output.metadata().map_or(true, |metadata| metadata.is_file());
        (compiles && inputs == 1 && is_file).then_some(output)
    }

    /// The flags of a compilation, ours among them, without its output; with the names that a list of dependencies has
    /// by itself only where the output is known.
    pub fn flags_to_preprocess(&self, arguments: &[OsString], output: &Path) -> Vec<OsString> {
        let mut flags = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_bytes() {
                b"-o" => {
                    rest.next();
                }
                b"-c" => {}
                _ => flags.push(argument.clone()),
            }
        }
        let has = |option: &str| arguments.iter().any(|argument| argument == option);
        if has("-MD") || has("-MMD") {
            if !has("-MF") {
                flags.extend(["-MF".into(), output.with_extension("d").into()]);
            }
            if !has("-MT") && !has("-MQ") {
                flags.extend(["-MQ".into(), output.into()]);
            }
        }
        flags
    }

    /// Whether a source has this text somewhere. One that cannot be read is the compiler's to complain about.
    pub fn mentions(&self, text: &str) -> bool {
        let has_text = |bytes: Vec<u8>| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        self.sources.iter().any(|source| std::fs::read(source).is_ok_and(has_text))
    }

    /// Whether files are linked.
    pub fn links(&self) -> bool {
        self.links && self.has_inputs
    }

    /// Whether an executable with the standard libraries is linked.
    pub fn links_program(&self) -> bool {
        self.links() && !self.freestanding
    }

    pub fn makes_shared_library(&self) -> bool {
        self.links() && self.shared
    }
}

fn is_one_of(argument: &OsStr, options: &[&str]) -> bool {
    options.iter().any(|option| argument == *option)
}

/// Whether an argument would undo what checking needs.
fn is_left_out(argument: &[u8]) -> bool {
    let is = |option: &str| argument == option.as_bytes();
    let begins = |option: &str| argument.starts_with(option.as_bytes());
    begins("-fsanitize=")
        || begins("-static-lib") && argument.ends_with(b"san")
        || begins("-shared-lib") && argument.ends_with(b"san")
        || begins("-flto")
        || is("-s")
        || is("-pie")
        || is("-static-pie")
        || is("-shared")
        || is("--shared")
}

/// What remains of a list of options for the linker.
fn for_linker(list: &[u8]) -> Option<OsString> {
    let undone = [b"-s".as_slice(), b"--strip-all", b"-pie", b"--pic-executable", b"-Bdynamic"];
    let kept: Vec<&[u8]> = list.split(|&byte| byte == b',').filter(|option| !undone.contains(option)).collect();
    let text = [b"-Wl,".as_slice(), &kept.join(&b',')].concat();
    (!kept.is_empty()).then(|| OsString::from_vec(text))
}

/// Replaces `@file` by the arguments in the file. One that cannot be read is left to the compiler, which takes it
/// for the name of an input.
fn expand(arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let mut expanded = Vec::new();
    let mut waiting: Vec<OsString> = arguments.iter().rev().cloned().collect();
    let mut files = 0;
    while let Some(argument) = waiting.pop() {
        let contents = match argument.as_bytes().strip_prefix(b"@") {
            Some(path) => std::fs::read(OsStr::from_bytes(path)).ok(),
            None => None,
        };
        let Some(contents) = contents else {
            expanded.push(argument);
            continue;
        };
        files += 1;
        if files > RESPONSE_FILES_MAX {
            return Err(Failure::new(format!("`{}`: too many response files", argument.display())));
        }
        waiting.extend(words(&contents).into_iter().rev());
    }
    Ok(expanded)
}

/// Splits the text of a response file as gcc does: at white space, with quotes and backslashes.
fn words(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(byte),
            b'\'' | b'"' => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// Writes an argument as one word of a response file, on a line of its own.
pub fn quote(argument: &OsStr, text: &mut Vec<u8>) {
    text.push(b'"');
    for &byte in argument.as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(byte);
    }
    text.extend(b"\"\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Invocation {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        Invocation::read(&arguments).expect("there are no response files")
    }

    #[test]
    fn what_links_is_told_from_what_does_not() {
        for linking in [&["a.c"][..], &["-o", "-c", "a.o"], &["a.o", "-lm"], &["-x", "c", "-"], &["-MD", "a.c"]] {
            assert!(read(linking).links_program(), "{linking:?}");
        }
        for other in [
            &["-c", "a.c"][..],
            &["-E", "-"],
            &["-MM", "a.c"],
            &["--version"],
            &["-v"],
            &["-o", "a.c"],
            &["-print-file-name=libc.a"],
            &["-r", "a.o"],
            &["-nostdlib", "a.o"],
            &[],
        ] {
            assert!(!read(other).links_program(), "{other:?}");
        }
    }

    #[test]
    fn one_object_of_one_source_is_recognised() {
        let object = |arguments: &[&str]| read(arguments).only_object().map(|path| path.display().to_string());
        assert_eq!(object(&["-c", "src/a.c", "-O2", "-I", "b.c"]), Some("a.o".to_owned()));
        assert_eq!(object(&["a.cc", "-c", "-o", "b/a.o", "-MD"]), Some("b/a.o".to_owned()));
        for other in
            [&["a.c"][..], &["-c", "a.c", "b.c"], &["-c", "-E", "a.c"], &["-c", "-x", "c", "a.h"], &["-c", "-"]]
        {
            assert_eq!(object(other), None, "{other:?}");
        }
        for option in ["-save-temps", "--coverage", "-Wa,-al", "-dD", "-fprofile-arcs", "-S", "a.o"] {
            assert_eq!(object(&["-c", "a.c", option]), None, "{option}");
        }
        let arguments = ["-g", "a.c", "-c", "-o", "b/a.o", "-MD"];
        let invocation = read(&arguments);
        let flags = invocation.flags_to_preprocess(invocation.arguments(), Path::new("b/a.o"));
        assert_eq!(flags, ["-g", "a.c", "-MD", "-MF", "b/a.d", "-MQ", "b/a.o"]);
    }

    #[test]
    fn shared_libraries_are_recognised_where_they_are_linked() {
        assert!(read(&["-shared", "a.o", "-o", "liba.so"]).makes_shared_library());
        assert!(!read(&["-shared", "-c", "a.c"]).makes_shared_library());
        assert!(!read(&["-Xlinker", "-shared", "--version"]).makes_shared_library());
    }

    #[test]
    fn what_would_undo_the_checks_is_left_out() {
        let kept = read(&[
            "-fsanitize=address",
            "-fno-sanitize=shift",
            "-s",
            "-pie",
            "-flto=auto",
            "-static-libasan",
            "a.c",
            "-o",
            "-s",
            "-Wl,-s",
            "-Wl,-z,now,--strip-all",
        ]);
        assert_eq!(kept.arguments(), ["-fno-sanitize=shift", "a.c", "-o", "-s", "-Wl,-z,now"]);
    }

    #[test]
    fn words_of_response_files_are_those_of_gcc() {
        let text = b" -DA='x y'  \"-D B=\\\"\"\n\t-o a\\ b.o '' ";
        assert_eq!(words(text), ["-DA=x y", "-D B=\"", "-o", "a b.o", ""]);
    }

    #[test]
    fn quoted_arguments_are_read_back() {
        let arguments = ["-DX=\"a b\"", "c:\\d e", "", "plain", "it's", "two\nlines"];
        let mut text = Vec::new();
        for argument in arguments {
            quote(OsStr::new(argument), &mut text);
        }
        assert_eq!(words(&text), arguments);
    }

    #[test]
    fn response_files_that_name_themselves_end() {
        let directory = tempfile::tempdir().expect("there is a temporary directory");
        let path = directory.path().join("endless");
        let argument = OsString::from(format!("@{}", path.display()));
        std::fs::write(&path, argument.as_bytes()).expect("the file can be written");
        assert!(Invocation::read(std::slice::from_ref(&argument)).is_err());
        let absent = OsString::from("@/there/is/no/such/file");
        assert_eq!(Invocation::read(std::slice::from_ref(&absent)).expect("left alone").arguments(), [absent]);
    }
}
