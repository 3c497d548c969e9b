//! The run loop.
//!
//! One `match` over the handlers of predecoded entries. `pc` is a parcel's number in its section while the loop runs
//! and becomes an address where one is needed: for links, for `auipc`, and at the end. Only jumps and taken branches
//! check it: behind every section stand two entries that are no code, and nothing else moves by more than two.

use super::{Bus, Exit, Hart, control, float_operations, integer};
use crate::decode::{Entry, Handler, Op, Section, Shape, Slot};
use integer::word;

const STACK_POINTER: usize = 2;

/// How the loop ends.
pub(super) enum Leave<S> {
    Exit(Exit<S>),
    /// `pc` is in another section, or nowhere.
    Elsewhere,
}

/// Arms for the handlers, in four kinds: instructions in both lengths, instructions in the long form alone, jumps in
/// both lengths, and everything that minds its own `pc`.
macro_rules! dispatch {
    ($handler:expr, $parcel:ident, $length:ident;
     paired { $($long:ident $short:ident => $body:expr;)* }
     long { $($only:ident => $only_body:expr;)* }
     jumps { $($far:ident $near:ident => $jump:expr;)* }
     others { $($rest:tt)* }) => {
        match $handler {
            $(Handler::$long => { $body; $parcel += 2; } Handler::$short => { $body; $parcel += 1; })*
            $(Handler::$only => { $only_body; $parcel += 2; })*
            $(Handler::$far => { let $length = 2; $jump } Handler::$near => { let $length = 1; $jump })*
            $($rest)*
        }
    };
}

