//! The preprocessor: what C's does to a text, done to lexemes.
//!
//! SPIN hands every model to the C preprocessor first, so models are written for it. Doing the same on lexemes
//! instead of on text keeps the place of everything: what a macro makes stands where its name was written, and what
//! it is given stands where it was given. Files are read on demand, in the order in which the directives name them,
//! and become parts of one [`Source`]; a file that is included twice is there once.
//!
//! Nothing here hangs or grows without bound: files, their nesting, and the lexemes that macros make are all counted.

mod condition;
mod directive;
mod expand;

use crate::lexer::{Lexeme, Token, lex};
use crate::problem::Problem;
use dampf_core::{Source, Span};
use expand::{Context, Macro};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Finds an included file: from the name as written and the path of the including file to a path and a text.
pub type Include<'i> = dyn FnMut(&str, &Path) -> Result<(String, String), String> + 'i;

/// Files within files.
const INCLUSION_DEPTH_MAX: usize = 64;
/// Inclusions in all: files may include each other many times over.
const INCLUSIONS_MAX: usize = 10_000;
/// Lexemes that come out. A model near this size has other troubles.
const LEXEMES_MAX: usize = 2_000_000;
/// Longer texts have places that a [`Span`] cannot name.
const TEXT_BYTES_MAX: usize = u32::MAX as usize / 2;

pub struct Preprocessed {
    /// The main file and all included ones.
    pub source: Arc<Source>,
    /// The last one is always [`Token::End`].
    pub lexemes: Vec<Lexeme>,
    /// Where the included files begin in the whole text.
    pub file_starts: Vec<u32>,
    /// Whether the text was read to its end.
    pub is_whole: bool,
    pub problems: Vec<Problem>,
}

pub fn preprocess<'i>(
    source: Arc<Source>,
    definitions: &[(String, String)],
    include: &'i mut Include<'i>,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(&source, include);
    for (name, text) in definitions {
        preprocessor.define_from_outside(name, text);
    }
    let lexemes = preprocessor.run();
    let is_whole = !preprocessor.is_over;
    let problems = preprocessor.problems;
    let file_starts = preprocessor.files.iter().skip(1).map(|file| file.start as u32).collect();
    let mut files = preprocessor.files.into_iter().map(|file| (file.path, file.text)).skip(1).peekable();
    let source = match files.peek() {
        None => source,
        Some(_) => Source::with_included(source.path.clone(), source.text.clone(), files.collect()),
    };
    Preprocessed { source, lexemes, file_starts, is_whole, problems }
}

struct File {
    path: String,
    /// Empty for the main file, which the caller has.
    text: String,
    /// Where the file begins and ends in the whole text.
    start: usize,
    end: usize,
    lexemes: Rc<[Lexeme]>,
}

/// A file that is being read.
struct OpenFile {
    file: usize,
    at: usize,
    /// How many conditionals were open when it was opened; it must not close them.
    conditionals: usize,
}

/// An `#if` that waits for its `#endif`.
struct Conditional {
    span: Span,
    /// Whether the text around it counts.
    is_reachable: bool,
    is_active: bool,
    /// Whether one of its branches was active already.
    is_decided: bool,
    has_else: bool,
}

struct Preprocessor<'i> {
    files: Vec<File>,
    open: Vec<OpenFile>,
    inclusions: usize,
    conditionals: Vec<Conditional>,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// What macros made and nobody has read yet, innermost last.
    contexts: Vec<Context>,
    /// A lexeme of the file that was looked at and left.
    put_back: Option<Lexeme>,
    /// Whether a line break came before what is read next.
    after_newline: bool,
    /// Whether a line break comes before the next lexeme of the file, whatever stands there.
    owes_newline: bool,
    /// Arguments within arguments that are being expanded.
    argument_depth: usize,
    /// Lexemes that macros have made.
    made: usize,
    /// Set when it makes no sense to go on.
    is_over: bool,
    problems: Vec<Problem>,
    include: &'i mut Include<'i>,
}

