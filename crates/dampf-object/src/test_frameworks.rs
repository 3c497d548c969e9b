//! What is known of test frameworks: GoogleTest, doctest and Catch2.
//!
//! A framework is compiled with the program, so nothing but the names of its files tells its code from the user's. Its
//! code is checked like any other. Three things are different:
//!
//! - No line of it is the user's: whatever happens in it is told at the line of the test that led there.
//! - The clocks that it times tests with stand still. Each of them could jump, as any clock that is looked at, and
//!   every test would double the states for the sake of a figure in its report.
//! - A check that fails is a fault where the framework counts it, and not only when the program ends: at the line of
//!   the check. Checks that the program expects to fail do not get there ([`Place::FailedCheck`]).
//!
//! [`Place::FailedCheck`]: crate::hooks::Place::FailedCheck

use crate::machine::Machine;
use crate::program::is_users;
use crate::run_end::RunEnd;
use crate::step::Next;
use dampf_core::FaultKind;
use dampf_rv::image::Image;
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A1: usize = 11;

/// What a result of GoogleTest's is, if it is a failure: `TestPartResult::Type`.
const GOOGLE_FAILURES: std::ops::RangeInclusive<u32> = 1..=2;

/// Where a result of GoogleTest's has its text: the pointer of a string, and its length behind it.
const GOOGLE_SUMMARY: u64 = 48;

/// The bit of doctest's for a check that only warns.
const DOCTEST_WARNS: u64 = 1;

/// Texts of frameworks are cut at this length.
const TEXT_BYTES_MAX: u64 = 300;

/// Whether a program has functions of a framework.
pub fn has_framework(image: &Image) -> bool {
    let names = ["_ZN7testing8internal", "_ZN7doctest", "_ZN5Catch"];
    image.symbols().iter().any(|symbol| names.iter().any(|name| symbol.name.starts_with(name)))
}

/// Whether a source file is part of a test framework, wherever it is installed or copied to.
pub fn is_frameworks_file(file: &str) -> bool {
    let folders = [
        "include/gtest/",
        "include/gmock/",
        "googletest/src/",
        "googletest/include/",
        "googlemock/src/",
        "googlemock/include/",
        "include/catch2/",
        "src/catch2/",
    ];
    let files = ["doctest.h", "catch.hpp", "catch_amalgamated.hpp", "catch_amalgamated.cpp"];
    folders.iter().any(|folder| file.contains(folder)) || file.rsplit('/').next().is_some_and(|it| files.contains(&it))
}

/// Whether a variable is a framework's, or one that its macros define.
pub fn is_frameworks_variable(name: &str) -> bool {
    let beginnings = [
        "testing::",
        "doctest::",
        "doctest_detail_",
        "Catch::",
        "DOCTEST_ANON_",
        "_DOCTEST_ANON_",
        "(anonymous namespace)::autoRegistrar",
    ];
    beginnings.iter().any(|beginning| name.starts_with(beginning)) || name.ends_with("_Test::test_info_")
}

impl Machine<'_> {
    /// Whether what a thread is about to do, it does for a framework: the innermost call from code that is not a
    /// library's comes from there.
    pub fn acts_for_framework(&self, hart: &Hart) -> bool {
        let program = &self.system.program;
        let is_frameworks = |pc: u64| {
            let frames = if program.is_user_code(pc) { program.debug.frames(pc) } else { Vec::new() };
            let frame = frames.iter().find(|frame| is_frameworks_file(&frame.file) || is_users(frame));
            frame.map(|frame| is_frameworks_file(&frame.file))
        };
        let innermost = || self.nearest_call(hart, |pc| is_frameworks(pc).is_some()).and_then(is_frameworks);
        program.has_framework && is_frameworks(hart.pc).or_else(innermost) == Some(true)
    }

    /// GoogleTest takes note of a result, which its second argument points to.
    pub fn note_google_result(&self, hart: &Hart) -> Result<Next, RunEnd> {
        let result = hart.x[A1];
        if !GOOGLE_FAILURES.contains(&self.memory.peek_word(result)) {
            return Ok(Next::Run);
        }
        let [text, length] = [0, 8].map(|at| self.memory.peek_long(result.wrapping_add(GOOGLE_SUMMARY + at)));
        let mut bytes = vec![0; length.min(TEXT_BYTES_MAX) as usize];
        let is_there = self.memory.peek(text, &mut bytes);
        let words = String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ");
        Err(failed_check(if is_there { &words } else { "" }))
    }

    /// doctest counts a check that failed, whose kind is its first argument.
    pub fn note_doctest_failure(&self, hart: &Hart) -> Result<Next, RunEnd> {
        if hart.x[A0] & DOCTEST_WARNS != 0 { Ok(Next::Run) } else { Err(failed_check("")) }
    }
}

fn failed_check(text: &str) -> RunEnd {
    let colon = if text.is_empty() { "" } else { ": " };
    RunEnd::fault(FaultKind::Assertion, format!("a check of the test fails{colon}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_are_known_by_their_files() {
        for file in [
            "/usr/src/googletest/googletest/src/gtest.cc",
            "third_party/googletest/googlemock/include/gmock/gmock.h",
            "/opt/include/gtest/gtest.h",
            "/usr/include/doctest/doctest.h",
            "doctest.h",
            "/usr/include/catch2/catch.hpp",
        ] {
            assert!(is_frameworks_file(file), "{file}");
        }
        for file in ["googletest/samples/sample1_unittest.cc", "tests/my_doctest.h", "gtest.cc", "tests/gtest/queue.cc"]
        {
            assert!(!is_frameworks_file(file), "{file}");
        }
    }
}
