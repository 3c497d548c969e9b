//! Decoding against an independent disassembler: every 16-bit encoding, and a broad sample of the 32-bit ones.
//!
//! The disassembler's lines are brought into the form of [`Instruction::text`]: compressed mnemonics are expanded by a
//! table that knows nothing of encodings. What the two see differently on purpose is kept out of the sample by opcode
//! and named in `sampled`; nothing is forgiven afterwards.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use dampf_rv::decode::{Op, decode, length};

const OBJDUMP: &str = "riscv64-linux-gnu-objdump";

/// A stream of numbers that is the same every time.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u32 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }
}

/// The lines of the disassembler by address, without comments; nothing if it is not installed.
fn disassemble(name: &str, bytes: &[u8]) -> Option<BTreeMap<u64, String>> {
    let path: PathBuf = std::env::temp_dir().join(format!("dampf-decode-{name}-{}.bin", std::process::id()));
    std::fs::write(&path, bytes).expect("a temporary file can be written");
    let output = Command::new(OBJDUMP)
        .args(["-D", "-z", "-b", "binary", "-m", "riscv:rv64", "-M", "no-aliases"])
        .arg(&path)
        .output();
    std::fs::remove_file(&path).expect("the temporary file was there");
    let Ok(output) = output else {
        println!("skipped: {OBJDUMP} is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the disassembler writes ASCII");
    let lines = text.lines().filter_map(|line| {
        let mut fields = line.split('\t');
        let address = u64::from_str_radix(fields.next()?.trim().strip_suffix(':')?, 16).ok()?;
        let mnemonic = fields.nth(1)?.trim();
        let operands = fields.next().unwrap_or("").split(" #").next().unwrap_or("").trim();
        Some((address, format!("{mnemonic} {operands}").trim().to_owned()))
    });
    Some(lines.collect())
}

/// What a compressed instruction expands to, by its assembly.
fn expanded(line: &str) -> String {
    let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
    let Some(short) = mnemonic.strip_prefix("c.") else { return line.to_owned() };
    let operands: Vec<&str> = rest.split(',').collect();
    let (a, b) = (operands[0], operands.get(1).copied().unwrap_or(""));
    match short {
        "unimp" => "illegal".to_owned(),
        "nop" => "addi zero,zero,0".to_owned(),
        "ebreak" => "ebreak".to_owned(),
        "addi4spn" => format!("addi {rest}"),
        "addi16sp" => format!("addi sp,{rest}"),
        "li" => format!("addi {a},zero,{b}"),
        "lui" => line.replacen("c.", "", 1),
        "slli64" | "srli64" | "srai64" => format!("{} {a},{a},0x0", &short[..4]),
        "addi" | "addiw" | "andi" | "slli" | "srli" | "srai" | "add" | "sub" | "xor" | "or" | "and" | "addw"
        | "subw" => {
            format!("{short} {a},{a},{b}")
        }
        "mv" => format!("add {a},zero,{b}"),
        "j" => format!("jal zero,{a}"),
        "jr" => format!("jalr zero,0({a})"),
        "jalr" => format!("jalr ra,0({a})"),
        "beqz" => format!("beq {a},zero,{b}"),
        "bnez" => format!("bne {a},zero,{b}"),
        "lwsp" | "ldsp" | "fldsp" | "swsp" | "sdsp" | "fsdsp" => format!("{} {rest}", short.trim_end_matches("sp")),
        _ => format!("{short} {rest}"),
    }
}

/// The disassembler's line in our words.
fn normalised(line: &str) -> String {
    if line.starts_with(".2byte") || line.starts_with(".4byte") {
        return "illegal".to_owned();
    }
    let line = expanded(line);
    if line.starts_with("fence ") {
        return line.replace("unknown", "0");
    }
    // Elsewhere, the unknown operand is a reserved rounding mode.
    if line.ends_with(",unknown") {
        return "illegal".to_owned();
    }
    // Widening is always exact, and the disassembler does not show its mode, which is the first in the sample.
    if ["fcvt.d.s ", "fcvt.d.w ", "fcvt.d.wu "].iter().any(|widening| line.starts_with(widening)) {
        return format!("{line},rne");
    }
    line.strip_suffix(",dyn").unwrap_or(&line).to_owned()
}

/// Compares all encodings, laid out one after another from address zero, with the disassembler.
fn compare(name: &str, encodings: &[u32], bytes: &[u8]) {
    let Some(lines) = disassemble(name, bytes) else { return };
    let mut address = 0;
    let mut differences = Vec::new();
    for &word in encodings {
        let instruction = decode(word);
        let expected = lines.get(&address).map_or("no line".to_owned(), |line| normalised(line));
        let text = instruction.text(address);
        if text != expected {
            differences.push(format!("{word:#010x}: decoded as `{text}`, expected `{expected}`"));
        }
        address += instruction.length as u64;
    }
    let shown = differences.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {} differ:\n{shown}", differences.len(), encodings.len());
}

#[test]
fn all_compressed_encodings() {
    // Adjusting the stack pointer by nothing is reserved; the disassembler shows it all the same.
    const ADJUST_BY_ZERO: u32 = 0x6101;
    assert_eq!(decode(ADJUST_BY_ZERO).op, Op::Illegal);
    let encodings: Vec<u32> =
        (0..=u16::MAX as u32).filter(|parcel| parcel & 3 != 3 && *parcel != ADJUST_BY_ZERO).collect();
    let bytes: Vec<u8> = encodings.iter().flat_map(|&parcel| (parcel as u16).to_le_bytes()).collect();
    compare("compressed", &encodings, &bytes);
}

/// An encoding of a major opcode (bits 2 to 6) with random fields, such that a good part is legal.
fn sampled(opcode: u32, sequence: &mut Sequence) -> u32 {
    let mut word = sequence.next() & !0x7F | opcode << 2 | 3;
    match opcode {
        // Register operations: few function codes are in use.
        0b01100 | 0b01110 if sequence.below(4) != 0 => {
            word = word & 0x01FF_FFFF | [0, 1, 0x20][sequence.below(3) as usize] << 25;
        }
        // Shifts by immediates likewise.
        0b00100 | 0b00110 if sequence.below(2) != 0 => {
            word = word & 0x03FF_FFFF | [0, 0x10][sequence.below(2) as usize] << 26;
        }
        // Atomics: the two widths, and a second operand of zero for the reserving loads.
        0b01011 => {
            if sequence.below(8) != 0 {
                word = word & !0x7000 | (2 + sequence.below(2)) << 12;
            }
            if sequence.below(8) == 0 {
                word &= !0x01F0_0000;
            }
        }
        // Floating point: the second operand selects among conversions.
        0b10100 => {
            if sequence.below(2) == 0 {
                word = word & !0x01F0_0000 | sequence.below(4) << 20;
            }
            if sequence.below(4) != 0 {
                word &= !0x0400_0000;
            }
            // The disassembler knows only mode zero for the conversions that are always exact, though the field
            // is free (`the_mode_of_exact_conversions_is_free`).
            if matches!(decode(word).op, Op::FcvtDS | Op::FcvtDW | Op::FcvtDWu) {
                word &= !0x7000;
            }
        }
        // Fences: fields that are reserved for later and ignored here (`fences_ignore_reserved_fields`) are illegal
        // to the disassembler, and a fence mode has a mnemonic of its own there.
        0b00011 => word &= if word & 0x7000 == 0 { 0x0FF0_707F } else { 0x0000_707F },
        0b11100 => {
            if word & 0x7000 == 0 {
                // Everything but these two is privileged, and the disassembler knows the privileged instructions.
                word = [0x0000_0073, 0x0010_0073][sequence.below(2) as usize];
            } else {
                // The disassembler knows the names of privileged registers too: take ours, and a range without names.
                let known = [0x001, 0x002, 0x003, 0xC00, 0xC01, 0xC02];
                let register = known.get(sequence.below(12) as usize).copied();
                let register = register.unwrap_or_else(|| 0x800 + sequence.below(0x100));
                word = word & 0x000F_FFFF | register << 20;
            }
        }
        _ => {}
    }
    word
}

#[test]
fn a_sample_of_wide_encodings() {
    let mut sequence = Sequence(1);
    let mut encodings = Vec::new();
    for _ in 0..8000 {
        // Low opcode bits of all ones start a longer encoding (`longer_encodings_are_illegal`).
        for opcode in (0..32).filter(|opcode| opcode & 7 != 7) {
            encodings.push(sampled(opcode, &mut sequence));
        }
        // The floating-point opcode holds the most operations.
        encodings.push(sampled(0b10100, &mut sequence));
    }
    let mut seen: Vec<Op> = encodings.iter().map(|&word| decode(word).op).collect();
    seen.sort();
    seen.dedup();
    let missing: Vec<&Op> = Op::ALL.iter().filter(|op| !seen.contains(op) && **op != Op::Hook).collect();
    assert!(missing.is_empty(), "the sample lacks {missing:?}");
    let bytes: Vec<u8> = encodings.iter().flat_map(|word| word.to_le_bytes()).collect();
    compare("wide", &encodings, &bytes);
}

#[test]
fn longer_encodings_are_illegal() {
    let mut sequence = Sequence(2);
    for _ in 0..10_000 {
        let instruction = decode(sequence.next() | 0x1F);
        assert_eq!((instruction.op, instruction.length), (Op::Illegal, 4));
    }
}

#[test]
fn privileged_instructions_are_illegal() {
    // uret, sret, mret, wfi, sfence.vma
    for word in [0x0020_0073, 0x1020_0073, 0x3020_0073, 0x1050_0073, 0x1200_0073] {
        assert_eq!(decode(word).op, Op::Illegal);
    }
    assert_eq!(decode(0x0000_0073 | 1 << 7).op, Op::Illegal);
    assert_eq!(decode(0x0000_4073).op, Op::Illegal);
}

#[test]
fn fences_ignore_reserved_fields() {
    let mut sequence = Sequence(3);
    for _ in 0..1000 {
        let fields = sequence.next() & !0x707F;
        assert_eq!(decode(fields | 0x0F).op, Op::Fence);
        assert_eq!(decode(fields | 0x100F).op, Op::FenceI);
    }
    assert_eq!(decode(0x0000_200F).op, Op::Illegal);
}

#[test]
fn the_mode_of_exact_conversions_is_free() {
    for (word, op) in [(0x4205_05D3, Op::FcvtDS), (0xD205_8553, Op::FcvtDW), (0xD215_8553, Op::FcvtDWu)] {
        for mode in 0..8 {
            let expected = if mode == 5 || mode == 6 { Op::Illegal } else { op };
            assert_eq!(decode(word | mode << 12).op, expected, "mode {mode}");
        }
    }
}

#[test]
fn the_high_half_of_a_compressed_instruction_is_ignored() {
    for parcel in (0..=u16::MAX).filter(|parcel| length(*parcel) == 2) {
        assert_eq!(decode(parcel as u32), decode(parcel as u32 | 0xABCD_0000));
    }
}

#[test]
fn memory_accesses_are_described() {
    let access = |word: u32| {
        let access = decode(word).memory_access()?;
        Some((access.base, access.offset, access.bytes, access.reads, access.writes, access.atomic))
    };
    // lb a0,-1(sp); sd a0,8(sp); fld fa0,16(a1); c.swsp a0,4(sp)
    assert_eq!(access(0xFFF1_0503), Some((2, -1, 1, true, false, false)));
    assert_eq!(access(0x00A1_3423), Some((2, 8, 8, false, true, false)));
    assert_eq!(access(0x0105_B507), Some((11, 16, 8, true, false, false)));
    assert_eq!(access(0xC22A), Some((2, 4, 4, false, true, false)));
    // lr.w.aq a0,(a1); sc.d.rl a0,a2,(a1); amoadd.w.aqrl a0,a2,(a1); add a0,a1,a2
    assert_eq!(access(0x1405_A52F), Some((11, 0, 4, true, false, true)));
    assert_eq!(access(0x1AC5_B52F), Some((11, 0, 8, false, true, true)));
    assert_eq!(access(0x06C5_A52F), Some((11, 0, 4, true, true, true)));
    assert_eq!(access(0x00C5_8533), None);
}
