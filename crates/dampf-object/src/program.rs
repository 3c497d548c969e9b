//! The program that is checked: its image, its code with the hooks planted, and who owns which part of it.
//!
//! The user's part is what has debug information; the prebuilt libraries have none. Ownership decides what is visible:
//! an access to the user's globals is, whoever makes it; the libraries' private data (locale, streams, their own locks)
//! is not. A program without debug information is all user's.

use crate::agents::AGENT_RECORD;
use crate::announced::unmade_reads;
use crate::by_address::ByAddress;
use crate::global_bounds::{self, BoundedGlobal};
use crate::hooks::{self, Hook, Place};
use crate::layout::IMAGE_END;
use crate::plain::{self, PlainFunctions};
use crate::surroundings::Surroundings;
use crate::test_frameworks::{has_framework, is_frameworks_file};
use crate::thread_names::ThreadNames;
use dampf_core::{SourceLocation, Unsupported};
use dampf_rv::debug::{DebugInfo, Frame, is_system_header};
use dampf_rv::decode::{Code, Op};
use dampf_rv::image::{Image, ImageError, Symbol, SymbolKind};
use dampf_rv::memory::{LINE_BYTES, Line};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Library functions that a thread runs at the stages of its life, where the program has them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stages {
    /// Prepares thread-local data of the C library.
    pub begin: Option<u64>,
    /// Runs destructors of thread-local objects.
    pub local_destructors: Option<u64>,
    /// Runs destructors of thread-specific keys.
    pub key_destructors: Option<u64>,
}

pub struct Program {
    pub path: String,
    pub surroundings: Surroundings,
    pub image: Image,
    pub code: Code,
    pub debug: DebugInfo,
    pub stages: Stages,
    pub main: u64,
    /// Where `errno` is from the thread pointer.
    pub errno_offset: Option<u64>,
    /// The same for what a thread has said to planners.
    pub agent_offset: Option<u64>,
    /// Where, from the thread pointer, a thread keeps the place to go to when it exits from within its functions.
    pub exit_buffer_offset: Option<u64>,
    /// Where a thread begins to leave its functions, with that place as argument.
    pub unwind: Option<u64>,
    /// Flags of the C library that say whether there is only one thread.
    pub single_threaded_flags: Vec<u64>,
    /// Whether accesses that are not atomic can be told from those that are: the user's code was compiled with
    /// callbacks.
    pub instrumented: bool,
    /// Whether a test framework is part of it.
    pub has_framework: bool,
    hooks: ByAddress<Hook>,
    plain_functions: PlainFunctions,
    pub thread_names: ThreadNames,
    /// The accesses that statements of inline assembly are about, ascending.
    atomic_assembly: Vec<u64>,
    /// The image in lines from `first_line` on.
    lines: Vec<Line>,
    /// The bytes of each line that belong to a segment, and of those, which belong to the user's variables.
    masks: Vec<Masks>,
    first_line: u64,
    /// The writable part: whole lines.
    pub globals: Range<u64>,
    /// The user's global variables that have room behind them, sorted.
    bounded_globals: Vec<BoundedGlobal>,
    /// What of global variables is declared volatile, sorted; found when it is first asked for.
    volatile: OnceLock<Vec<Range<u64>>>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Masks {
    pub valid: u64,
    pub user: u64,
}

/// Why a file is no program that can be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub message: String,
    pub help: Option<String>,
}

impl From<ImageError> for Refusal {
    fn from(error: ImageError) -> Self {
        Refusal { message: error.to_string(), help: None }
    }
}

