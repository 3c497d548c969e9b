//! What happens around instructions: exits, hooks, budgets, refused accesses, reserved modes.

use super::*;
use crate::decode::{Handler, Instruction, Op};

const TEXT: u64 = 0x1000;
const DATA: u64 = 0x8000;

/// Sixty-four bytes of memory that refuse whatever is elsewhere, and all writes if asked to.
struct Small {
    bytes: [u8; 64],
    read_only: bool,
}

impl Bus for Small {
    type Stop = u64;

    fn load<const BYTES: usize>(&mut self, address: u64) -> Result<u64, u64> {
        let from = address.wrapping_sub(DATA) as usize;
        let bytes = self.bytes.get(from..from.wrapping_add(BYTES)).ok_or(address)?;
        let mut value = [0; 8];
        value[..BYTES].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(value))
    }

    fn store<const BYTES: usize>(&mut self, address: u64, value: u64) -> Result<(), u64> {
        let from = address.wrapping_sub(DATA) as usize;
        let bytes = self.bytes.get_mut(from..from.wrapping_add(BYTES)).ok_or(address)?;
        if self.read_only {
            return Err(address);
        }
        bytes.copy_from_slice(&value.to_le_bytes()[..BYTES]);
        Ok(())
    }
}

struct Setting {
    code: Code,
    hart: Hart,
    bus: Small,
}

impl Setting {
    fn new(words: &[u32]) -> Setting {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut hart = Hart::new(TEXT);
        hart.x[11] = DATA;
        Setting { code: Code::new(&[(TEXT, &bytes)]), hart, bus: Small { bytes: [0; 64], read_only: false } }
    }

    /// Runs with a budget and says how the run ended and how much of the budget is left.
    fn run(&mut self, budget: u64) -> (Exit<u64>, u64) {
        let mut budget = budget;
        let exit = run(&mut self.hart, &self.code, &mut self.bus, &mut budget);
        assert_eq!((self.hart.x[0], self.hart.x[Slot::SCRAP]), (0, 0));
        (exit, budget)
    }
}

const ADDI_A0_A0_1: u32 = 0x0015_0513;
const ECALL: u32 = 0x0000_0073;
const EBREAK: u32 = 0x0010_0073;

#[test]
fn exits_stand_at_their_instruction() {
    for (word, expected) in [(ECALL, Exit::Ecall), (EBREAK, Exit::Ebreak), (0, Exit::Illegal), (0x9002, Exit::Ebreak)] {
        let mut setting = Setting::new(&[ADDI_A0_A0_1, word]);
        assert_eq!(setting.run(10), (expected, 9));
        assert_eq!((setting.hart.pc, setting.hart.x[10]), (TEXT + 4, 1));
        // Nothing moves on by itself.
        assert_eq!(setting.run(9), (expected, 9));
    }
}

#[test]
fn the_budget_is_exact() {
    let mut setting = Setting::new(&[ADDI_A0_A0_1, ADDI_A0_A0_1, ADDI_A0_A0_1, ECALL]);
    assert_eq!(setting.run(0), (Exit::Budget, 0));
    assert_eq!(setting.hart.x[10], 0);
    assert_eq!(setting.run(2), (Exit::Budget, 0));
    assert_eq!((setting.hart.pc, setting.hart.x[10]), (TEXT + 8, 2));
    assert_eq!(setting.run(1), (Exit::Budget, 0));
    assert_eq!(setting.run(1), (Exit::Ecall, 1));
}

#[test]
fn the_end_of_the_text_is_no_code() {
    let mut setting = Setting::new(&[ADDI_A0_A0_1]);
    assert_eq!(setting.run(10), (Exit::NotCode, 9));
    assert_eq!(setting.hart.pc, TEXT + 4);
    setting.hart.pc = TEXT + 1;
    assert_eq!(setting.run(10), (Exit::NotCode, 10));
    // A long instruction that is cut off by the end.
    setting.code = Code::new(&[(TEXT, &ADDI_A0_A0_1.to_le_bytes()[..2])]);
    setting.hart.pc = TEXT;
    assert_eq!(setting.run(10), (Exit::NotCode, 10));
    assert_eq!(setting.hart.pc, TEXT);
}

#[test]
fn jumps_out_of_the_text_have_happened() {
    // jal ra,-8; beq zero,zero,-4; jalr ra,0(a1)
    for (word, target, link) in [(0xFF9F_F0EF, TEXT - 8, 4), (0xFE00_0EE3, TEXT - 4, 0), (0x0005_80E7, DATA, 4)] {
        let mut setting = Setting::new(&[word]);
        assert_eq!(setting.run(10), (Exit::NotCode, 9));
        assert_eq!(setting.hart.pc, target);
        assert_eq!(setting.hart.x[1], if link == 0 { 0 } else { TEXT + link });
        let mut setting = Setting::new(&[word]);
        assert_eq!(setting.run(1), (Exit::Budget, 0));
        assert_eq!(setting.hart.pc, target);
    }
}

