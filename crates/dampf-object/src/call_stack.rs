//! The calls that a thread is in, and which of them is on a line that the user wrote.

use crate::layout::Region;
use crate::machine::Machine;
use dampf_rv::debug::Registers;
use dampf_rv::decode::Op;
use dampf_rv::machine::Hart;

const RA: usize = 1;

impl Machine<'_> {
    /// The instruction to blame: the nearest one on a line that the user wrote.
    pub fn user_pc(&self, hart: &Hart) -> u64 {
        let program = &self.system.program;
        let is_hook = program.hook(hart.pc).is_some_and(|hook| !hook.is_in_function());
        if !is_hook && self.is_user_line(hart.pc) {
            return program.announced(hart.pc).unwrap_or(hart.pc);
        }
        // At a function's first instruction the caller is in the return address.
        let caller = hart.x[RA].wrapping_sub(2);
        if is_hook && self.is_user_line(caller) {
            return caller;
        }
        self.nearest_call(hart, |pc| self.is_user_line(pc)).unwrap_or(hart.pc)
    }

    /// Whether an instruction comes from a line that the user wrote. Debug information is read once for each.
    pub fn is_user_line(&self, pc: u64) -> bool {
        let mut known = self.scratch.user_lines.borrow_mut();
        *known.entry(pc).or_insert_with(|| self.system.program.is_user_line(pc))
    }

    /// The innermost of the calls that a thread is in which is of some kind.
    pub fn nearest_call(&self, hart: &Hart, is_meant: impl Fn(u64) -> bool) -> Option<u64> {
        let caller = hart.x[RA].wrapping_sub(2);
        let found = self.call_stack(hart).into_iter().skip(1).find(|&pc| is_meant(pc));
        let found = found.or_else(|| Some(caller).filter(|&caller| is_meant(caller)));
        found.or_else(|| self.return_address_on_stack(hart, is_meant))
    }

    /// The first word on the stack that leads back behind a call of some kind. Much of the C library has no unwinding
    /// information; its frames are small, and what looks like such an address is one.
    pub fn return_address_on_stack(&self, hart: &Hart, is_meant: impl Fn(u64) -> bool) -> Option<u64> {
        const WORDS_MAX: u64 = 1024;
        let program = &self.system.program;
        let is_call = |at: u64| {
            let instruction = program.code.at(at);
            instruction.is_some_and(|instruction| matches!(instruction.op, Op::Jal | Op::Jalr) && instruction.rd == 1)
        };
        // Nothing is on the stack beyond its first frame.
        let end = match Region::of(hart.x[2], self.slots()) {
            Some(region @ Region::Stack(_)) => (region.base(0) - hart.x[2]).div_ceil(8),
            _ => WORDS_MAX,
        };
        let words = (0..WORDS_MAX.min(end)).map(|number| self.memory.peek_long(hart.x[2].wrapping_add(8 * number)));
        let behind_call = |&address: &u64| is_call(address.wrapping_sub(4)) || is_call(address.wrapping_sub(2));
        words.filter(behind_call).map(|address| address - 2).find(|&pc| is_meant(pc))
    }

    /// The calls that a thread is in, innermost first: addresses within the call instructions.
    pub fn call_stack(&self, hart: &Hart) -> Vec<u64> {
        self.call_frames(hart).iter().map(|registers| registers.pc).collect()
    }

    /// The calls that a thread is in with the registers of each, as far as they are known.
    pub fn call_frames(&self, hart: &Hart) -> Vec<Registers> {
        let program = &self.system.program;
        let mut integer: [u64; 32] = std::array::from_fn(|number| hart.x[number]);
        let memory = |address: u64, out: &mut [u8]| self.memory.peek(address, out);
        let innermost = Registers::new(hart.pc, &integer, &hart.f);
        let in_code = program.code.at(hart.pc).is_some();
        let mut callers = if in_code { program.debug.callers(&innermost, &memory) } else { Vec::new() };
        if callers.is_empty() {
            // Not in the code at all, it is as if the call had returned at once. Code without unwinding information is
            // mostly leaf functions: the return address is still in its register.
            let caller = Registers::new(std::mem::take(&mut integer[RA]).wrapping_sub(2), &integer, &hart.f);
            callers = program.debug.callers(&caller, &memory);
            callers.insert(0, caller);
        }
        callers.insert(0, innermost);
        callers
    }
}