impl Program {
    /// Reads an executable file.
    pub fn load(path: String, bytes: &[u8], mut surroundings: Surroundings) -> Result<Program, Refusal> {
        let image = Image::load(bytes)?;
        let refuse = |message: &str, help: &str| Refusal { message: message.to_owned(), help: Some(help.to_owned()) };
        if image.is_stripped() {
            return Err(refuse(
                "the executable is stripped: without symbols its threads and locks cannot be recognised",
                "link it without -s and do not run `strip` on it",
            ));
        }
        let Some(main) = image.address_of("main") else {
            return Err(refuse("the executable has no function `main`", "check the whole program, not a part of it"));
        };
        let writable: Vec<_> = image.segments.iter().filter(|segment| segment.writable).collect();
        let line = LINE_BYTES as u64;
        let start = writable.iter().map(|segment| segment.address).min().unwrap_or(IMAGE_END - line) / line * line;
        let end = writable.iter().map(|segment| segment.address + segment.memory_size).max().unwrap_or(start);
        if image.segments.iter().any(|segment| segment.address + segment.memory_size > IMAGE_END) {
            return Err(refuse("the executable uses addresses above 1 GiB", "link it at the usual address"));
        }
        surroundings.add_advice(&image);
        let debug = DebugInfo::load(bytes, image.load_bias);
        let mut code = Code::new(&executable(&image));
        let (hooks, instrumented) = plant(&image, &debug, &mut code, main);
        let stages = Stages {
            begin: image.address_of("__ctype_init"),
            local_destructors: image.address_of("__call_tls_dtors"),
            key_destructors: image.address_of("__nptl_deallocate_tsd"),
        };
        let flags = ["__libc_single_threaded", "__libc_single_threaded_internal"];
        let mut single_threaded_flags: Vec<u64> = flags.iter().filter_map(|name| image.address_of(name)).collect();
        single_threaded_flags.dedup();
        let is_local = |symbol: &&dampf_rv::image::Symbol| symbol.kind == SymbolKind::ThreadLocal;
        let errno = ["errno", "__libc_errno"].iter().find_map(|name| image.symbols_named(name).find(is_local));
        let exit_buffer_offset = exit_buffer_offset(&image, &code);
        let plain_functions = PlainFunctions::find(&image, &code);
        let atomic_assembly = atomic_assembly(&image, &code);
        let bounded_globals = global_bounds::find(&image, &code);
        let errno_offset = errno.map(|symbol| symbol.address);
        let agent = image.symbols_named(AGENT_RECORD).find(is_local);
        let agent_offset = agent.map(|symbol| symbol.address);
        let mut program = Program {
            path,
            errno_offset,
            agent_offset,
            exit_buffer_offset,
            unwind: image.address_of("__pthread_unwind"),
            surroundings,
            code,
            debug,
            stages,
            main,
            single_threaded_flags,
            instrumented,
            has_framework: has_framework(&image),
            hooks,
            plain_functions,
            thread_names: ThreadNames::default(),
            atomic_assembly,
            lines: Vec::new(),
            masks: Vec::new(),
            first_line: 0,
            globals: start..end.next_multiple_of(line),
            bounded_globals,
            volatile: OnceLock::new(),
            image,
        };
        program.lay_out();
        Ok(program)
    }

    fn lay_out(&mut self) {
        let line = LINE_BYTES as u64;
        let first = self.image.segments.iter().map(|segment| segment.address).min().unwrap_or(0);
        let last = self.image.segments.iter().map(|segment| segment.address + segment.memory_size).max().unwrap_or(0);
        self.first_line = first / line;
        let count = (last.div_ceil(line) - self.first_line) as usize;
        self.lines = vec![Line::ZERO; count];
        self.masks = vec![Masks::default(); count];
        let base = self.first_line * line;
        for segment in &self.image.segments {
            for (number, &byte) in segment.bytes.iter().enumerate() {
                let at = (segment.address - base) as usize + number;
                self.lines[at / LINE_BYTES].bytes_mut()[at % LINE_BYTES] = byte;
            }
        }
        for number in 0..self.image.segments.len() {
            let segment = &self.image.segments[number];
            let range = segment.address..segment.address + segment.memory_size;
            self.mark(range, |masks, bytes| masks.valid |= bytes);
        }
        for number in 0..self.bounded_globals.len() {
            let global = &self.bounded_globals[number];
            self.mark(global.variable.end..global.padded_end, |masks, bytes| masks.valid &= !bytes);
        }
        self.mark_user_variables();
    }

