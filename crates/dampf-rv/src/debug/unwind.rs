//! Call stacks: from the registers in a function to those of its caller, by the call frame information.
//!
//! The tables are `.eh_frame`, which exceptions need and every program has, and `.debug_frame`, where a compiler puts
//! them if nobody asked for exceptions. The first question sorts all entries by address.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Encoding, LittleEndian, Pointer, Register, RegisterRule,
    UnwindContext, UnwindOffset, UnwindSection,
};

use super::evaluate::{Stopped, frame_expression};
use super::landing_pads::{self, LandingPad};
use super::units::Slice;
use super::{Memory, Registers};
use crate::image::Elf;

/// Deeper stacks are cut: nobody reads them, and a damaged stack may never end.
const DEPTH_MAX: usize = 256;
const RETURN_ADDRESS: usize = 1;
const STACK_POINTER: usize = 2;
const FRAME_POINTER: u16 = 8;

/// The call frame information of a program.
#[derive(Default)]
pub(super) struct CallFrames {
    eh_frame: Vec<u8>,
    eh_frame_address: u64,
    debug_frame: Vec<u8>,
    /// The tables of landing pads, which descriptions refer to.
    exception_tables: Vec<u8>,
    exception_tables_address: u64,
    code: Vec<Range<u64>>,
    index: OnceLock<Vec<Described>>,
}

/// A function's stretch of code and where its description is.
struct Described {
    addresses: Range<u64>,
    offset: usize,
    in_eh_frame: bool,
}

impl CallFrames {
    pub fn load(elf: Option<&Elf>, code: Vec<Range<u64>>) -> CallFrames {
        let section =
            |name| elf.and_then(|elf| elf.section(name)).map_or((0, Vec::new()), |(at, bytes)| (at, bytes.to_vec()));
        let (eh_frame_address, eh_frame) = section(".eh_frame");
        let (_, debug_frame) = section(".debug_frame");
        let (exception_tables_address, exception_tables) = section(".gcc_except_table");
        let index = OnceLock::new();
        CallFrames { eh_frame, eh_frame_address, debug_frame, exception_tables, exception_tables_address, code, index }
    }