impl<'i> Preprocessor<'i> {
    fn new(source: &Source, include: &'i mut Include<'i>) -> Self {
        let mut problems = Vec::new();
        let is_long = source.text.len() >= TEXT_BYTES_MAX;
        if is_long {
            problems.push(*Problem::new(Span::new(0, 0), "the text is 2 GiB long or longer", "begins here"));
        }
        let lexemes = if is_long { Vec::new() } else { lex(&source.text, 0, &mut problems) };
        // The only problem of a lexer is a comment that hides all that follows.
        let is_over = !problems.is_empty();
        let end = source.text.len();
        let main = File { path: source.path.clone(), text: String::new(), start: 0, end, lexemes: lexemes.into() };
        Preprocessor {
            files: vec![main],
            open: vec![OpenFile { file: 0, at: 0, conditionals: 0 }],
            inclusions: 0,
            conditionals: Vec::new(),
            macros: HashMap::new(),
            contexts: Vec::new(),
            put_back: None,
            after_newline: false,
            owes_newline: false,
            argument_depth: 0,
            made: 0,
            is_over,
            problems,
            include,
        }
    }

    fn run(&mut self) -> Vec<Lexeme> {
        let mut out = Vec::new();
        while let Some(mut lexeme) = self.next() {
            lexeme.after_newline = std::mem::take(&mut self.after_newline);
            out.push(lexeme);
            if out.len() == LEXEMES_MAX {
                let message = format!("the model has more than {LEXEMES_MAX} words after preprocessing");
                let problem = Problem::new(out[LEXEMES_MAX - 1].span, message, "too long from here on");
                self.problems.push(*problem);
                self.is_over = true;
            }
        }
        let end = Span::new(self.files[0].end, self.files[0].end);
        let after_newline = true;
        out.push(Lexeme { after_newline, ..Lexeme::new(Token::End, "".into(), end) });
        out
    }

    /// The next lexeme of the files that is not left out; directives on the way are obeyed.
    fn raw(&mut self) -> Option<Lexeme> {
        if let Some(lexeme) = self.put_back.take() {
            return Some(lexeme);
        }
        while !self.is_over {
            let open = self.open.last_mut()?;
            let lexemes = &self.files[open.file].lexemes;
            match lexemes.get(open.at) {
                None => self.close_file(),
                Some(lexeme) if lexeme.starts_line && lexeme.token == Token::Hash => {
                    let lexemes = Rc::clone(lexemes);
                    let start = open.at;
                    let length = lexemes[start + 1..].iter().position(|lexeme| lexeme.starts_line);
                    open.at = length.map_or(lexemes.len(), |length| start + 1 + length);
                    let end = open.at;
                    self.directive(&lexemes[start], &lexemes[start + 1..end]);
                }
                Some(lexeme) => {
                    open.at += 1;
                    let mut lexeme = lexeme.clone();
                    if self.is_active() {
                        lexeme.after_newline |= std::mem::take(&mut self.owes_newline);
                        return Some(lexeme);
                    }
                }
            }
        }
        None
    }

    fn is_active(&self) -> bool {
        self.conditionals.last().is_none_or(|conditional| conditional.is_active)
    }

    /// Ends the innermost file, which must have closed what it opened.
    fn close_file(&mut self) {
        let Some(open) = self.open.pop() else { return };
        for conditional in self.conditionals.drain(open.conditionals..) {
            let problem = Problem::new(conditional.span, "a conditional is not closed", "begins here");
            self.problems.push(*problem.help("close it with `#endif`"));
        }
    }

    /// Goes on with the file of this name, and with the present one when that has ended.
    fn include(&mut self, name: &str, span: Span) {
        self.inclusions += 1;
        if self.open.len() > INCLUSION_DEPTH_MAX || self.inclusions > INCLUSIONS_MAX {
            let message = format!("`{name}` is included within too many other files");
            let problem = Problem::new(span, message, "goes no further than here");
            self.problems.push(*problem.help("do two files include each other? guard them with `#ifndef`"));
            self.is_over = true;
            return;
        }
        let Some(current) = self.open.last() else { return };
        let including = self.files[current.file].path.clone();
        let (path, text) = match (self.include)(name, Path::new(&including)) {
            Ok(found) => found,
            Err(reason) => {
                let message = format!("cannot include `{name}`: {reason}");
                self.problems.push(*Problem::new(span, message, "included here"));
                return;
            }
        };
        let known = self.files.iter().position(|file| file.path == path);
        let file = known.unwrap_or_else(|| self.add_file(path, text, span));
        self.open.push(OpenFile { file, at: 0, conditionals: self.conditionals.len() });
    }