    fn mark_user_variables(&mut self) {
        if self.debug.user_code().is_empty() {
            self.mark(self.globals.clone(), |masks, bytes| masks.user |= bytes);
            return;
        }
        let variables = self.debug.globals().iter().filter(|variable| !variable.thread_local);
        let mut ranges: Vec<Range<u64>> =
            variables.map(|variable| variable.address..variable.address + variable.size.max(1)).collect();
        // The guards of the user's function-local statics are the user's, though no variables of theirs.
        for symbol in self.image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Object) {
            let Some(guarded) = symbol.name.strip_prefix("_ZGV") else { continue };
            let mut variables = self.image.symbols_named(&format!("_Z{guarded}"));
            if variables.any(|variable| self.debug.global_at(variable.address).is_some()) {
                ranges.push(symbol.address..symbol.address + symbol.size.max(8));
            }
        }
        // So are objects without a name that a reference in the user's code keeps alive.
        let kept_alive = self.image.symbols().iter().filter(|symbol| symbol.name.starts_with("_ZGR"));
        ranges.extend(kept_alive.map(|symbol| symbol.address..symbol.address + symbol.size));
        // Compilers split variables that only one file knows, number the parts (`wants.1`), and may not say where they
        // are.
        for symbol in self.image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Object) {
            let is_part = symbol.name.contains('.') && self.globals.contains(&symbol.address);
            let file = symbol.file.as_deref().filter(|_| is_part);
            if file.is_some_and(|file| self.debug.describes_file(file)) {
                ranges.push(symbol.address..symbol.address + symbol.size);
            }
        }
        // Threads that wait for such a lock wait for the user's memory, and have to have a chance whenever it is free.
        // And some data of libraries is the user's to protect.
        let is_common = |symbol: &&Symbol| guards_user_memory(symbol) || is_unprotected(symbol);
        let common = self.image.symbols().iter().filter(is_common);
        ranges.extend(common.map(|symbol| symbol.address..symbol.address + symbol.size));
        for range in ranges {
            self.mark(range, |masks, bytes| masks.user |= bytes);
        }
    }

    /// Changes the masks of all lines that a range of addresses is in, given the bytes of each as a mask.
    fn mark(&mut self, range: Range<u64>, change: impl Fn(&mut Masks, u64)) {
        let line = LINE_BYTES as u64;
        let (first, last) = (self.first_line * line, (self.first_line + self.masks.len() as u64) * line);
        let (mut address, end) = (range.start.max(first), range.end.min(last));
        while address < end {
            let number = ((address - first) / line) as usize;
            let line_end = (address / line + 1) * line;
            let (from, to) = (address % line, end.min(line_end) - address / line * line);
            let upto = |bits: u64| if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
            change(&mut self.masks[number], upto(to) & !upto(from));
            address = line_end;
        }
    }

    /// The image's line at an address, as the file has it, and who owns its bytes.
    #[inline]
    pub fn line(&self, address: u64) -> Option<(&Line, Masks)> {
        let number = (address / LINE_BYTES as u64).checked_sub(self.first_line)? as usize;
        Some((self.lines.get(number)?, self.masks[number]))
    }

    /// Whether bytes belong to a global variable, or a part of one, that is declared volatile.
    pub fn is_volatile(&self, address: u64, bytes: u64) -> bool {
        let volatile = self.volatile.get_or_init(|| self.debug.volatile_parts());
        (address..address.saturating_add(bytes)).all(|address| lies_within(volatile, address))
    }

    /// The global variable whose room an address lies in, behind its end.
    pub fn global_before(&self, address: u64) -> Option<&BoundedGlobal> {
        let after = self.bounded_globals.partition_point(|global| global.variable.start <= address);
        self.bounded_globals[..after]
            .last()
            .filter(|global| (global.variable.end..global.padded_end).contains(&address))
    }

    #[inline]
    pub fn hook(&self, pc: u64) -> Option<Hook> {
        self.hooks.get(pc).copied()
    }

    pub fn is_user_code(&self, pc: u64) -> bool {
        lies_within(self.debug.user_code(), pc)
    }

    /// Whether an access that is no atomic instruction may be one all the same: the libraries implement atomics with
    /// plain accesses, though not everywhere.
    pub fn may_be_atomic(&self, pc: u64, writes: bool) -> bool {
        if self.atomic_assembly.binary_search(&pc).is_ok() {
            return true;
        }
        let plain = &self.plain_functions;
        let is_plain = self.is_user_code(pc)
            || lies_within(&plain.exact, pc)
            || self.reads_string(pc)
            || writes && lies_within(&plain.bytes, pc);
        !is_plain
    }

    /// Whether an instruction belongs to a function that looks for something in strings, word by word or in groups of
    /// bytes, which may reach beyond the end.
    pub fn looks_at_words(&self, pc: u64) -> bool {
        plain::is_for_strings(self.function_at(pc))
    }

    /// Whether an instruction belongs to a function that copies, of which the call says what it reads.
    pub fn copies(&self, pc: u64) -> bool {
        lies_within(&self.plain_functions.copying, pc)
    }

    /// Whether an instruction belongs to a function for strings.
    pub fn reads_string(&self, pc: u64) -> bool {
        lies_within(&self.plain_functions.strings, pc)
    }

    /// Whether clang compiled an instruction.
    pub fn is_clang_code(&self, pc: u64) -> bool {
        lies_within(self.debug.clang_code(), pc)
    }

    /// The compiler's callback that announces the access of an instruction: the access itself may be attributed to a
    /// later line.
    pub fn announced(&self, pc: u64) -> Option<u64> {
        const DISTANCE_MAX: u64 = 24;
        let callback = |&at: &u64| {
            let call = self.code.at(at).filter(|instruction| instruction.op == Op::Jal && instruction.rd == 1);
            call.is_some_and(|call| {
                let target = at.wrapping_add(call.imm as i64 as u64);
                let name = self.function_at(target);
                name.starts_with("__tsan_") && (name.contains("read") || name.contains("write"))
            })
        };
        self.code.at(pc)?.memory_access()?;
        (pc.saturating_sub(DISTANCE_MAX)..pc).rev().step_by(2).map(|at| at & !1).find(callback)
    }

    /// Whether an instruction comes from a line that the user wrote, not from a header of the system.
    pub fn is_user_line(&self, pc: u64) -> bool {
        self.is_user_code(pc) && self.debug.frames(pc).iter().any(is_users)
    }

    /// The name of the function at an address, as the file has it.
    pub fn function_at(&self, pc: u64) -> &str {
        self.image.symbol_at(pc).map_or("?", |symbol| &symbol.name)
    }

    /// The source line of an instruction; for library code, none.
    pub fn location(&self, pc: u64) -> Option<SourceLocation> {
        let frames = self.debug.frames(pc);
        let frame = frames.iter().find(|frame| is_users(frame)).or(frames.first())?.clone();
        Some(SourceLocation { file: frame.file, line: frame.line, column: frame.column.max(1) })
    }

    pub fn unsupported(&self, what: impl Into<String>, pc: u64) -> Unsupported {
        let what = what.into();
        match self.location(pc) {
            Some(location) => Unsupported { what: format!("{what} ({location})") },
            None => Unsupported { what },
        }
    }
}

