//! Counters of tries: slots of a frame that count how often a loop goes round, end it, and do nothing else.
//!
//! A slot is such a counter if
//! 1. one instruction alone changes it in the loop, by adding a constant to it. The loop is all code on circles through
//!    that instruction on which nothing else is stored to the slot;
//! 2. what is read of it goes nowhere but back, changed by that constant, and into the condition of one branch, of
//!    which one side leaves the loop;
//! 3. that branch comes by between any two changes;
//! 4. nobody reads it where the loop is left.
//!
//! So two runs through the loop that differ in the counter alone do the same, until one of them comes to the branch
//! with its last try. Branches whose other side never returns, as those that report an overflow, do not count.

use super::values::{FrameAccess, FunctionCode, is_call};
use dampf_rv::decode::{Instruction, Op, RegisterSet};
use std::collections::{BTreeSet, HashMap, HashSet};

const RA: u8 = 1;
const A0: usize = 10;
/// ra, t0 to t6, a0 to a7: what a call may change.
const SCRATCH: RegisterSet = 1 << 1 | 0b111 << 5 | 0xff << 10 | 0b1111 << 28;
const INTEGER_REGISTERS: RegisterSet = u32::MAX as RegisterSet;

/// A counter, and the addresses of the instructions of its loop.
#[derive(Debug)]
pub struct TryCounter {
    pub slot: usize,
    pub code: HashSet<u64>,
}

/// What a register holds, as far as it has to do with the slot that is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    Unrelated,
    Constant(i64),
    /// The counter, and so much more.
    Counter(i64),
    /// Something that was computed from it.
    Derived,
}

use Content::{Constant, Counter, Derived, Unrelated};

impl Content {
    fn is_related(self) -> bool {
        matches!(self, Counter(_) | Derived)
    }
}

type Registers = [Content; 32];

/// What was found out about a function before.
pub struct Function<'a> {
    pub code: &'a FunctionCode<'a>,
    /// The slots that instructions access, by their addresses.
    pub accesses: &'a HashMap<u64, (usize, &'a FrameAccess)>,
    /// The functions that it calls, by the addresses of the calls.
    pub callees: &'a HashMap<u64, u64>,
    /// Whether a function never returns.
    pub never_returns: &'a dyn Fn(u64) -> bool,
    /// The arguments that a function may read.
    pub read_by: &'a dyn Fn(u64) -> RegisterSet,
    /// How long slots are.
    pub slot_bytes: &'a dyn Fn(usize) -> i64,
    /// Whether a slot may be read before an instruction, by its address.
    pub is_live: &'a dyn Fn(usize, u64) -> bool,
}