    fn eh_frame(&self) -> EhFrame<Slice<'_>> {
        let mut section = EhFrame::new(&self.eh_frame, LittleEndian);
        section.set_address_size(8);
        section
    }

    fn debug_frame(&self) -> DebugFrame<Slice<'_>> {
        let mut section = DebugFrame::new(&self.debug_frame, LittleEndian);
        section.set_address_size(8);
        section
    }

    fn bases(&self) -> BaseAddresses {
        BaseAddresses::default().set_eh_frame(self.eh_frame_address)
    }

    fn find(&self, pc: u64) -> Option<&Described> {
        let index = self.index.get_or_init(|| {
            let mut index = Vec::new();
            self.describe(&self.eh_frame(), true, &mut index);
            self.describe(&self.debug_frame(), false, &mut index);
            index.sort_by_key(|described| (described.addresses.start, !described.in_eh_frame));
            index
        });
        let after = index.partition_point(|described| described.addresses.start <= pc);
        index[..after].iter().rev().take(8).find(|described| described.addresses.contains(&pc))
    }

    fn describe<'a, S>(&self, section: &S, in_eh_frame: bool, index: &mut Vec<Described>)
    where
        S: UnwindSection<Slice<'a>>,
    {
        let bases = self.bases();
        let mut common = HashMap::new();
        let mut entries = section.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let partial = match entry {
                CieOrFde::Fde(partial) => partial,
                CieOrFde::Cie(cie) => {
                    common.insert(cie.offset(), cie);
                    continue;
                }
            };
            // What functions have in common is described before them, and read once.
            let cie = |_: &S, _: &BaseAddresses, at: S::Offset| {
                common.get(&UnwindOffset::into(at)).cloned().ok_or(gimli::Error::NoUnwindInfoForAddress)
            };
            let Ok(described) = partial.parse(cie) else { continue };
            let start = described.initial_address();
            let Some(end) = start.checked_add(described.len()) else { continue };
            if self.code.iter().any(|code| code.contains(&start)) {
                index.push(Described { addresses: start..end, offset: described.offset(), in_eh_frame });
            }
        }
    }

    /// Where the description is in memory that the unwinder of C++ looks for, and where the function begins that it is
    /// of.
    pub fn description_address(&self, pc: u64) -> Option<(u64, u64)> {
        let described = self.find(pc).filter(|described| described.in_eh_frame)?;
        Some((self.eh_frame_address + described.offset as u64, described.addresses.start))
    }

    /// The table row for an address.
    fn row(&self, pc: u64) -> Option<Row> {
        let described = self.find(pc)?;
        match described.in_eh_frame {
            true => Row::read(&self.eh_frame(), &self.bases(), described.offset.into(), pc),
            false => Row::read(&self.debug_frame(), &self.bases(), described.offset.into(), pc),
        }
    }

    /// The register that the address of a function's frame is computed from at an address.
    pub fn frame_register(&self, pc: u64) -> Option<u16> {
        match self.row(pc)?.frame {
            Frame::From { register, .. } => Some(register),
            Frame::Expression(_) => None,
        }
    }

    /// The registers, a bit for each, whose former values are on the stack at an address; none in a function that
    /// handles exceptions.
    pub fn saved_registers(&self, pc: u64) -> u64 {
        let Some(row) = self.row(pc).filter(|row| !row.has_handlers) else { return 0 };
        let is_on_stack = |saved: &Saved| matches!(saved, Saved::At(_) | Saved::AtExpression(_));
        let saved = row.registers.iter().filter(|(register, saved)| *register < 64 && is_on_stack(saved));
        saved.fold(0, |set, (register, _)| set | 1 << register)
    }

    /// How the caller's frame is found from an address, where that takes two registers; see [`CallerRule`].
    pub fn caller_rule(&self, pc: u64) -> Option<CallerRule> {
        let row = self.row(pc)?;
        let Frame::From { register, distance } = row.frame else { return None };
        let mut rule = CallerRule { register: u8::try_from(register).ok()?, distance, saved: [None; 2] };
        for (place, register) in rule.saved.iter_mut().zip([row.return_register, FRAME_POINTER]) {
            *place = match row.registers.iter().find(|(number, _)| *number == register) {
                None | Some((_, Saved::Same)) => None,
                Some((_, Saved::At(distance))) => Some(*distance),
                Some(_) => return None,
            };
        }
        Some(rule)
    }

    /// Where exceptions lead to in the function at an address; none where that is not known.
    pub fn landing_pads(&self, pc: u64) -> Option<Vec<LandingPad>> {
        let described = self.find(pc)?;
        if !described.in_eh_frame {
            return Some(Vec::new());
        }
        let function =
            self.eh_frame().fde_from_offset(&self.bases(), described.offset.into(), EhFrame::cie_from_offset);
        match function.ok()?.lsda() {
            None => Some(Vec::new()),
            Some(Pointer::Direct(address)) => {
                let offset = usize::try_from(address.checked_sub(self.exception_tables_address)?).ok()?;
                landing_pads::read(self.exception_tables.get(offset..)?, described.addresses.start)
            }
            Some(Pointer::Indirect(_)) => None,
        }
    }

    fn row_of(&self, stopped: &Stopped) -> Option<Row> {
        self.row(stopped.registers.pc.wrapping_sub(stopped.bias))
    }

    /// The address of the frame that the stopped program is in: the stack pointer before the call.
    pub fn canonical_address(&self, stopped: &Stopped) -> Option<u64> {
        self.row_of(stopped)?.canonical_address(stopped)
    }

    /// The registers of the caller.
    pub fn caller(&self, stopped: &Stopped) -> Option<Registers> {
        self.row_of(stopped)?.caller(stopped)
    }

    /// The registers of every caller, innermost first.
    pub fn callers(&self, registers: &Registers, memory: Memory, bias: u64) -> Vec<Registers> {
        let mut callers: Vec<Registers> = Vec::new();
        while callers.len() < DEPTH_MAX {
            let current = callers.last().unwrap_or(registers);
            let stopped = Stopped { registers: current, memory, bias, frames: self };
            let caller = match self.row_of(&stopped) {
                Some(row) => row.caller(&stopped),
                // A call through a wild pointer: there is no function here, and nothing has touched the return address.
                None if callers.is_empty() => just_called(current),
                None => None,
            };
            let Some(caller) = caller else { break };
            let returns_into_code = self.code.iter().any(|code| code.contains(&caller.pc.wrapping_sub(bias)));
            // Stacks grow down: a caller's frame lies above, and only the innermost function may have no frame.
            let stack = |registers: &Registers| registers.get(STACK_POINTER);
            let ascends = match (stack(current), stack(&caller)) {
                (Some(inner), Some(outer)) => outer > inner || outer == inner && callers.is_empty(),
                _ => false,
            };
            if !returns_into_code || !ascends {
                break;
            }
            callers.push(caller);
        }
        callers
    }
}

/// The state of the caller if the first instruction of a function has not been executed yet.
fn just_called(registers: &Registers) -> Option<Registers> {
    let mut caller = registers.clone();
    caller.pc = registers.get(RETURN_ADDRESS)?.checked_sub(1)?;
    caller.forget_scratch();
    Some(caller)
}