/// Whether a variable holds locks of a library under which it accesses the user's memory, not only its own: those of
/// libatomic for what is too wide for the machine, and those of libstdc++ for atomic operations on shared pointers.
fn guards_user_memory(symbol: &Symbol) -> bool {
    let of_libatomic =
        symbol.name == "locks" && symbol.file.as_deref().is_some_and(|file| matches!(file, "lock.c" | "lock.o"));
    let of_shared_pointers = symbol.name.starts_with("_ZZN14__gnu_internal9get_mutexEhE");
    symbol.kind == SymbolKind::Object && (of_libatomic || of_shared_pointers)
}

/// Whether a variable is where functions of the C library keep what they return or remember between calls, for all
/// threads alike.
fn is_unprotected(symbol: &Symbol) -> bool {
    let of_strtok = symbol.name.starts_with("olds")
        && symbol.file.as_deref().is_some_and(|file| matches!(file, "strtok.c" | "strtok.o"));
    symbol.kind == SymbolKind::Object && (of_strtok || symbol.name == "_tmbuf")
}

/// The accesses of statements of inline assembly that make one. What a program does with one load, store or exchange
/// that its compiler must not touch is an atomic access; compilers have no other use for it.
fn atomic_assembly(image: &Image, code: &Code) -> Vec<u64> {
    let mut atomic = Vec::new();
    for statement in &image.inline_assembly {
        let mut accesses = Vec::new();
        let mut pc = statement.start;
        while let Some(instruction) = code.at(pc).filter(|_| pc < statement.end) {
            accesses.extend(instruction.memory_access().map(|_| pc));
            pc += u64::from(instruction.length);
        }
        if let [access] = accesses[..] {
            atomic.push(access);
        }
    }
    atomic.sort_unstable();
    atomic
}

/// The fences in some code.
fn fences(code: &Code, range: Range<u64>) -> Vec<u64> {
    let mut found = Vec::new();
    let mut pc = range.start;
    while pc < range.end {
        let instruction = code.at(pc);
        found.extend(instruction.filter(|instruction| instruction.op == Op::Fence).map(|_| pc));
        // What is no instruction are constants, or the space between functions.
        pc += instruction.map_or(2, |instruction| u64::from(instruction.length));
    }
    found
}

/// Whether an address lies in one of some sorted disjoint ranges.
fn lies_within(ranges: &[Range<u64>], address: u64) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    ranges[..after].last().is_some_and(|range| range.contains(&address))
}