#[test]
fn jumps_lead_into_other_sections() {
    let mut setting = Setting::new(&[]);
    // jalr a1,0(a1) replaces the register it jumps through; then ecall.
    setting.code = Code::new(&[(TEXT, &0x0005_85E7u32.to_le_bytes()), (DATA, &ECALL.to_le_bytes())]);
    assert_eq!(setting.run(10), (Exit::Ecall, 9));
    assert_eq!((setting.hart.pc, setting.hart.x[11]), (DATA, TEXT + 4));
}

#[test]
fn a_jump_into_the_middle_of_an_instruction_is_as_good_as_any() {
    // lui a0,0x00150 holds addi's low half in its high half.
    let mut setting = Setting::new(&[0x0015_0537, ECALL]);
    setting.hart.pc = TEXT + 2;
    // The parcel 0x0015 is c.addi zero,5, a hint.
    assert_eq!(setting.run(10), (Exit::Ecall, 9));
    assert_eq!(setting.hart.pc, TEXT + 4);
}

#[test]
fn hooks_stop_and_are_stepped_over() {
    let mut setting = Setting::new(&[ADDI_A0_A0_1, ADDI_A0_A0_1, ECALL]);
    assert!(setting.code.plant(TEXT + 4));
    assert_eq!(setting.run(10), (Exit::Hook, 9));
    assert_eq!((setting.hart.pc, setting.hart.x[10]), (TEXT + 4, 1));
    assert_eq!(setting.run(10), (Exit::Hook, 10));
    assert_eq!(step(&mut setting.hart, &setting.code, &mut setting.bus), Ok(()));
    assert_eq!((setting.hart.pc, setting.hart.x[10]), (TEXT + 8, 2));
    assert_eq!(step(&mut setting.hart, &setting.code, &mut setting.bus), Err(Exit::Ecall));
    setting.hart.pc = 2;
    assert_eq!(step(&mut setting.hart, &setting.code, &mut setting.bus), Err(Exit::NotCode));
}

#[test]
fn a_refused_access_leaves_no_trace() {
    // ld a1,-8(a1); sd a0,-8(a1); fld fa0,-8(a1); lr.d a0,(a0); sc.d a0,a0,(a0); amoadd.d a0,a1,(a0)
    let words = [0xFF85_B583, 0xFEA5_BC23, 0xFF85_B507, 0x1005_352F, 0x18A5_352F, 0x00B5_352F];
    for word in words {
        let mut setting = Setting::new(&[word]);
        // The conditional store is refused only if it would be done.
        setting.hart.reservation = Some(0);
        let before = setting.hart.clone();
        assert!(matches!(setting.run(10), (Exit::Stopped(_), 10)), "{word:#x}");
        assert!(setting.hart == before, "{word:#x}");
    }
}

#[test]
fn an_exchange_that_cannot_be_stored_has_not_happened() {
    // amoadd.d a0,a1,(a1)
    let mut setting = Setting::new(&[0x00B5_B52F]);
    setting.bus.read_only = true;
    let before = setting.hart.clone();
    assert_eq!(setting.run(10), (Exit::Stopped(DATA), 10));
    assert!(setting.hart == before);
}

#[test]
fn a_conditional_store_needs_its_reservation() {
    // sc.w a0,a1,(a1); lr.w a2,(a1); sc.w a3,a1,(a1); sc.w a4,a1,(a1)
    let mut setting = Setting::new(&[0x18B5_A52F, 0x1005_A62F, 0x18B5_A6AF, 0x18B5_A72F, ECALL]);
    setting.bus.bytes[3] = 0x80;
    assert_eq!(setting.run(10), (Exit::Ecall, 6));
    assert_eq!(setting.hart.x[10], 1);
    assert_eq!(setting.hart.x[12], 0xFFFF_FFFF_8000_0000);
    assert_eq!((setting.hart.x[13], setting.hart.x[14]), (0, 1));
    assert_eq!(setting.bus.bytes[..4], (DATA as u32).to_le_bytes());
}