/// How a function's caller is found as long as neither needs anything but the stack pointer and the frame pointer: what
/// is enough to visit the frames of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallerRule {
    /// The stack pointer in the caller is this register and a distance.
    pub register: u8,
    pub distance: i64,
    /// Where the return address and the caller's frame pointer are saved, counted from the caller's stack pointer; none
    /// while they are still in their registers.
    pub saved: [Option<i64>; 2],
}

/// How to find a value that a function saved.
enum Saved {
    Undefined,
    Same,
    /// At this distance from the frame's address.
    At(i64),
    /// The frame's address and this distance is the value.
    Is(i64),
    In(u16),
    /// At the address that the expression computes from the frame's address.
    AtExpression(Vec<u8>),
    IsExpression(Vec<u8>),
    Constant(u64),
}

/// How to leave a function at one address of it.
struct Row {
    encoding: Encoding,
    frame: Frame,
    return_register: u16,
    registers: Vec<(u16, Saved)>,
    /// Whether exceptions may lead on in this function.
    has_handlers: bool,
}

/// How to find the address of a frame.
enum Frame {
    From { register: u16, distance: i64 },
    Expression(Vec<u8>),
}

impl Row {
    fn read<'a, S: UnwindSection<Slice<'a>>>(
        section: &S,
        bases: &BaseAddresses,
        at: S::Offset,
        pc: u64,
    ) -> Option<Row> {
        let described = section.fde_from_offset(bases, at, S::cie_from_offset).ok()?;
        let mut context = UnwindContext::new();
        let row = described.unwind_info_for_address(section, bases, &mut context, pc).ok()?;
        let bytes = |expression: &gimli::UnwindExpression<usize>| -> Option<Vec<u8>> {
            Some(expression.get(section).ok()?.0.slice().to_vec())
        };
        let frame = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => Frame::From { register: register.0, distance: *offset },
            CfaRule::Expression(expression) => Frame::Expression(bytes(expression)?),
        };
        let mut registers = Vec::new();
        for (register, rule) in row.registers() {
            let saved = match rule {
                RegisterRule::Undefined | RegisterRule::Architectural => Saved::Undefined,
                RegisterRule::SameValue => Saved::Same,
                RegisterRule::Offset(distance) => Saved::At(*distance),
                RegisterRule::ValOffset(distance) => Saved::Is(*distance),
                RegisterRule::Register(register) => Saved::In(register.0),
                RegisterRule::Expression(expression) => Saved::AtExpression(bytes(expression)?),
                RegisterRule::ValExpression(expression) => Saved::IsExpression(bytes(expression)?),
                RegisterRule::Constant(value) => Saved::Constant(*value),
            };
            registers.push((register.0, saved));
        }
        let cie = described.cie();
        let return_register = cie.return_address_register().0;
        let has_handlers = described.lsda().is_some();
        Some(Row { encoding: cie.encoding(), frame, return_register, registers, has_handlers })
    }

    fn canonical_address(&self, stopped: &Stopped) -> Option<u64> {
        match &self.frame {
            Frame::From { register, distance } => {
                Some(stopped.register(Register(*register))?.wrapping_add_signed(*distance))
            }
            Frame::Expression(bytes) => frame_expression(bytes, self.encoding, None, stopped),
        }
    }

    /// The registers in the caller.
    fn caller(&self, stopped: &Stopped) -> Option<Registers> {
        let frame = self.canonical_address(stopped)?;
        let mut caller = stopped.registers.clone();
        caller.forget_scratch();
        caller.set(STACK_POINTER, Some(frame));
        let mut returns_to = stopped.register(Register(self.return_register));
        for (register, saved) in &self.registers {
            let value = self.saved_value(*register, saved, frame, stopped);
            caller.set(usize::from(*register), value);
            if *register == self.return_register {
                returns_to = value;
            }
        }
        // An address within the call, not after it: what follows the call may belong to another line or function.
        caller.pc = returns_to?.checked_sub(1)?;
        Some(caller)
    }

    fn saved_value(&self, register: u16, saved: &Saved, frame: u64, stopped: &Stopped) -> Option<u64> {
        match saved {
            Saved::Undefined => None,
            Saved::Same => stopped.register(Register(register)),
            Saved::At(distance) => stopped.number(frame.wrapping_add_signed(*distance), 8),
            Saved::Is(distance) => Some(frame.wrapping_add_signed(*distance)),
            Saved::In(register) => stopped.register(Register(*register)),
            Saved::AtExpression(bytes) => {
                stopped.number(frame_expression(bytes, self.encoding, Some(frame), stopped)?, 8)
            }
            Saved::IsExpression(bytes) => frame_expression(bytes, self.encoding, Some(frame), stopped),
            Saved::Constant(value) => Some(*value),
        }
    }
}
