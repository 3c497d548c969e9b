//! Loading of executables: what is accepted, what is refused and how, and that no bytes make it panic.

mod toolchain;

use dampf_rv::image::{ADDRESS_LIMIT, Image, ImageError, LOAD_BASE, MEMORY_SIZE_MAX, SymbolKind, demangle};
use toolchain::{Random, compile, tool};

const SMALL: [&str; 4] = ["-g", "-O1", "-static", "-nostdlib"];

fn refusal(bytes: &[u8]) -> String {
    match Image::load(bytes) {
        Ok(_) => panic!("the file is accepted"),
        Err(error) => error.to_string(),
    }
}

/// Writes a little-endian number into a copy of the file.
fn patched(bytes: &[u8], position: usize, number: u64, size: usize) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    copy[position..position + size].copy_from_slice(&number.to_le_bytes()[..size]);
    copy
}

fn number(bytes: &[u8], position: usize, size: usize) -> u64 {
    bytes[position..position + size].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The positions of the program headers with a type.
fn headers_of_type(bytes: &[u8], kind: u64) -> Vec<usize> {
    let (start, count) = (number(bytes, 32, 8) as usize, number(bytes, 56, 2) as usize);
    (0..count).map(|index| start + index * 56).filter(|&position| number(bytes, position, 4) == kind).collect()
}

#[test]
fn a_static_program_is_loaded_as_linked() {
    let Some(program) = compile("image-static", "shapes.cc", &["-g", "-O0", "-static"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    assert_eq!(image.load_bias, 0);
    assert!(!image.is_stripped());
    assert_eq!(image.address_of("_start"), Some(image.entry));
    let code = image.segments.iter().find(|segment| segment.executable).expect("code");
    assert!(!code.writable && code.offset_of(image.entry).is_some());
    let data = image.segments.iter().find(|segment| segment.writable).expect("data");
    assert!(data.memory_size > data.bytes.len() as u64, "there is a zeroed part");
    assert_eq!(image.end(), data.end());
    let tls = image.tls.expect("thread-local variables");
    assert!(tls.file_size < tls.memory_size && tls.align >= 8 && data.offset_of(tls.address).is_some());

    // The program headers in memory are those of the file.
    let offset = code.offset_of(image.program_headers).expect("the headers are in memory") as usize;
    let size = image.program_header_count as usize * 56;
    let start = number(&program.bytes, 32, 8) as usize;
    assert_eq!(code.bytes[offset..offset + size], program.bytes[start..start + size]);
}

#[test]
fn symbols_are_those_that_nm_lists() {
    let Some(program) = compile("image-symbols", "shapes.cc", &["-g", "-O0", "-static"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    let path = program.path.to_str().expect("a readable path");
    let Some(listing) = tool("riscv64-linux-gnu-nm", &["-S", "--defined-only", path], "") else { return };
    let mut functions = 0;
    for line in listing.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[address, size, kind, name] = words.as_slice() else { continue };
        let address = u64::from_str_radix(address, 16).expect("an address");
        let size = u64::from_str_radix(size, 16).expect("a size");
        if !"TtWw".contains(kind) {
            continue;
        }
        let known = image.symbols_named(name).any(|symbol| (symbol.address, symbol.size) == (address, size));
        assert!(known, "{name} is missing");
        let covering = image.symbol_at(address + size / 2).expect("a symbol covers the function");
        assert!(covering.address <= address + size / 2, "{name}");
        functions += 1;
    }
    assert!(functions > 500, "nm lists {functions} functions");
}

#[test]
fn addresses_have_the_names_that_people_use() {
    let Some(program) = compile("image-names", "shapes.cc", &["-g", "-O0", "-static"]) else { return };
    let image = Image::load(&program.bytes).expect("a static program");
    for name in ["pthread_mutex_lock", "malloc", "main", "memcpy"] {
        let address = image.address_of(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(image.symbol_at(address + 2).map(|symbol| symbol.name.as_str()), Some(name));
        assert!(image.symbols_at(address).any(|symbol| symbol.name == name));
    }
    let lock = image.address_of("pthread_mutex_lock").expect("a function");
    assert!(image.symbols_at(lock).count() > 1, "the function has other names");
    let fork = image.address_of("fork_").expect("a variable");
    assert_eq!(image.data_symbol_at(fork + 16).map(|symbol| symbol.name.as_str()), Some("fork_"));
    assert_ne!(image.data_symbol_at(fork + 20).map(|symbol| symbol.name.as_str()), Some("fork_"));
    assert_eq!(image.symbol_at(fork).map(|symbol| symbol.kind), Some(SymbolKind::Object));
    let push = image.symbols().iter().find(|symbol| demangle(&symbol.name) == "store::Queue<store::Item, 4>::push");
    assert_eq!(push.map(|symbol| symbol.kind), Some(SymbolKind::Function));
    assert!(image.symbol_at(0).is_none() && image.symbol_at(u64::MAX).is_none());
    // A thread-local variable has an offset, which is no address.
    assert_eq!(image.address_of("mine"), None);
    assert_eq!(image.address_of("no such name"), None);
}

#[test]
fn a_position_independent_program_is_relocated() {
    for packed in [false, true] {
        let mut arguments = vec!["-O0", "-static-pie", "-nostdlib", "-fpie", "-Wl,--no-dynamic-linker"];
        if packed {
            arguments.push("-Wl,-z,pack-relative-relocs");
        }
        let Some(program) = compile(&format!("image-pie-{packed}"), "freestanding.c", &arguments) else { return };
        let image = Image::load(&program.bytes).expect("a static position-independent program");
        assert_eq!(image.load_bias, LOAD_BASE);
        assert_eq!(image.segments[0].address, LOAD_BASE);
        assert_eq!(image.address_of("_start"), Some(image.entry));
        let head = image.address_of("head").expect("a variable");
        let data = image.segments.iter().find(|segment| segment.offset_of(head).is_some()).expect("data");
        let value = number(&data.bytes, (head - data.address) as usize, 8);
        assert_eq!(Some(value), image.address_of("slots").map(|slots| slots + 16));
    }
}

#[test]
fn a_stripped_program_runs_without_names() {
    let Some(program) = compile("image-stripped", "freestanding.c", &["-O1", "-static", "-nostdlib", "-s"]) else {
        return;
    };
    let image = Image::load(&program.bytes).expect("a static program");
    assert!(image.is_stripped());
    assert_eq!(image.address_of("_start"), None);
    assert!(image.symbol_at(image.entry).is_none());
}

#[test]
fn other_files_are_refused_by_name_with_a_way_out() {
    assert_eq!(refusal(b""), "this is an empty file, not an ELF executable; compile it with `dampf cc` or `dampf c++`");
    assert!(refusal(b"#!/bin/sh\n").starts_with("this is a script, not an ELF executable"));
    assert!(refusal(b"!<arch>\nfoo").starts_with("this is a library archive"));
    assert!(refusal(b"int main(void) { }").starts_with("this is not an ELF executable"));
    assert!(refusal(b"\x7fELF\x02\x01").starts_with("the file is truncated: it ends within the ELF header"));
    let own = std::fs::read(std::env::current_exe().expect("a path")).expect("this test is readable");
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        let expected = "the program is compiled for x86-64; compile it with `dampf cc` or `dampf c++`";
        assert_eq!(refusal(&own), expected);
    }
    let cases: [(&str, &[&str], &str); 3] = [
        ("image-object", &["-c"], "this is an object file that is not linked yet; link it with `dampf cc`"),
        ("image-shared", &["-shared", "-fpic", "-nostdlib"], "this is a shared library"),
        (
            "image-dynamic",
            &["-pie", "-fpie", "-nostdlib"],
            "the program is dynamically linked (it asks for /lib/ld-linux",
        ),
    ];
    for (name, arguments, expected) in cases {
        let source = "freestanding.c";
        let Some(program) = compile(name, source, arguments) else { return };
        let message = refusal(&program.bytes);
        assert!(message.starts_with(expected), "{name}: {message}");
    }
}

#[test]
fn headers_that_contradict_themselves_are_refused() {
    let Some(program) = compile("image-headers", "freestanding.c", &SMALL) else { return };
    let bytes = &program.bytes;
    let image = Image::load(bytes).expect("a static program");
    let loads = headers_of_type(bytes, 1);
    let data = *loads.last().expect("a segment");
    let error = |bytes: &[u8]| Image::load(bytes).err();

    assert_eq!(error(&patched(bytes, 4, 1, 1)), Some(ImageError::ThirtyTwoBit));
    let big_endian = patched(&patched(bytes, 5, 2, 1), 18, 0xf300, 2);
    assert_eq!(error(&big_endian), Some(ImageError::BigEndian));
    let machine = "AArch64".to_owned();
    assert_eq!(error(&patched(bytes, 18, 183, 2)), Some(ImageError::WrongArchitecture { machine }));
    assert_eq!(error(&patched(bytes, 16, 4, 2)), Some(ImageError::CoreDump));
    assert_eq!(error(&patched(bytes, 24, 0x666, 8)), Some(ImageError::EntryOutsideCode { entry: 0x666 }));
    assert_eq!(error(&patched(bytes, 56, 0, 2)), Some(ImageError::NoExecutableSegment));
    assert_eq!(error(&bytes[..100]), Some(ImageError::Truncated { what: "the program headers".into() }));

    let cut = error(&bytes[..bytes.len() - 1]);
    assert_eq!(cut, Some(ImageError::Truncated { what: "the section headers".into() }));
    let sections = u64::from_le_bytes(bytes[40..48].try_into().expect("eight bytes")) as usize;
    let beyond = error(&patched(bytes, sections + 64 + 32, u64::MAX / 2, 8));
    assert!(matches!(&beyond, Some(ImageError::Truncated { what }) if what.starts_with("section .")), "{beyond:?}");

    let first = image.segments[0].address;
    let overlap = error(&patched(bytes, data + 16, first + 8, 8));
    assert!(matches!(overlap, Some(ImageError::OverlappingSegments { .. })), "{overlap:?}");
    for memory_size in [MEMORY_SIZE_MAX + 1, u64::MAX, ADDRESS_LIMIT] {
        let found = error(&patched(bytes, data + 40, memory_size, 8));
        assert!(matches!(found, Some(ImageError::TooLarge { .. })), "{found:?}");
    }
    let found = error(&patched(bytes, data + 16, u64::MAX - 3, 8));
    assert!(matches!(found, Some(ImageError::TooLarge { .. })), "{found:?}");
    assert_eq!(error(&patched(bytes, data + 40, 0, 8)), Some(ImageError::Malformed { what: "segment size" }));
    assert_eq!(
        error(&patched(bytes, data + 8, u64::MAX - 5, 8)),
        Some(ImageError::Truncated { what: "a segment".into() })
    );
    let tls = headers_of_type(bytes, 7)[0];
    let expected = Some(ImageError::Malformed { what: "thread-local segment" });
    assert_eq!(error(&patched(bytes, tls + 48, 3, 8)), expected);
    assert_eq!(error(&patched(bytes, tls + 40, u64::MAX, 8)), expected);
    let mut unexecutable = bytes.clone();
    for load in &loads {
        unexecutable = patched(&unexecutable, load + 4, 6, 4);
    }
    assert_eq!(error(&unexecutable), Some(ImageError::NoExecutableSegment));
}

/// Asks everything about an image that loads.
fn interrogate(bytes: &[u8]) -> bool {
    let Ok(image) = Image::load(bytes) else { return false };
    assert!(image.segments.windows(2).all(|pair| pair[0].end() <= pair[1].address));
    assert!(image.segments.iter().all(|segment| segment.bytes.len() as u64 <= segment.memory_size));
    assert!(image.segments.iter().map(|segment| segment.memory_size).sum::<u64>() <= MEMORY_SIZE_MAX);
    let entry = |segment: &dampf_rv::image::Segment| segment.executable && segment.offset_of(image.entry).is_some();
    assert!(image.segments.iter().any(entry));
    for symbol in image.symbols() {
        let _ = (image.address_of(&symbol.name), image.symbol_at(symbol.address), image.data_symbol_at(symbol.address));
        let _ = demangle(&symbol.name);
    }
    true
}

#[test]
fn no_damage_makes_loading_panic() {
    let pie = ["-g", "-O0", "-static-pie", "-nostdlib", "-fpie", "-Wl,--no-dynamic-linker"];
    for (name, arguments) in [("image-damage", &SMALL[..]), ("image-damage-pie", &pie[..])] {
        let Some(program) = compile(name, "freestanding.c", arguments) else { return };
        let bytes = program.bytes;
        assert!(interrogate(&bytes));
        for length in 0..bytes.len() {
            interrogate(&bytes[..length]);
        }
        // Every byte, and every header field at its extremes.
        let mut copy = bytes.clone();
        let mut accepted = 0;
        for position in 0..bytes.len() {
            for damage in [0, 0xff, bytes[position] ^ 1, bytes[position] ^ 0x80] {
                copy[position] = damage;
                accepted += usize::from(interrogate(&copy));
            }
            copy[position] = bytes[position];
        }
        assert!(accepted > 0, "most bytes do not matter for loading");
        let sections = number(&bytes, 40, 8) as usize;
        let fields = (0..512).chain(sections..bytes.len() - 8).step_by(4);
        for position in fields {
            for extreme in [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 32, 0xffff_ffff, bytes.len() as u64] {
                interrogate(&patched(&bytes, position, extreme, 8));
                interrogate(&patched(&bytes, position, extreme, 4));
            }
        }
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for _ in 0..3000 {
            let mut copy = bytes.clone();
            for _ in 0..1 + random.below(6) {
                let limit = if random.below(2) == 0 { 600 } else { copy.len() };
                let position = random.below(limit);
                copy[position] = random.below(256) as u8;
            }
            interrogate(&copy);
        }
    }
}
