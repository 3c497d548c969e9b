//! Debug information of real programs: names, lines, values and call stacks, and whatever damaged information says.

mod remote;
mod toolchain;

use dampf_rv::debug::{Container, ContainerKind, DebugInfo, Place, Registers, Variable};
use dampf_rv::image::{Image, Segment, SymbolKind};
use remote::Stopped;
use toolchain::{Program, compile, tool};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn debug_info(program: &Program) -> DebugInfo {
    DebugInfo::load(&program.bytes, 0)
}

/// The initial contents of memory.
fn initial(image: &Image, address: u64, buffer: &mut [u8]) -> bool {
    let Some(segment) = image.segments.iter().find(|segment| segment.offset_of(address).is_some()) else {
        return false;
    };
    let start = (address - segment.address) as usize;
    for (index, byte) in buffer.iter_mut().enumerate() {
        *byte = segment.bytes.get(start + index).copied().unwrap_or(0);
    }
    segment.end() - address >= buffer.len() as u64
}

fn global<'a>(debug: &'a DebugInfo, name: &str) -> &'a Variable {
    let found = debug.globals().iter().find(|variable| variable.name == name);
    found.unwrap_or_else(|| {
        let names: Vec<&str> = debug.globals().iter().map(|variable| variable.name.as_str()).collect();
        panic!("{name} is missing: {names:?}")
    })
}

fn value(debug: &DebugInfo, image: &Image, name: &str) -> String {
    let variable = global(debug, name);
    let mut bytes = vec![0; variable.size as usize];
    assert!(initial(image, variable.address, &mut bytes));
    debug.render(variable.ty, &bytes)
}