    fn add_file(&mut self, path: String, text: String, span: Span) -> usize {
        // One for the line break between two files.
        let start = self.files.last().map_or(0, |last| last.end + 1);
        let is_long = start + text.len() >= TEXT_BYTES_MAX;
        let text = if is_long { String::new() } else { text };
        if is_long {
            self.problems.push(*Problem::new(span, "all files together are 2 GiB long or longer", "included here"));
            self.is_over = true;
        }
        let problems = self.problems.len();
        let lexemes = lex(&text, start, &mut self.problems).into();
        self.is_over |= self.problems.len() > problems;
        let end = start + text.len();
        self.files.push(File { path, text, start, end, lexemes });
        self.files.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out of a text, lines as they are.
    fn preprocessed(text: &str) -> String {
        let mut no_files = |_: &str, _: &Path| Err("no such file".to_owned());
        let out = preprocess(Source::new("test.pml", text), &[], &mut no_files);
        assert!(out.problems.is_empty(), "{:?}", out.problems);
        let mut lines = String::new();
        for lexeme in &out.lexemes[..out.lexemes.len() - 1] {
            lines += if lexeme.after_newline { "\n" } else { " " };
            lines += &lexeme.text;
        }
        lines.trim_start().to_owned()
    }

    #[test]
    fn what_came_out_is_scanned_again_but_for_its_own_name() {
        assert_eq!(preprocessed("#define a b\n#define b a + c\na b c"), "a + c b + c c");
        assert_eq!(preprocessed("#define f(x) x * f\n#define g(x) f(x)\ng(2)(3) f"), "2 * f ( 3 ) f");
        assert_eq!(preprocessed("#define f(x) <x>\n#define open f(\nopen 1) f (2) f + f(y)"), "< 1 > < 2 > f + < y >");
        assert_eq!(preprocessed("#define f(x) x x\nf(f(f(1)))"), "1 1 1 1 1 1 1 1");
    }

    #[test]
    fn arguments_are_expanded_unless_they_are_pasted_or_quoted() {
        let text = "#define one 1\n#define show(x) x #x x ## 0\n#define later(x) show(x)\nshow(one)\nlater(one)";
        assert_eq!(preprocessed(text), "1 \"one\" one0\n1 \"1\" 10");
        assert_eq!(preprocessed("#define s(x) #x\ns( \"a\\n\"  + 'b' /* c */ d )"), r#""\"a\\n\" + 'b' d""#);
        assert_eq!(preprocessed("#define p(a, b, c) a ## b ## c\np(1,,2) p(,x,) p(,,) p(-,>,)"), "12 x ->");
        assert_eq!(preprocessed("#define v(a, ...) a{__VA_ARGS__}\nv(1) v(1,2,(3,4))"), "1 { } 1 { 2 , ( 3 , 4 ) }");
    }

    #[test]
    fn lines_are_those_of_the_text() {
        assert_eq!(preprocessed("a \\\n b /*\n*/ c // d\ne"), "a\nb\nc\ne");
        assert_eq!(preprocessed("#define f(x, y) x y\na f(1,\n2) b\nc"), "a 1 2\nb\nc");
        assert_eq!(preprocessed("#define none\nnone a\nnone\nb none c"), "a\nb c");
        assert_eq!(preprocessed("#define long a \\\n b\nlong c"), "a b c");
    }

    #[test]
    fn conditions_choose() {
        let text =
            "#define N 2\n#if N > 2\na\n#elif N * 3 == 6 && defined N && !defined(M)\nb\n#elif 1\nc\n#else\nd\n#endif";
        assert_eq!(preprocessed(text), "b");
        assert_eq!(preprocessed("#if 0\n'\n#if 1\n\"\n#else\n#endif\n#nonsense\n#else\na\n#endif"), "a");
        assert_eq!(
            preprocessed("#ifndef A\n#define A\n#endif\n#ifdef A\na\n#undef A\n#endif\n#ifdef A\nb\n#endif"),
            "a"
        );
        assert_eq!(preprocessed("#if (0x10 | 1) == 17 && -1 < 0 && '0' == 48 && ~0 == -1L\na\n#endif"), "a");
        assert_eq!(preprocessed("# 12 \"file\"\n#\n#line 3\n#pragma x\n#ident \"y\"\na # b"), "a # b");
    }

    #[test]
    fn what_a_macro_makes_stands_where_it_is_used() {
        let text = "#define f(x) x + y\n#define g f(1)\na f(b\n) g";
        let mut no_files = |_: &str, _: &Path| Err(String::new());
        let out = preprocess(Source::new("test.pml", text), &[], &mut no_files);
        let places: Vec<&str> = out.lexemes.iter().map(|lexeme| out.source.slice(lexeme.span)).collect();
        assert_eq!(places, ["a", "b", "f(b\n)", "f(b\n)", "g", "g", "g", ""]);
    }
}
