//! What threads are called: by the function that the user gave them.
//!
//! A thread of C is given its function. `std::thread` and `std::async` give theirs a function of the library that calls
//! the user's, which is in an object on the heap: a pointer to a function, or a lambda, whose type says which. The
//! object is gone when the thread has begun, so the function is looked for when the thread is created, and is the
//! thread's entry from then on.

use crate::faults::short_name;
use crate::layout::Region;
use crate::machine::Machine;
use crate::program::{Program, is_users_file};
use dampf_rv::image::{Symbol, SymbolKind, demangle};
use std::collections::HashMap;
use std::sync::Mutex;

/// The library's function in which every thread of `std::thread` begins, and ours for a class with a function `run`.
const NATIVE_ROUTINE: &str = "execute_native_thread_routine";
const BODY: &str = "_ZN10ICVMThread4bodyEPv";
/// Where the table of virtual functions of a thread's state has the one that runs, in bytes.
const RUN: u64 = 16;
/// Functions of a table of virtual functions among which `run` is looked for.
const VIRTUAL_FUNCTIONS_MAX: u64 = 16;
/// What is before the type of what a thread calls in the name of the function that calls it.
const CALLED: &str = "_Invoker<std::tuple<";
/// What a lambda is called whose own line is not known: compilers make it part of its caller.
const LAMBDA: &str = "lambda";
/// The objects that hold what a thread calls are not larger than this.
const STATE_BYTES_MAX: u64 = 512;

/// Names of threads that somebody has asked for, by their entries.
#[derive(Default)]
pub struct ThreadNames {
    known: Mutex<HashMap<u32, String>>,
}

impl Machine<'_> {
    /// The function to name a thread by that begins in `entry` with an argument.
    pub fn given_function(&self, entry: u64, argument: u64) -> u64 {
        let program = &self.system.program;
        match program.function_at(entry) {
            NATIVE_ROUTINE => self.called_function(argument).unwrap_or(entry),
            BODY => {
                let table = self.memory.peek_long(argument);
                let mut functions = (0..VIRTUAL_FUNCTIONS_MAX).map(|at| self.memory.peek_long(table + 8 * at));
                let is_run = |&address: &u64| demangle(program.function_at(address)).ends_with("::run");
                functions.find(is_run).unwrap_or(entry)
            }
            _ => entry,
        }
    }

    /// The function that a thread of `std::thread` calls, or the one of the library that knows it by its type.
    fn called_function(&self, state: u64) -> Option<u64> {
        let program = &self.system.program;
        let run = self.memory.peek_long(self.memory.peek_long(state).wrapping_add(RUN));
        let name = demangle(program.function_at(run));
        let called = called_type(&name)?;
        if called.contains("{lambda") || !called.contains('*') {
            return Some(run);
        }
        // What is called comes last in the object. The state of `std::async` is elsewhere: a pointer leads there.
        let by_value = self.function_in(state);
        let elsewhere = || self.function_in(self.memory.peek_long(state + 8));
        Some(by_value.or_else(elsewhere).unwrap_or(run))
    }

    /// The last pointer to a function of the user's in a block of the heap.
    fn function_in(&self, address: u64) -> Option<u64> {
        let region = Region::of(address, self.slots())?;
        let (Region::Shared(slot) | Region::Private(slot)) = region else { return None };
        let arenas = self.heap.peek_arenas(slot);
        let arena = if matches!(region, Region::Shared(_)) { &arenas.shared } else { &arenas.private };
        let end = region.base(0) + u64::from(arena.block_at((address - region.base(0)) as u32)?.end());
        let program = &self.system.program;
        let words = (address..end.min(address + STATE_BYTES_MAX)).step_by(8).map(|at| self.memory.peek_long(at));
        let is_function = |address: &u64| {
            program.image.symbol_at(*address).is_some_and(|symbol| {
                symbol.address == *address && symbol.kind == SymbolKind::Function && program.is_user_line(*address)
            })
        };
        words.filter(is_function).last()
    }

    /// The name of a thread for people.
    pub fn thread_name(&self, slot: u32) -> String {
        match self.threads[slot as usize].entry {
            // `main` is no entry of its own: the program's start calls it.
            _ if slot == 0 => "main".to_owned(),
            0 => format!("thread {slot}"),
            entry => {
                let program = &self.system.program;
                let mut known = program.thread_names.known.lock().expect("nothing panics under this lock");
                let name = known.entry(entry).or_insert_with(|| entry_name(program, u64::from(entry)));
                // The address behind the call that created it.
                let created = u64::from(self.threads[slot as usize].created_at).saturating_sub(2);
                match program.location(created).filter(|_| name == LAMBDA && program.is_user_line(created)) {
                    Some(location) => format!("thread {slot} ({name} at {}:{})", location.file, location.line),
                    None => format!("thread {slot} ({name})"),
                }
            }
        }
    }
}