#[test]
fn globals_have_types_values_and_names_for_their_parts() {
    for level in LEVELS {
        let name = format!("globals{level}");
        let Some(program) = compile(&name, "shapes.cc", &["-g", level, "-static"]) else { return };
        let image = Image::load(&program.bytes).expect("a static program");
        let debug = debug_info(&program);
        for (name, ty, expected) in [
            ("fork_", "int[5]", "{10, 11, 12, 13, 14}"),
            ("grid", "int[2][3]", "{{1, 2, 3}, {4, 5, 6}}"),
            ("color", "Color", "Color::green"),
            ("level", "Level", "low"),
            ("flags", "Flags", "readable | writable"),
            ("ready", "bool", "true"),
            ("letter", "char", "'a'"),
            ("text", "char[16]", r#""say \"hi\"\n""#),
            ("bytes", "unsigned char[3]", "{1, 2, 255}"),
            ("ratio", "double", "1.5"),
            ("half", "float", "0.5"),
            ("wide", "long double", "-2.25"),
            ("nothing", "int*", "null"),
            ("huge", "__int128", "-1"),
            ("counter", "std::atomic<int>", "7"),
            ("flag", "std::atomic<bool>", "true"),
            ("owner", "std::unique_ptr<int, std::default_delete<int> >", "null"),
            ("array", "std::array<int, 4>", "{1, 2, 3, 4}"),
            ("mutex", "std::mutex", "{...}"),
            ("plain_mutex", "pthread_mutex_t", "{...}"),
            ("derived", "Derived", "{base = 0, own = 0}"),
            ("callback", "void (*)()", &format!("{:#x}", image.address_of("stop_here").unwrap())),
            ("store::hidden", "int", "4"),
            ("store::(anonymous namespace)::unnamed", "int", "5"),
            ("store::Queue<store::Item, 4>::made", "int", "3"),
            ("next::calls", "int", "40"),
        ] {
            // What the optimiser removed has no place.
            if level != "-O0" && !debug.globals().iter().any(|variable| variable.name == name) {
                assert!(name.starts_with("store::"), "{name} is missing at {level}");
                continue;
            }
            assert_eq!(value(&debug, &image, name), expected, "{name} at {level}");
            assert_eq!(debug.type_name(global(&debug, name).ty), ty, "{name}");
        }
        let mixed = "{word = {bits = 1065353216, number = 1.0}, low = 5, high = 17, small = -3, number = 65, \
                     letter = 'A', left = -1, right = 2}";
        assert_eq!(value(&debug, &image, "mixed"), mixed);
        let zeros = vec!["0"; 16].join(", ");
        assert_eq!(value(&debug, &image, "many"), format!("{{{zeros}, ...}}"));
        assert_eq!(global(&debug, "large").size, 2048);
        let fork = global(&debug, "fork_");
        assert_eq!(value(&debug, &image, "pointer"), format!("{:#x}", fork.address + 8));
        assert_eq!(value(&debug, &image, "shared_pointer"), format!("{:#x}", fork.address + 12));
    }
}

#[test]
fn addresses_in_variables_are_named_by_type() {
    let Some(program) = compile("addresses", "shapes.cc", &["-g", "-O0", "-static"]) else { return };
    let debug = debug_info(&program);
    let names = |variable: &str, offsets: &[u64]| -> Vec<String> {
        let variable = global(&debug, variable);
        let name = |offset| debug.name_address(variable.address + offset).expect("an address in a variable");
        offsets.iter().map(|&offset| name(offset)).collect()
    };
    assert_eq!(names("fork_", &[0, 8, 16]), ["fork_[0]", "fork_[2]", "fork_[4]"]);
    assert_eq!(names("fork_", &[9]), ["fork_[2]+1"]);
    assert_eq!(names("grid", &[0, 12, 20]), ["grid[0][0]", "grid[1][0]", "grid[1][2]"]);
    let queue = ["queue.slots[0].value", "queue.slots[3].value", "queue.slots[3].next", "queue.head", "queue.lock"];
    assert_eq!(names("queue", &[0, 48, 56, 64, 76]), queue);
    assert_eq!(names("array", &[8]), ["array[2]"]);
    assert_eq!(names("counter", &[0]), ["counter"]);
    assert_eq!(names("mutex", &[0, 8]), ["mutex", "mutex"]);
    assert_eq!(names("plain_mutex", &[0, 8]), ["plain_mutex", "plain_mutex"]);
    assert_eq!(names("derived", &[0, 8, 12]), ["derived", "derived.base", "derived.own"]);
    let mixed = ["mixed.word.bits", "mixed.low", "mixed.small", "mixed.number", "mixed.left", "mixed.right"];
    assert_eq!(names("mixed", &[0, 4, 5, 8, 12, 14]), mixed);
    assert_eq!(debug.name_address(0x10), None);
    assert_eq!(debug.name_address(u64::MAX), None);
}

#[test]
fn containers_are_known_with_their_elements() {
    let Some(program) = compile("containers", "containers.cc", &["-g", "-O0", "-static"]) else { return };
    let debug = debug_info(&program);
    let containers = |name: &str| {
        let variable = global(&debug, name);
        let containers = debug.containers(variable.ty, variable.size);
        let told = |container: &Container| {
            let element = debug.type_name(container.element);
            let element = element.split('<').next().unwrap_or_default().to_owned();
            (container.path.clone(), container.kind, element, container.element_offset, container.has_unique_keys)
        };
        containers.iter().map(told).collect::<Vec<_>>()
    };
    let one = |kind, element: &str, offset, unique| vec![(String::new(), kind, element.to_owned(), offset, unique)];
    assert_eq!(containers("numbers"), one(ContainerKind::List, "int", 16, true));
    assert_eq!(containers("prices"), one(ContainerKind::Tree, "std::pair", 32, true));
    assert_eq!(containers("sales"), one(ContainerKind::Tree, "std::pair", 32, false));
    assert_eq!(containers("totals"), one(ContainerKind::HashTable, "std::pair", 8, true));
    // What is aligned to more than the links are does not follow them at once.
    assert_eq!(containers("wide"), one(ContainerKind::HashTable, "std::pair", 16, true));
    assert_eq!(containers("chain"), one(ContainerKind::ForwardList, "char", 8, true));
    assert_eq!(containers("waiting"), one(ContainerKind::Deque, "int", 0, true));
    assert_eq!(containers("shop")[1].0, ".stock[1]");
    assert!(containers("row").is_empty());

    let members = |name: &str, offset| debug.library_part(global(&debug, name).ty, offset).map(|part| part.members);
    let last = |name: &str, offset| members(name, offset).and_then(|mut members| members.pop());
    assert_eq!(last("row", 8).as_deref(), Some("_M_finish"));
    assert_eq!(last("numbers", 16).as_deref(), Some("_M_size"));
    assert_eq!(last("prices", 40).as_deref(), Some("_M_node_count"));
    assert_eq!(members("shop", 0), None);
}

#[test]
fn thread_local_variables_have_offsets() {
    for level in LEVELS {
        let Some(program) = compile(&format!("threads{level}"), "shapes.cc", &["-g", level, "-static"]) else { return };
        let image = Image::load(&program.bytes).expect("a static program");
        let debug = debug_info(&program);
        for (name, symbol) in [("mine", "mine"), ("block", "_ZL5block"), ("next::own_calls", "_ZZ4nextvE9own_calls")] {
            let symbol = image.symbols_named(symbol).next().expect("a symbol");
            let variable = global(&debug, name);
            assert!(variable.thread_local);
            assert_eq!((variable.address, variable.size), (symbol.address, symbol.size), "{name}");
        }
        let block = global(&debug, "block").address;
        assert_eq!(debug.name_thread_local(block + 8).as_deref(), Some("block[1]"));
    }
}

#[test]
fn c_programs_have_statics_and_atomics_too() {
    let Some(program) = compile("statics", "statics.c", &["-g", "-O0", "-static"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    let debug = debug_info(&program);
    assert_eq!(value(&debug, &image, "atomic_number"), "6");
    assert_eq!(debug.type_name(global(&debug, "atomic_number").ty), "_Atomic(int)");
    assert_eq!(value(&debug, &image, "atomic_pointer"), "null");
    assert_eq!(value(&debug, &image, "points"), "{{x = 1, y = 2}, {x = 3, y = 4}}");
    assert_eq!(debug.name_address(global(&debug, "points").address + 12).as_deref(), Some("points[1].y"));
    assert_eq!(debug.path(global(&debug, "tail").ty, 6), ".data[1]");
    assert_eq!(global(&debug, "next::calls").size, 4);
    for (name, symbol) in [("per_thread", "per_thread"), ("buffer", "buffer"), ("next::own_calls", "own_calls.1")] {
        let symbol = image.symbols_named(symbol).next().expect("a symbol");
        assert_eq!(global(&debug, name).address, symbol.address, "{name}");
        assert!(global(&debug, name).thread_local);
    }
}

/// Every global variable of the symbol table that belongs to the user is known by address, with its size.
#[test]
fn every_symbol_of_user_data_is_a_known_variable() {
    for source in ["shapes.cc", "statics.c"] {
        let Some(program) = compile(&format!("data-{source}"), source, &["-g", "-O0", "-static"]) else { return };
        let debug = debug_info(&program);
        let image = Image::load(&program.bytes).expect("a static program");
        let local = |file: &Option<String>| file.as_deref().is_some_and(|file| file == source);
        let own = image.symbols().iter().filter(|symbol| {
            let writable = |segment: &Segment| segment.writable && segment.offset_of(symbol.address).is_some();
            symbol.kind == SymbolKind::Object && local(&symbol.file) && image.segments.iter().any(writable)
        });
        let mut count = 0;
        for symbol in own {
            let variable = debug.global_at(symbol.address).unwrap_or_else(|| panic!("{} is unknown", symbol.name));
            assert_eq!((variable.address, variable.size), (symbol.address, symbol.size), "{}", symbol.name);
            count += 1;
        }
        assert!(count >= 1);
    }
}

#[test]
fn two_files_may_use_the_same_names() {
    let arguments = ["-g", "-O0", "-static", "-ffunction-sections", "-Wl,--gc-sections", "second.cc"];
    let Some(program) = compile("two-files", "first.cc", &arguments) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    let debug = debug_info(&program);
    let sizes = |name: &str| -> Vec<u64> {
        debug.globals().iter().filter(|variable| variable.name == name).map(|variable| variable.size).collect()
    };
    let mut counts = sizes("count");
    counts.sort_unstable();
    assert_eq!(counts, [4, 8]);
    let offsets: Vec<u64> =
        debug.globals().iter().filter(|variable| variable.name == "own").map(|variable| variable.address).collect();
    let mut symbols: Vec<u64> = image.symbols_named("_ZL3own").map(|symbol| symbol.address).collect();
    symbols.sort_unstable();
    assert_eq!(offsets, symbols);
    assert_eq!(offsets.len(), 2);
    assert_eq!(sizes("inlined_counter"), [4]);
    // The class is complete in the file that does not define its functions, too.
    let square = global(&debug, "square");
    assert_eq!(
        (square.size, debug.path(square.ty, 8), debug.path(square.ty, 12)),
        (16, ".color".into(), ".side".into())
    );
    // The linker threw this function away: its description must not cover other code.
    assert_eq!(image.address_of("_Z6unusedi"), None);
    let second = image.address_of("_Z6secondi").expect("a function");
    let frames = debug.frames(second);
    assert_eq!((frames[0].function.as_str(), frames[0].file.as_str(), frames[0].line), ("second", "second.cc", 8));
    let locals = debug.locals(second);
    assert_eq!((locals[0].name.as_str(), locals[0].parameter, locals[0].line), ("number", true, 8));
}

#[test]
fn unusual_debug_information_is_understood() {
    let cases: [(&str, &[&str]); 4] = [
        ("lto", &["-O1", "-flto"]),
        ("type-units", &["-O0", "-fdebug-types-section"]),
        ("sections", &["-O0", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]),
        ("strict", &["-O0", "-gdwarf-2", "-gstrict-dwarf"]),
    ];
    for (name, arguments) in cases {
        let arguments = [&["-g", "-static"], arguments].concat();
        let Some(program) = compile(&format!("unusual-{name}"), "shapes.cc", &arguments) else { return };
        let image = Image::load(&program.bytes).expect("a static program");
        let debug = debug_info(&program);
        assert_eq!(value(&debug, &image, "fork_"), "{10, 11, 12, 13, 14}", "{name}");
        let queue = global(&debug, "queue").address;
        assert_eq!(debug.name_address(queue + 48).as_deref(), Some("queue.slots[3].value"), "{name}");
        let mixed = value(&debug, &image, "mixed");
        assert!(mixed.contains("low = 5, high = 17, small = -3, number = 65"), "{name}: {mixed}");
        assert_eq!(debug.type_name(global(&debug, "derived").ty), "Derived", "{name}");
        let recurse = image.symbols().iter().find(|symbol| symbol.name.starts_with("_Z7recursei"));
        let frames = debug.frames(recurse.expect("a function").address);
        assert_eq!(frames.last().map(|frame| frame.function.as_str()), Some("recurse"), "{name}");
        assert!(frames.iter().all(|frame| frame.file == "shapes.cc" && frame.line > 0), "{name}: {frames:?}");
    }
}

#[test]
fn lines_begin_where_the_line_changes() {
    for level in LEVELS {
        let Some(program) = compile(&format!("starts{level}"), "shapes.cc", &["-g", level, "-static"]) else { return };
        let debug = debug_info(&program);
        let starts = debug.line_starts();
        assert!(starts.is_sorted());
        let place = |pc| debug.frames(pc).first().map(|frame| (frame.file.clone(), frame.line));
        for range in debug.user_code() {
            for pc in range.clone().step_by(2).skip(1) {
                let is_start = starts.binary_search(&pc).is_ok();
                // Two rows of one address may make a start of what looks like the same line.
                assert!(is_start || place(pc) == place(pc - 2), "{pc:#x} at {level}");
            }
        }
    }
}

/// The cross compiler's own `addr2line` finds the same lines for every instruction, through all inlined calls.
#[test]
fn lines_agree_with_addr2line() {
    for level in LEVELS {
        for (source, version) in [("shapes.cc", "-gdwarf-5"), ("statics.c", "-gdwarf-5"), ("shapes.cc", "-gdwarf-4")] {
            let name = format!("lines-{source}{level}{version}");
            let Some(program) = compile(&name, source, &["-g", version, level, "-static"]) else { return };
            let debug = debug_info(&program);
            let addresses: Vec<u64> = debug.user_code().iter().flat_map(|range| range.clone().step_by(2)).collect();
            assert!(addresses.len() > 50);
            let input: String = addresses.iter().map(|address| format!("{address:#x}\n")).collect();
            let path = program.path.to_str().expect("a readable path");
            let Some(output) = tool("riscv64-linux-gnu-addr2line", &["-a", "-i", "-s", "-e", path], &input) else {
                return;
            };
            // Binutils 2.40 confuses file 1 of DWARF 5 with file 0: there, only line numbers are compared.
            let place = |text: &str| match version {
                "-gdwarf-5" => text.rsplit(':').next().unwrap_or(text).to_owned(),
                _ => text.to_owned(),
            };
            let mut expected: Vec<Vec<String>> = Vec::new();
            for line in output.lines() {
                match line.strip_prefix("0x") {
                    Some(_) => expected.push(Vec::new()),
                    None => {
                        let line = line.split(" (discriminator").next().unwrap_or(line);
                        expected.last_mut().expect("an address first").push(place(line));
                    }
                }
            }
            assert_eq!(expected.len(), addresses.len());
            for (address, expected) in addresses.iter().zip(expected) {
                let frames = debug.frames(*address);
                let base = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
                let found = frames.iter().map(|frame| place(&format!("{}:{}", base(&frame.file), frame.line)));
                let found: Vec<String> = found.collect();
                assert_eq!(found, expected, "{address:#x} of {name}: {frames:#?}");
            }
        }
    }
}

#[test]
fn user_code_is_the_code_with_debug_information() {
    let Some(program) = compile("user-code", "shapes.cc", &["-g", "-O0", "-static"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    let debug = debug_info(&program);
    let ranges = debug.user_code();
    assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
    let is_user = |name: &str| {
        let address = image.address_of(name).unwrap_or_else(|| panic!("{name} is missing"));
        ranges.iter().any(|range| range.contains(&address))
    };
    assert!(is_user("main") && is_user("stop_here") && is_user("_Z7recursei"));
    assert!(!is_user("malloc") && !is_user("_start") && !is_user("__cxa_throw"));
}

fn no_memory(_: u64, _: &mut [u8]) -> bool {
    false
}

#[test]
fn a_program_without_debug_information_answers_nothing() {
    let Some(program) = compile("bare", "freestanding.c", &["-O1", "-static", "-nostdlib", "-s"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    for debug in [debug_info(&program), DebugInfo::load(b"", 0), DebugInfo::load(b"\x7fELF nonsense", 0x10000)] {
        assert!(debug.is_empty() && debug.user_code().is_empty() && debug.globals().is_empty());
        assert!(debug.frames(image.entry).is_empty() && debug.locals(image.entry).is_empty());
        assert_eq!(debug.name_address(image.segments[0].address), None);
        let registers = Registers::new(image.entry, &[0; 32], &[0; 32]);
        assert!(debug.unwind(&registers, &no_memory).is_empty());
    }
}

#[test]
fn debug_information_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<DebugInfo>();
    shared::<Image>();
}

#[test]
fn a_relocated_program_has_relocated_information() {
    let arguments = ["-g", "-O0", "-static-pie", "-nostdlib", "-fpie", "-Wl,--no-dynamic-linker"];
    let Some(program) = compile("relocated", "freestanding.c", &arguments) else { return };
    let image = Image::load(&program.bytes).expect("a static position-independent program");
    let debug = DebugInfo::load(&program.bytes, image.load_bias);
    let counter = image.address_of("counter").expect("a variable");
    assert_eq!(debug.name_address(counter).as_deref(), Some("counter"));
    assert_eq!(value(&debug, &image, "counter"), "7");
    let twice = image.address_of("twice").expect("a function");
    let frames = debug.frames(twice);
    assert_eq!((frames[0].function.as_str(), frames[0].file.as_str()), ("twice", "freestanding.c"));
    let slots = global(&debug, "slots").address;
    assert_eq!(value(&debug, &image, "head"), format!("{:#x}", slots + 16));
}

/// The functions on the stack of a stopped program, innermost first, without those of the libraries.
fn call_stack(debug: &DebugInfo, program: &Stopped) -> Vec<String> {
    let memory = |address: u64, buffer: &mut [u8]| program.read(address, buffer);
    let registers = program.registers();
    let pcs = std::iter::once(registers.pc).chain(debug.unwind(&registers, &memory));
    pcs.flat_map(|pc| debug.frames(pc)).map(|frame| frame.function).collect()
}

/// The variables of the function that called `stop_here`, as text.
fn caller_values(debug: &DebugInfo, program: &Stopped) -> Vec<(String, Option<String>)> {
    let memory = |address: u64, buffer: &mut [u8]| program.read(address, buffer);
    let callers = debug.callers(&program.registers(), &memory);
    let caller = callers.first().expect("stop_here is called");
    let show = |local: &dampf_rv::debug::Local| {
        let bytes = match debug.read_local(local, caller, &memory)? {
            Place::Value(bytes) => bytes,
            Place::Address(address) => {
                let mut bytes = vec![0; debug.size_of(local.ty) as usize];
                memory(address, &mut bytes).then_some(bytes)?
            }
        };
        Some(debug.render(local.ty, &bytes))
    };
    debug.locals(caller.pc).iter().map(|local| (local.name.clone(), show(local))).collect()
}

#[test]
fn call_stacks_and_values_of_a_running_program() {
    // Beyond -O1, the compiler turns some of the calls into jumps, and the stack has no trace of them.
    for level in ["-O0", "-O1"] {
        let name = format!("running{level}");
        let Some(program) = compile(&name, "shapes.cc", &["-g", level, "-static"]) else { return };
        let debug = debug_info(&program);
        let image = Image::load(&program.bytes).expect("a static program");
        let Some(mut stopped) = Stopped::start(&name, &program.path) else { return };
        stopped.break_at(image.address_of("stop_here").expect("a function"));
        let stop = |expected_stack: &[&str], expected_values: &[(&str, &str)]| {
            assert!(stopped.go_on());
            assert_eq!(call_stack(&debug, &stopped), expected_stack, "at {level}");
            let values = caller_values(&debug, &stopped);
            for (name, expected) in expected_values {
                let found = values.iter().find(|(local, _)| local == name);
                let (_, value) = found.unwrap_or_else(|| panic!("{name} is missing at {level}: {values:#?}"));
                match value {
                    Some(value) => assert_eq!(value, expected, "{name} at {level}: {values:#?}"),
                    None => assert_ne!(level, "-O0", "{name} has a place without optimisation"),
                }
            }
            values.iter().filter(|(_, value)| value.is_some()).count()
        };
        let push = "store::Queue<store::Item, 4>::push";
        // With optimisation, gcc names a place for `item` that it never fills.
        let item = [("item", "{value = 21, next = null}")];
        let item = if level == "-O0" { &item[..] } else { &[] };
        let queue = format!("{:#x}", image.address_of("queue").unwrap());
        let own = [("position", "0"), ("this", queue.as_str())];
        let mut known = stop(&["stop_here", push, "main"], &[&own, item].concat());
        let recursion = ["stop_here", "recurse", "recurse", "recurse", "recurse", "main"];
        known += stop(&recursion, &[("depth", "0"), ("doubled", "0")]);
        let fork_2 = format!("{:#x}", image.address_of("fork_").unwrap() + 8);
        let what = format!("{:#x}", image.address_of("mixed").unwrap());
        let values = [
            ("what", what.as_str()),
            ("weight", "2.5"),
            ("tint", "Color::red"),
            ("place", &fork_2),
            ("mark", "'x'"),
            ("count", "99"),
        ];
        known += stop(&["stop_here", "weigh", "main"], &values);
        known += stop(&["stop_here", "inlined", "main"], &[("argument", "31"), ("local", "32"), ("argc", "1")]);
        let lambda = "main::{lambda}";
        if level == "-O0" {
            known += stop(&["stop_here", lambda, "main"], &[("amount", "6"), ("local", "12")]);
            known += stop(&["stop_here", "main"], item);
        }
        println!("{known} values known at {level}");
        assert!(known >= 10, "only {known} values are known at {level}");
    }
}

/// A call through a null pointer: the stack begins with the caller.
#[test]
fn a_wild_call_still_has_a_stack() {
    let Some(program) = compile("wild", "statics.c", &["-g", "-O1", "-static"]) else { return };
    let debug = debug_info(&program);
    let Some(stopped) = Stopped::start("wild", &program.path) else { return };
    assert!(stopped.go_on(), "the program stops with a signal");
    assert_eq!(stopped.registers().pc, 0);
    assert_eq!(call_stack(&debug, &stopped), ["jump", "main"]);
}

/// Asks everything there is to ask; whatever the answers, they come.
fn interrogate(bytes: &[u8], bias: u64, points: &[u64]) {
    let debug = DebugInfo::load(bytes, bias);
    let _ = debug.user_code();
    for variable in debug.globals().iter().take(40) {
        let _ = debug.name_address(variable.address.wrapping_add(variable.size / 2));
        let _ = debug.type_name(variable.ty);
        let _ = debug.render(variable.ty, &[0x41; 64]);
        let _ = debug.path(variable.ty, 5);
        let _ = (debug.library_part(variable.ty, 8), debug.containers(variable.ty, variable.size));
        let _ = debug.pointers(variable.ty, variable.size);
    }
    let memory = |address: u64, buffer: &mut [u8]| {
        buffer.fill(address as u8 & 0x10);
        address & 0x1000 == 0
    };
    for &pc in points {
        let _ = debug.frames(pc);
        let integer = std::array::from_fn(|index| 0x10000 + index as u64 * 16);
        let registers = Registers::new(pc, &integer, &[0; 32]);
        for local in debug.locals(pc) {
            let _ = debug.read_local(&local, &registers, &memory);
            let _ = debug.render(local.ty, &[1; 32]);
        }
        let _ = debug.unwind(&registers, &memory);
    }
}

fn code_points(image: &Image, names: &[&str]) -> Vec<u64> {
    let addresses = names.iter().map(|name| image.address_of(name).expect("a function"));
    addresses.flat_map(|address| [address, address + 10, address + 24]).collect()
}

#[test]
fn no_damage_makes_it_panic_or_hang() {
    for (level, version) in [("-O0", "-gdwarf-5"), ("-O2", "-gdwarf-5"), ("-O1", "-gdwarf-3")] {
        let name = format!("damage{level}{version}");
        let arguments = ["-g", version, level, "-static", "-nostdlib"];
        let Some(program) = compile(&name, "freestanding.c", &arguments) else { return };
        let image = Image::load(&program.bytes).expect("a static program");
        let points = code_points(&image, &["_start", "twice"]);
        let length = program.bytes.len();
        for cut in (0..length).step_by(13).chain(0..256) {
            interrogate(&program.bytes[..cut], 0, &points);
        }
        let mut bytes = program.bytes.clone();
        for position in 0..length {
            let original = bytes[position];
            let replaced = if position % 2 == 0 { 0xff } else { original.wrapping_add(7) };
            for damage in [original ^ 0x80, replaced] {
                bytes[position] = damage;
                interrogate(&bytes, 0, &points);
            }
            bytes[position] = original;
        }
    }
}

#[test]
fn no_damage_to_a_large_program_makes_it_panic_or_hang() {
    let Some(program) = compile("large-damage", "shapes.cc", &["-g", "-O1", "-static"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    let points = code_points(&image, &["main", "_Z7recursei", "malloc"]);
    let begins = image.segments.iter().map(|segment: &Segment| segment.bytes.len()).sum::<usize>();
    let mut random = toolchain::Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..150 {
        let mut bytes = program.bytes.clone();
        // What follows the segments is debug information, names and section headers.
        for _ in 0..1 + random.below(8) {
            let position = begins.min(bytes.len() - 1) + random.below(bytes.len().saturating_sub(begins));
            let position = position.min(bytes.len() - 1);
            bytes[position] = random.below(256) as u8;
        }
        interrogate(&bytes, 0, &points);
    }
}