/// Runs from `parcel` of a section, where `first` stands, and on. The budget is not zero.
pub(super) fn execute<B: Bus>(
    hart: &mut Hart,
    section: &Section,
    start: u64,
    first: Entry,
    bus: &mut B,
    budget: &mut u64,
) -> Leave<B::Stop> {
    let (base, parcels, entries) = (section.base(), section.parcels(), section.entries());
    let mut parcel = start;
    let mut entry = first;
    let mut remaining = *budget;

    macro_rules! pc {
        () => {
            base.wrapping_add(parcel.wrapping_mul(2))
        };
    }
    macro_rules! x1 {
        () => {
            hart.read(entry.rs1)
        };
    }
    macro_rules! x2 {
        () => {
            hart.read(entry.rs2)
        };
    }
    macro_rules! imm {
        () => {
            entry.imm as i64 as u64
        };
    }
    macro_rules! set {
        ($value:expr) => {{
            let value = $value;
            hart.write(entry.rd, value)
        }};
    }
    macro_rules! granted {
        ($access:expr) => {
            match $access {
                Ok(value) => value,
                Err(stop) => break Leave::Exit(Exit::Stopped(stop)),
            }
        };
    }
    macro_rules! address {
        () => {
            x1!().wrapping_add(imm!())
        };
    }
    macro_rules! load {
        ($bytes:literal) => {
            granted!(bus.load_beside_stack::<$bytes>(address!(), hart.x[STACK_POINTER]))
        };
    }
    macro_rules! store {
        ($bytes:literal, $value:expr) => {
            granted!(bus.store_beside_stack::<$bytes>(address!(), $value, hart.x[STACK_POINTER]))
        };
    }
    macro_rules! go {
        ($target:expr) => {{
            parcel = $target;
            if parcel >= parcels {
                remaining -= 1;
                break Leave::Elsewhere;
            }
        }};
    }
    macro_rules! branch {
        ($condition:expr, $length:expr) => {
            if $condition {
                go!(parcel.wrapping_add(imm!()))
            } else {
                parcel += $length;
            }
        };
    }

    let leave = loop {
        dispatch! { entry.handler, parcel, length;
            paired {
                Addi ShortAddi => set!(x1!().wrapping_add(imm!()));
                Addiw ShortAddiw => set!(word(x1!().wrapping_add(imm!())));
                Lui ShortLui => set!(imm!());
                Andi ShortAndi => set!(x1!() & imm!());
                Slli ShortSlli => set!(x1!() << (imm!() & 63));
                Srli ShortSrli => set!(x1!() >> (imm!() & 63));
                Srai ShortSrai => set!((x1!() as i64 >> (imm!() & 63)) as u64);
                Add ShortAdd => set!(x1!().wrapping_add(x2!()));
                Sub ShortSub => set!(x1!().wrapping_sub(x2!()));
                Xor ShortXor => set!(x1!() ^ x2!());
                Or ShortOr => set!(x1!() | x2!());
                And ShortAnd => set!(x1!() & x2!());
                Addw ShortAddw => set!(word(x1!().wrapping_add(x2!())));
                Subw ShortSubw => set!(word(x1!().wrapping_sub(x2!())));
                Lw ShortLw => set!(word(load!(4)));
                Ld ShortLd => set!(load!(8));
                Sw ShortSw => store!(4, x2!());
                Sd ShortSd => store!(8, x2!());
                Fld ShortFld => { let value = load!(8); hart.write_float(entry.rd, value) };
                Fsd ShortFsd => store!(8, hart.read_float(entry.rs2));
            }
            long {
                Auipc => set!(pc!().wrapping_add(imm!()));
                Lb => set!(load!(1) as i8 as u64);
                Lh => set!(load!(2) as i16 as u64);
                Lbu => set!(load!(1));
                Lhu => set!(load!(2));
                Lwu => set!(load!(4));
                Sb => store!(1, x2!());
                Sh => store!(2, x2!());
                Flw => { let value = load!(4); hart.write_float(entry.rd, float_operations::boxed(value)) };
                Fsw => store!(4, hart.read_float(entry.rs2));
                Slti => set!(((x1!() as i64) < imm!() as i64) as u64);
                Sltiu => set!((x1!() < imm!()) as u64);
                Xori => set!(x1!() ^ imm!());
                Ori => set!(x1!() | imm!());
                Slliw => set!(word(x1!() << (imm!() & 31)));
                Srliw => set!(word((x1!() as u32 >> (imm!() & 31)) as u64));
                Sraiw => set!((x1!() as i32 >> (imm!() & 31)) as u64);
                Sll => set!(x1!() << (x2!() & 63));
                Slt => set!(((x1!() as i64) < x2!() as i64) as u64);
                Sltu => set!((x1!() < x2!()) as u64);
                Srl => set!(x1!() >> (x2!() & 63));
                Sra => set!((x1!() as i64 >> (x2!() & 63)) as u64);
                Sllw => set!(word(x1!() << (x2!() & 31)));
                Srlw => set!(word((x1!() as u32 >> (x2!() & 31)) as u64));
                Sraw => set!((x1!() as i32 >> (x2!() & 31)) as u64);
                Mul => set!(x1!().wrapping_mul(x2!()));
                Mulh => set!(integer::multiply_high(x1!(), x2!()));
                Mulhsu => set!(integer::multiply_high_mixed(x1!(), x2!()));
                Mulhu => set!(integer::multiply_high_unsigned(x1!(), x2!()));
                Div => set!(integer::divide(x1!(), x2!()));
                Divu => set!(integer::divide_unsigned(x1!(), x2!()));
                Rem => set!(integer::remainder(x1!(), x2!()));
                Remu => set!(integer::remainder_unsigned(x1!(), x2!()));
                Mulw => set!(word(x1!().wrapping_mul(x2!())));
                Divw => set!(integer::divide_word(x1!(), x2!()));
                Divuw => set!(integer::divide_unsigned_word(x1!(), x2!()));
                Remw => set!(integer::remainder_word(x1!(), x2!()));
                Remuw => set!(integer::remainder_unsigned_word(x1!(), x2!()));
                LoadReserved => granted!(load_reserved(hart, entry, bus));
                StoreConditional => granted!(store_conditional(hart, entry, bus));
                Atomic => granted!(amo(hart, entry, bus));
                Control => if !control::access(hart, entry) { break Leave::Exit(Exit::Illegal) };
                Float => if !float_operations::execute(hart, entry) { break Leave::Exit(Exit::Illegal) };
            }
            jumps {
                Jal ShortJal => { set!(pc!().wrapping_add(2 * length)); go!(parcel.wrapping_add(imm!())) };
                Jalr ShortJalr => {
                    let target = address!() & !1;
                    set!(pc!().wrapping_add(2 * length));
                    go!(target.wrapping_sub(base) / 2)
                };
                Beq ShortBeq => branch!(x1!() == x2!(), length);
                Bne ShortBne => branch!(x1!() != x2!(), length);
            }
            others {
                Handler::Blt => branch!((x1!() as i64) < x2!() as i64, 2),
                Handler::Bge => branch!(x1!() as i64 >= x2!() as i64, 2),
                Handler::Bltu => branch!(x1!() < x2!(), 2),
                Handler::Bgeu => branch!(x1!() >= x2!(), 2),
                Handler::Fence | Handler::FenceI => parcel += 2,
                Handler::Ecall => break Leave::Exit(Exit::Ecall),
                Handler::Ebreak => break Leave::Exit(Exit::Ebreak),
                Handler::Hook => break Leave::Exit(Exit::Hook),
                Handler::Illegal => break Leave::Exit(Exit::Illegal),
                Handler::NotCode => break Leave::Exit(Exit::NotCode),
            }
        }
        remaining -= 1;
        if remaining == 0 {
            break Leave::Exit(Exit::Budget);
        }
        debug_assert!(parcel < parcels + 2);
        // SAFETY: there are two entries more than parcels. Jumps were checked to lead to a parcel, and from a parcel
        // the other instructions move on by at most two; from the two last entries nothing moves on.
        entry = unsafe { *entries.get_unchecked(parcel as usize) };
    };
    *budget = remaining;
    hart.pc = pc!();
    hart.x[Slot::SCRAP] = 0;
    leave
}

