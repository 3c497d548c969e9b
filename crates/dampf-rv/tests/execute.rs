//! Execution against `qemu-riscv64`: the same programs of random instructions, the same registers afterwards.
//!
//! A program is a sequence of blocks. Before a block, all registers are loaded from its record, and afterwards they are
//! stored there; at the end, all records and the scratch memory are written out. The blocks are printed by our own
//! disassembler and assembled by gcc, with and without compression.

#[path = "execute/blocks.rs"]
mod blocks;
#[path = "execute/operands.rs"]
mod operands;

use std::path::Path;
use std::process::{Command, Stdio};

use blocks::{Choice, Program, RECORD_WORDS};
use dampf_rv::decode::{Code, FLOAT_REGISTER_NAMES, INTEGER_REGISTER_NAMES};
use dampf_rv::machine::{Bus, Exit, Hart, run, step};

const BASE: u64 = 0x10_0000;
const WRITE: u64 = 64;

/// Memory as one piece.
struct Flat {
    bytes: Vec<u8>,
}

impl Bus for Flat {
    type Stop = u64;

    fn load<const BYTES: usize>(&mut self, address: u64) -> Result<u64, u64> {
        let from = address.wrapping_sub(BASE) as usize;
        let bytes = self.bytes.get(from..from.wrapping_add(BYTES)).ok_or(address)?;
        let mut value = [0; 8];
        value[..BYTES].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(value))
    }

    fn store<const BYTES: usize>(&mut self, address: u64, value: u64) -> Result<(), u64> {
        let from = address.wrapping_sub(BASE) as usize;
        let bytes = self.bytes.get_mut(from..from.wrapping_add(BYTES)).ok_or(address)?;
        bytes.copy_from_slice(&value.to_le_bytes()[..BYTES]);
        Ok(())
    }
}

fn run_tool(name: &str, arguments: &[&str]) -> bool {
    match Command::new(name).args(arguments).stdout(Stdio::null()).output() {
        Ok(output) => {
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) => {
            println!("skipped: {name} is not installed");
            false
        }
    }
}

/// The flat image of a program, and what it writes under the emulator; nothing if a tool is missing.
fn assemble_and_emulate(name: &str, source: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let directory = std::env::temp_dir().join(format!("dampf-execute-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory can be made");
    let outcome = emulate_in(&directory, source);
    std::fs::remove_dir_all(&directory).expect("the temporary directory was there");
    outcome
}

fn emulate_in(directory: &Path, source: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let path = |name: &str| directory.join(name).to_str().expect("the temporary directory has a plain name").to_owned();
    let (assembly, elf, flat) = (path("blocks.s"), path("blocks.elf"), path("blocks.bin"));
    std::fs::write(&assembly, source).expect("a temporary file can be written");
    let link = ["-nostdlib", "-static", "-Wl,--no-relax", "-Wl,--build-id=none", "-Wl,-Ttext=0x100000"];
    let compile = [&link[..], &["-o", &elf, &assembly]].concat();
    if !run_tool("riscv64-linux-gnu-gcc", &compile)
        || !run_tool("riscv64-linux-gnu-objcopy", &["-O", "binary", &elf, &flat])
    {
        return None;
    }
    let Ok(emulated) = Command::new("qemu-riscv64").arg(&elf).output() else {
        println!("skipped: qemu-riscv64 is not installed");
        return None;
    };
    assert!(emulated.status.success(), "qemu-riscv64: {:?}", emulated.status);
    Some((std::fs::read(&flat).expect("objcopy has written it"), emulated.stdout))
}

/// What the program writes on our machine; one instruction at a time if `single`.
fn execute(image: &[u8], single: bool) -> Vec<u8> {
    let code = Code::new(&[(BASE, image)]);
    let mut bus = Flat { bytes: image.to_vec() };
    let mut hart = Hart::new(BASE);
    let mut budget = 10_000_000;
    let exit = if single {
        loop {
            if let Err(exit) = step(&mut hart, &code, &mut bus) {
                break exit;
            }
        }
    } else {
        run(&mut hart, &code, &mut bus, &mut budget)
    };
    assert_eq!(exit, Exit::Ecall, "at {:#x}: {:?}", hart.pc, code.at(hart.pc).map(|i| i.text(hart.pc)));
    assert_eq!(hart.x[17], WRITE);
    assert_eq!((hart.x[0], hart.x[32]), (0, 0));
    bus.bytes[(hart.x[11] - BASE) as usize..][..hart.x[12] as usize].to_vec()
}

fn word(bytes: &[u8], index: usize) -> u64 {
    bytes.get(index * 8..index * 8 + 8).map_or(0, |word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
}

/// Says where two outputs differ, with the block that is to blame.
fn explain(program: &Program, expected: &[u8], found: &[u8]) -> String {
    let words = expected.len().max(found.len()) / 8;
    let Some(first) = (0..words).find(|&index| word(expected, index) != word(found, index)) else {
        return "the outputs differ in length".to_owned();
    };
    let block = first / RECORD_WORDS;
    let Some(text) = program.blocks.get(block) else {
        return format!("scratch memory differs at word {}", first - program.blocks.len() * RECORD_WORDS);
    };
    let mut message = format!("block {block} differs:\n{text}\n");
    for index in block * RECORD_WORDS..(block + 1) * RECORD_WORDS {
        let name = match index % RECORD_WORDS {
            register @ 0..32 => INTEGER_REGISTER_NAMES[register],
            register @ 32..64 => FLOAT_REGISTER_NAMES[register - 32],
            _ => "fcsr",
        };
        let (before, after, ours) = (program.records[index], word(expected, index), word(found, index));
        let mark = if after == ours { "" } else { "  <- found " };
        let ours = if after == ours { String::new() } else { format!("{ours:016x}") };
        message.push_str(&format!("{name:5} {before:016x} -> {after:016x}{mark}{ours}\n"));
    }
    message
}

/// The calls between blocks reach one megabyte, so this is about as long as a program can be.
const BLOCKS: usize = 4000;

fn compare(name: &str, choice: Choice, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let program = Program::new(seed, choice, BLOCKS);
        let Some((image, expected)) = assemble_and_emulate(name, &program.source()) else { return };
        for single in [false, true] {
            let found = execute(&image, single);
            assert!(found == expected, "seed {seed}: {}", explain(&program, &expected, &found));
        }
    }
}

#[test]
fn all_operations_agree() {
    compare("all", Choice::All, 0..2);
}

#[test]
fn integer_operations_agree() {
    compare("integer", Choice::Integer, 100..101);
}

#[test]
fn single_precision_agrees() {
    compare("single", Choice::Single, 200..203);
}

#[test]
fn double_precision_agrees() {
    compare("double", Choice::Double, 300..303);
}