#[test]
fn a_reserved_dynamic_rounding_mode_is_illegal() {
    // fadd.d fa0,fa0,fa0 with the dynamic mode, then with a mode of its own.
    let (dynamic, own) = (0x02A5_7553, 0x02A5_0553);
    for mode in 5..8 {
        let mut setting = Setting::new(&[own, dynamic]);
        setting.hart.fcsr = mode << 5;
        assert_eq!(setting.run(10), (Exit::Illegal, 9));
        assert_eq!((setting.hart.pc, setting.hart.fcsr), (TEXT + 4, mode << 5));
    }
    // Operations that do not round do not mind: feq.d a0,fa0,fa0.
    let mut setting = Setting::new(&[0xA2A5_2553, ECALL]);
    setting.hart.fcsr = 7 << 5;
    assert_eq!(setting.run(10), (Exit::Ecall, 9));
    assert_eq!(setting.hart.x[10], 1);
}

#[test]
fn control_registers_are_few() {
    let execute = |word| {
        let mut setting = Setting::new(&[word, ECALL]);
        setting.hart.fcsr = 0xA5;
        let (exit, _) = setting.run(10);
        (exit, setting.hart.x[10], setting.hart.fcsr)
    };
    // csrrs a0,fcsr,zero; csrrs a0,frm,zero; csrrs a0,fflags,zero
    assert_eq!(execute(0x0030_2573), (Exit::Ecall, 0xA5, 0xA5));
    assert_eq!(execute(0x0020_2573), (Exit::Ecall, 5, 0xA5));
    assert_eq!(execute(0x0010_2573), (Exit::Ecall, 5, 0xA5));
    // csrrwi a0,frm,1; csrrci a0,fflags,1; csrrw a0,fcsr,a1 keeps eight bits
    assert_eq!(execute(0x0020_D573), (Exit::Ecall, 5, 0x25));
    assert_eq!(execute(0x0010_F573), (Exit::Ecall, 5, 0xA4));
    assert_eq!(execute(0x0035_9573), (Exit::Ecall, 0xA5, 0));
    // csrrs a0,cycle,zero; then a write to it, and registers that do not exist for a program.
    assert_eq!(execute(0xC000_2573), (Exit::Ecall, 0, 0xA5));
    assert_eq!(execute(0xC000_1573), (Exit::Illegal, 0, 0xA5));
    assert_eq!(execute(0xC00A_E573), (Exit::Illegal, 0, 0xA5));
    assert_eq!(execute(0x3000_2573), (Exit::Illegal, 0, 0xA5));
}

#[test]
fn division_never_traps() {
    let least = i64::MIN as u64;
    assert_eq!(integer::divide(least, u64::MAX), least);
    assert_eq!(integer::remainder(least, u64::MAX), 0);
    assert_eq!(integer::divide(7, 0), u64::MAX);
    assert_eq!(integer::remainder(7, 0), 7);
    assert_eq!(integer::divide_unsigned(7, 0), u64::MAX);
    assert_eq!(integer::remainder_unsigned(7, 0), 7);
    assert_eq!(integer::divide_word(0x8000_0000, u64::MAX), 0xFFFF_FFFF_8000_0000);
    assert_eq!(integer::remainder_word(0x8000_0000, u64::MAX), 0);
    assert_eq!(integer::divide_unsigned_word(7, 1 << 32), u64::MAX);
    assert_eq!(integer::remainder_unsigned_word(0x8000_0000, 0), 0xFFFF_FFFF_8000_0000);
}

#[test]
fn singles_are_boxed() {
    // fadd.s fa0,fa1,fa1; fmv.x.w a0,fa1
    let mut setting = Setting::new(&[0x00B5_8553, 0xE005_8553, ECALL]);
    setting.hart.f[11] = 0x3F80_0000;
    assert_eq!(setting.run(10), (Exit::Ecall, 8));
    // What is not in a box is a NaN to arithmetic, and bits to a move.
    assert_eq!(setting.hart.f[10], 0xFFFF_FFFF_7FC0_0000);
    assert_eq!(setting.hart.x[10], 0x3F80_0000);
    setting.hart.pc = TEXT;
    setting.hart.f[11] = 0xFFFF_FFFF_3F80_0000;
    assert_eq!(setting.run(10), (Exit::Ecall, 8));
    assert_eq!(setting.hart.f[10], 0xFFFF_FFFF_4000_0000);
}

#[test]
fn every_operation_has_a_handler() {
    for &op in Op::ALL {
        let instruction = Instruction { op, ..crate::decode::decode(0x0000_0013) };
        let handler = Entry::new(&instruction).handler;
        assert_eq!(handler == Handler::Illegal, op == Op::Illegal, "{op:?}");
        if handler == Handler::Float {
            let mut hart = Hart::new(0);
            assert!(float_operations::execute(&mut hart, Entry::new(&instruction)), "{op:?}");
        }
    }
}