/// Extends a loaded value to the register: a word by its sign.
fn extended<const BYTES: usize>(value: u64) -> u64 {
    if BYTES == 4 { word(value) } else { value }
}

fn load_reserved<B: Bus>(hart: &mut Hart, entry: Entry, bus: &mut B) -> Result<(), B::Stop> {
    let address = hart.read(entry.rs1);
    let value = match entry.op() {
        Op::LrW => word(bus.load_reserved::<4>(address)?),
        _ => bus.load_reserved::<8>(address)?,
    };
    hart.reservation = Some(address);
    hart.write(entry.rd, value);
    Ok(())
}

fn store_conditional<B: Bus>(hart: &mut Hart, entry: Entry, bus: &mut B) -> Result<(), B::Stop> {
    let (address, value) = (hart.read(entry.rs1), hart.read(entry.rs2));
    let reserved = hart.reservation == Some(address);
    let stored = match entry.op() {
        Op::ScW => bus.store_conditional::<4>(address, value, reserved)?,
        _ => bus.store_conditional::<8>(address, value, reserved)?,
    };
    hart.reservation = None;
    hart.write(entry.rd, !stored as u64);
    Ok(())
}

fn amo<B: Bus>(hart: &mut Hart, entry: Entry, bus: &mut B) -> Result<(), B::Stop> {
    let (address, operand) = (hart.read(entry.rs1), hart.read(entry.rs2));
    let op = entry.op();
    let old = match op.shape() {
        Shape::Atomic(4) => amo_of::<B, 4>(op, address, operand, bus)?,
        _ => amo_of::<B, 8>(op, address, operand, bus)?,
    };
    hart.write(entry.rd, old);
    Ok(())
}

fn amo_of<B: Bus, const BYTES: usize>(op: Op, address: u64, operand: u64, bus: &mut B) -> Result<u64, B::Stop> {
    let operand = extended::<BYTES>(operand);
    let old = bus.amo::<BYTES>(address, |old| {
        let old = extended::<BYTES>(old);
        // Words extended by their sign compare alike, signed or not.
        let new = match op {
            Op::AmoswapW | Op::AmoswapD => operand,
            Op::AmoaddW | Op::AmoaddD => old.wrapping_add(operand),
            Op::AmoxorW | Op::AmoxorD => old ^ operand,
            Op::AmoandW | Op::AmoandD => old & operand,
            Op::AmoorW | Op::AmoorD => old | operand,
            Op::AmominW | Op::AmominD => (old as i64).min(operand as i64) as u64,
            Op::AmomaxW | Op::AmomaxD => (old as i64).max(operand as i64) as u64,
            Op::AmominuW | Op::AmominuD => old.min(operand),
            _ => old.max(operand),
        };
        new & (u64::MAX >> (64 - 8 * BYTES))
    })?;
    Ok(extended::<BYTES>(old))
}