/// What a thread is called that begins in a function.
fn entry_name(program: &Program, entry: u64) -> String {
    let name = demangle(program.function_at(entry));
    match called_type(&name) {
        Some(called) if called.contains("{lambda") => {
            // Compilers make a lambda that is called once a part of its caller.
            let function = format!("{}::operator()", without_parameters(called));
            let symbols = program.image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Function);
            let own = symbols.into_iter().find(|symbol| demangle(&symbol.name) == function);
            let code = own.or_else(|| program.image.symbol_at(entry));
            code.map_or_else(|| LAMBDA.to_owned(), |symbol| lambda_name(program, symbol))
        }
        Some(called) if !called.contains('*') => called.to_owned(),
        _ if name.contains("{lambda") => {
            program.image.symbol_at(entry).map_or_else(|| LAMBDA.to_owned(), |symbol| lambda_name(program, symbol))
        }
        _ => short_name(&name).to_owned(),
    }
}

/// A lambda by the line it begins in. It is somewhere in a function.
fn lambda_name(program: &Program, function: &Symbol) -> String {
    let mut places = (function.address..function.address + function.size.max(1)).step_by(2);
    let place = places.find_map(|pc| program.debug.lambda_at(pc).filter(|(file, _)| is_users_file(file)));
    place.map_or_else(|| LAMBDA.to_owned(), |(file, line)| format!("{LAMBDA} at {file}:{line}"))
}

/// A name without the parameters of the functions that it lies in: `serve(int)::{lambda()#1}` is in `serve`.
fn without_parameters(name: &str) -> String {
    let mut shorter = String::new();
    let mut rest = name;
    while let Some(start) = rest.find('(') {
        let mut depth = 0;
        let end = rest[start..].char_indices().find(|&(_, letter)| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        let Some(behind) = end.map(|(at, _)| start + at + 1) else { break };
        let kept = if rest[behind..].starts_with("::") { start } else { behind };
        shorter.push_str(&rest[..kept]);
        rest = &rest[behind..];
    }
    shorter + rest
}

/// The type of what a thread calls, from the name of the library's function that calls it.
fn called_type(name: &str) -> Option<&str> {
    let rest = &name[name.rfind(CALLED)? + CALLED.len()..];
    let mut depth = 0;
    let end = rest.char_indices().find(|&(_, letter)| {
        match letter {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' if depth > 0 => depth -= 1,
            ',' | '>' if depth == 0 => return true,
            _ => {}
        }
        false
    })?;
    Some(rest[..end.0].trim())
}

#[cfg(test)]
mod tests {
    use super::{called_type, without_parameters};

    #[test]
    fn what_a_thread_calls_is_the_first_of_its_tuple() {
        let run =
            |called: &str| format!("std::thread::_State_impl<std::thread::_Invoker<std::tuple<{called}> > >::_M_run");
        for (tuple, called) in [
            ("main::{lambda()#1}", "main::{lambda()#1}"),
            ("void (*)(int, long), int, long", "void (*)(int, long)"),
            ("Box<int, long>, int", "Box<int, long>"),
            ("serve::{lambda(std::pair<int, int>)#2}, int", "serve::{lambda(std::pair<int, int>)#2}"),
        ] {
            assert_eq!(called_type(&run(tuple)), Some(called));
        }
        assert_eq!(called_type("worker"), None);
    }

    #[test]
    fn parameters_of_the_functions_around_are_no_part_of_a_name() {
        for (name, shorter) in [
            ("serve()::{lambda()#1}", "serve::{lambda()#1}"),
            ("serve(void (*)(int), int)::{lambda(int)#2}", "serve::{lambda(int)#2}"),
            ("main::{lambda()#1}", "main::{lambda()#1}"),
            ("broken(", "broken("),
        ] {
            assert_eq!(without_parameters(name), shorter);
        }
    }
}