/// Whether a place is in a file that the user wrote: not in a header of the system or of ours, nor in a test framework.
pub fn is_users(frame: &Frame) -> bool {
    is_users_file(&frame.file)
}

pub fn is_users_file(file: &str) -> bool {
    let ours = ["/dampf.h", "/IVMThread.h", "/icvm_verify.h"];
    !is_system_header(file) && !is_frameworks_file(file) && !ours.iter().any(|header| file.ends_with(header))
}

/// Finds out where a thread that exits or is cancelled looks for the place to go to: it loads it, as an argument, from
/// the thread's own data.
fn exit_buffer_offset(image: &Image, code: &Code) -> Option<u64> {
    const INSTRUCTIONS_MAX: usize = 40;
    let functions = ["__pthread_exit", "pthread_exit", "__pthread_enable_asynccancel"];
    let loads = |start: u64| {
        let mut pc = start;
        for _ in 0..INSTRUCTIONS_MAX {
            let instruction = code.at(pc)?;
            if instruction.op == Op::Ld && instruction.rs1 == 4 && instruction.rd == 10 {
                return Some(instruction.imm as i64 as u64);
            }
            pc += u64::from(instruction.length);
        }
        None
    };
    functions.iter().filter_map(|name| image.address_of(name)).find_map(loads)
}

fn executable(image: &Image) -> Vec<(u64, &[u8])> {
    let segments = image.segments.iter().filter(|segment| segment.executable);
    segments.map(|segment| (segment.address, &segment.bytes[..])).collect()
}

/// Plants a hook wherever a known function begins, unless the user wrote that function.
fn plant(image: &Image, debug: &DebugInfo, code: &mut Code, main: u64) -> (ByAddress<Hook>, bool) {
    let mut hooks = BTreeMap::new();
    let mut instrumented = false;
    let users = |address: u64| debug.user_code().iter().any(|range| range.contains(&address));
    for symbol in image.symbols() {
        instrumented |= matches!(symbol.name.as_str(), "__tsan_init" | "__asan_init");
        if symbol.kind == SymbolKind::Function && users(symbol.address) && hooks::is_atomic_function(&symbol.name) {
            let returns = returns(code, symbol.address..symbol.address + symbol.size);
            let leaving = returns.into_iter().map(|pc| (pc, hooks::at_place(Place::SectionReturn, 0)));
            // What compilers put aside of a function (`.cold`) is not where it begins.
            let entering =
                (!symbol.name.contains(".cold")).then(|| (symbol.address, hooks::at_place(Place::SectionFunction, 0)));
            for (pc, hook) in leaving.chain(entering) {
                if code.plant(pc) {
                    hooks.insert(pc, hook);
                }
            }
        }
        let Some(hook) = hooks::by_name(&symbol.name) else { continue };
        let is_users = users(symbol.address) && !hooks::is_conventional(&symbol.name);
        if let Place::FailedCheck { unless, .. } = hook.place
            && image.symbols().iter().any(|symbol| unless.iter().any(|beginning| symbol.name.starts_with(beginning)))
        {
            continue;
        }
        if symbol.kind == SymbolKind::Function && !is_users && code.plant(symbol.address) {
            hooks.insert(symbol.address, hook);
        }
    }
    for (call, bytes) in unmade_reads(image, code, debug.user_code()) {
        if code.plant(call) {
            hooks.insert(call, hooks::at_place(Place::OmittedRead, bytes));
        }
    }
    for fence in debug.user_code().iter().flat_map(|range| fences(code, range.clone())).collect::<Vec<_>>() {
        if code.plant(fence) {
            hooks.insert(fence, hooks::at_place(Place::Fence, 0));
        }
    }
    if code.plant(main) {
        hooks.insert(main, hooks::at_place(Place::Main, 0));
    }
    (ByAddress::new(&hooks), instrumented && !debug.user_code().is_empty())
}

/// Where a function returns. It never does so by going on in another: compilers are told not to let it.
fn returns(code: &Code, function: Range<u64>) -> Vec<u64> {
    const RA: u8 = 1;
    let mut found = Vec::new();
    let mut pc = function.start;
    while let Some(instruction) = code.at(pc).filter(|_| function.contains(&pc)) {
        if instruction.op == Op::Jalr && instruction.rd == 0 && instruction.rs1 == RA {
            found.push(pc);
        }
        pc += u64::from(instruction.length);
    }
    found
}