impl Function<'_> {
    /// The counters of tries among so many slots.
    pub fn counters(&self, slots: usize) -> Vec<TryCounter> {
        let successors: Vec<Vec<usize>> =
            (0..self.code.instructions.len()).map(|position| self.successors(position)).collect();
        (0..slots).filter_map(|slot| self.counter(slot, &successors)).collect()
    }

    fn pc(&self, position: usize) -> u64 {
        self.code.instructions[position].0
    }

    fn instruction(&self, position: usize) -> &Instruction {
        &self.code.instructions[position].1
    }

    /// What may come after an instruction: nothing, behind calls that never return.
    fn successors(&self, position: usize) -> Vec<usize> {
        match self.callees.get(&self.pc(position)) {
            Some(&callee) if (self.never_returns)(callee) => Vec::new(),
            _ => self.code.successors(position).unwrap_or_default(),
        }
    }

    fn counter(&self, slot: usize, successors: &[Vec<usize>]) -> Option<TryCounter> {
        let mut flow = Flow::default();
        self.follow(slot, successors, &mut flow)?;
        let update = only(flow.updates.iter().copied())?;
        let is_reset = |position: usize| flow.resets.contains(&position);
        let forwards = reached(successors[update].iter().copied(), successors, is_reset);
        let backwards = reached([update], &reversed(successors), is_reset);
        let circle: BTreeSet<usize> = forwards.intersection(&backwards).copied().collect();
        if !circle.contains(&update) {
            return None;
        }
        let goes_on = self.goes_on(update, successors);
        let is_test = |test: &usize| successors[*test].iter().all(|next| goes_on.contains(next));
        let test = only(flow.tests.iter().copied().filter(is_test))?;
        let stays = successors[test].iter().filter(|next| circle.contains(next)).count();
        let is_tested = !reached(successors[update].iter().copied(), successors, |at| at == test).contains(&update);
        if !circle.contains(&test) || stays != 1 || successors[test].len() != 2 || !is_tested {
            return None;
        }
        let left = circle.iter().flat_map(|&position| &successors[position]);
        let mut left = left.filter(|&next| !circle.contains(next) && goes_on.contains(next));
        let is_forgotten = left.all(|&next| !(self.is_live)(slot, self.pc(next)));
        is_forgotten.then(|| TryCounter { slot, code: circle.iter().map(|&position| self.pc(position)).collect() })
    }

    /// The instructions behind which the function may go on, or end: not those from which it comes to calls alone that
    /// never return.
    fn goes_on(&self, update: usize, successors: &[Vec<usize>]) -> HashSet<usize> {
        let is_end = |&position: &usize| self.instruction(position).op == Op::Jalr && successors[position].is_empty();
        let returns = (0..successors.len())
            .filter(|position| is_end(position) && !self.callees.contains_key(&self.pc(*position)));
        reached(returns.chain([update]).collect::<Vec<_>>(), &reversed(successors), |_| false)
    }

    /// Follows what is read of a slot through the function. None if it gets where it is not followed.
    fn follow(&self, slot: usize, successors: &[Vec<usize>], flow: &mut Flow) -> Option<()> {
        let mut before: Vec<Option<Registers>> = vec![None; successors.len()];
        let mut entry = [Unrelated; 32];
        entry[0] = Constant(0);
        *before.first_mut()? = Some(entry);
        let mut open = vec![0];
        while let Some(position) = open.pop() {
            let mut registers = before[position].expect("open instructions are reached");
            self.perform(slot, position, &mut registers, flow)?;
            for &next in &successors[position] {
                let merged = before[next].map_or(registers, |known| merge(&known, &registers));
                if before[next] != Some(merged) {
                    before[next] = Some(merged);
                    open.push(next);
                }
            }
        }
        Some(())
    }

    fn perform(&self, slot: usize, position: usize, registers: &mut Registers, flow: &mut Flow) -> Option<()> {
        let (pc, instruction) = (self.pc(position), self.instruction(position));
        let is_related = |set: RegisterSet, registers: &Registers| {
            (0..32).any(|number| set >> number & 1 == 1 && registers[number].is_related())
        };
        if let Some((_, access)) = self.accesses.get(&pc).filter(|(accessed, _)| *accessed == slot) {
            let is_whole = access.bytes == (self.slot_bytes)(slot);
            if !access.writes {
                set(registers, instruction.rd, if is_whole { Counter(0) } else { Derived });
                return Some(());
            }
            match registers[usize::from(instruction.rs2)] {
                Unrelated | Constant(_) if is_whole => flow.resets.insert(position),
                Counter(change) if is_whole && change != 0 => flow.updates.insert(position),
                _ => return None,
            };
            // What was read before is not what is there now.
            registers.iter_mut().filter(|content| matches!(content, Counter(_))).for_each(|content| *content = Derived);
            return Some(());
        }
        let uses_counter = is_related(instruction.uses() & INTEGER_REGISTERS, registers);
        if is_call(instruction) {
            if self.callees.get(&pc).is_some_and(|&callee| (self.never_returns)(callee)) {
                return Some(());
            }
            let read = self.callees.get(&pc).map_or(RegisterSet::MAX, |&callee| (self.read_by)(callee) | !SCRATCH);
            if uses_counter || is_related(read & INTEGER_REGISTERS, registers) {
                return None;
            }
            (0..32).filter(|number| SCRATCH >> number & 1 == 1).for_each(|number| registers[number] = Unrelated);
            return Some(());
        }
        if instruction.op == Op::Jalr && (instruction.rs1 != RA || registers[A0].is_related()) {
            return None;
        }
        if instruction.transfers_control() {
            if uses_counter {
                flow.tests.insert(position);
            }
            return Some(());
        }
        let is_kept_here = instruction.defines() & !INTEGER_REGISTERS == 0;
        if uses_counter && (instruction.memory_access().is_some() || instruction.op == Op::Ecall || !is_kept_here) {
            return None;
        }
        let [first, second] = [instruction.rs1, instruction.rs2].map(|register| registers[usize::from(register)]);
        let imm = i64::from(instruction.imm);
        let result = match (instruction.op, first, second) {
            (Op::Addi | Op::Addiw, Counter(more), _) => Counter(more + imm),
            (Op::Addi | Op::Addiw, Constant(value), _) => Constant(value.wrapping_add(imm)),
            (Op::Add | Op::Addw, Counter(more), Constant(value)) => Counter(more.wrapping_add(value)),
            (Op::Add | Op::Addw, Constant(value), Counter(more)) => Counter(more.wrapping_add(value)),
            (Op::Sub | Op::Subw, Counter(more), Constant(value)) => Counter(more.wrapping_sub(value)),
            _ if uses_counter => Derived,
            _ => Unrelated,
        };
        for number in (0..32).filter(|number| instruction.defines() >> number & 1 == 1) {
            set(registers, number, result);
        }
        Some(())
    }
}

/// The one item that there is.
fn only(mut items: impl Iterator<Item = usize>) -> Option<usize> {
    items.next().filter(|_| items.next().is_none())
}

fn set(registers: &mut Registers, register: u8, content: Content) {
    if register != 0 {
        registers[usize::from(register)] = content;
    }
}

/// Where a slot is changed by a constant, stored anew, and looked at by a branch: positions of instructions.
#[derive(Default)]
struct Flow {
    updates: BTreeSet<usize>,
    resets: BTreeSet<usize>,
    tests: BTreeSet<usize>,
}

fn merge(one: &Registers, other: &Registers) -> Registers {
    std::array::from_fn(|number| match (one[number], other[number]) {
        (one, other) if one == other => one,
        (one, other) if one.is_related() || other.is_related() => Derived,
        _ => Unrelated,
    })
}

/// All that is reached from some places, these included, without going through some others.
fn reached(
    from: impl IntoIterator<Item = usize>,
    successors: &[Vec<usize>],
    is_closed: impl Fn(usize) -> bool,
) -> HashSet<usize> {
    let mut open: Vec<usize> = from.into_iter().filter(|&position| !is_closed(position)).collect();
    let mut found: HashSet<usize> = open.iter().copied().collect();
    while let Some(position) = open.pop() {
        open.extend(successors[position].iter().filter(|&&next| !is_closed(next) && found.insert(next)));
    }
    found
}

fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (position, next) in successors.iter().enumerate() {
        next.iter().for_each(|&next| predecessors[next].push(position));
    }
    predecessors
}
