//! The function under construction, and the small vocabulary of instructions it is made of.
//!
//! Everything is a 32-bit operation on the words of states, but for addresses. A check that fails leaves for
//! the fault exit of the step being generated; the code behind the check is dominated by it, so values
//! computed before a check can be used after it.

use super::operand::Condition;
use crate::faults::{FaultSite, fault_at, refuted_at};
use crate::ir::Program;
use crate::layout::Layout;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;
use dampf_core::{FaultKind, Span, StepEnd};
use std::collections::HashMap;

/// States of up to this many words are loaded into registers once, at the entry of the function. Larger ones
/// are loaded where they are used: the registers would not hold them anyway.
const WORDS_IN_REGISTERS_MAX: usize = 8;

/// Where the next successor goes: its words, and its label.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    pub words: Value,
    pub labels: Value,
}

impl Cursor {
    pub fn arguments(self) -> [BlockArg; 2] {
        [self.words.into(), self.labels.into()]
    }
}

/// Where a failed check goes: a block that takes the number of the site. It is made when first needed.
#[derive(Clone, Copy, Default)]
pub(super) struct FaultExit {
    pub block: Option<Block>,
}

pub(super) struct Lowering<'p, 'f> {
    pub builder: FunctionBuilder<'f>,
    pub program: &'p Program,
    pub layout: &'p Layout,
    /// The parameters of the function.
    pub state: Value,
    pub report: Value,
    /// The words of the state, if they are kept in registers.
    words: Vec<Value>,
    /// None where a check would be a mistake of ours: in code that runs whether its guard is true or not.
    pub exit: Option<FaultExit>,
    sites: HashMap<SiteKey, u32>,
    pub ends: Vec<StepEnd>,
}

/// What makes two sites have the same fault.
#[derive(PartialEq, Eq, Hash)]
enum SiteKey {
    Index(u32, u32, u32),
    Division(u32, u32),
    Assertion(FaultKind, u32, u32),
    Check(usize),
    Assumption(u32, u32),
}

impl<'p, 'f> Lowering<'p, 'f> {
    /// Starts a function of a state that writes successors: the builder stands in its entry block.
    pub fn with_room(builder: FunctionBuilder<'f>, program: &'p Program, layout: &'p Layout) -> (Self, Cursor) {
        let (lowering, [words, labels]) = Lowering::new(builder, program, layout);
        (lowering, Cursor { words, labels })
    }

    /// Starts a function of a state that answers with a number.
    pub fn of_state(builder: FunctionBuilder<'f>, program: &'p Program, layout: &'p Layout) -> Self {
        let (lowering, []) = Lowering::new(builder, program, layout);
        lowering
    }

    /// Starts a function whose parameters are the state, the report, and others.
    fn new<const N: usize>(
        mut builder: FunctionBuilder<'f>,
        program: &'p Program,
        layout: &'p Layout,
    ) -> (Self, [Value; N]) {
        builder.func.signature.params.extend([AbiParam::new(I64); 2]);
        builder.func.signature.params.extend([AbiParam::new(I64); N]);
        builder.func.signature.returns.push(AbiParam::new(I64));
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = builder.block_params(entry);
        let (state, report) = (parameters[0], parameters[1]);
        let others = std::array::from_fn(|number| parameters[number + 2]);
        let (exit, sites, ends) = (None, HashMap::new(), Vec::new());
        let mut lowering = Lowering { builder, program, layout, state, report, words: Vec::new(), exit, sites, ends };
        if layout.width <= WORDS_IN_REGISTERS_MAX {
            lowering.words = (0..layout.width).map(|word| lowering.load_word(word as u32)).collect();
        }
        (lowering, others)
    }

    // Blocks.

    /// A block that continues with a cursor.
    pub fn cursor_block(&mut self) -> Block {
        let block = self.builder.create_block();
        self.builder.append_block_param(block, I64);
        self.builder.append_block_param(block, I64);
        block
    }

    /// Goes on in a block made by [`cursor_block`](Self::cursor_block).
    pub fn enter_with_cursor(&mut self, block: Block) -> Cursor {
        self.builder.switch_to_block(block);
        let parameters = self.builder.block_params(block);
        Cursor { words: parameters[0], labels: parameters[1] }
    }

    pub fn jump(&mut self, block: Block, cursor: Cursor) {
        self.builder.ins().jump(block, &cursor.arguments());
    }

    /// Ends the block: where to go if the condition holds, and if not, each with its arguments.
    pub fn branch_on(&mut self, condition: Condition, yes: (Block, &[BlockArg]), no: (Block, &[BlockArg])) {
        match condition {
            Condition::Known(truth) => {
                let (block, arguments) = if truth { yes } else { no };
                self.builder.ins().jump(block, arguments);
            }
            Condition::Value(value) => {
                self.builder.ins().brif(value, yes.0, yes.1, no.0, no.1);
            }
        }
    }

    /// Leaves for the fault exit if the condition holds; goes on in a new block if not.
    pub fn check(&mut self, is_faulty: Condition, site: FaultSite<'_>) {
        if !matches!(is_faulty, Condition::Known(false)) {
            let number = self.site(site);
            self.end_step_if(is_faulty, number);
        }
    }

    /// The same for an assumption at a place, if it is refuted.
    pub fn check_assumption(&mut self, is_refuted: Condition, span: Span) {
        if !matches!(is_refuted, Condition::Known(false)) {
            let number = self.end(SiteKey::Assumption(span.start, span.end), |program| refuted_at(program, span));
            self.end_step_if(is_refuted, number);
        }
    }

    fn end_step_if(&mut self, condition: Condition, number: u32) {
        let exit = self.exit.as_mut().expect("code that runs unguarded needs no checks");
        let block = match exit.block {
            Some(block) => block,
            None => {
                let block = self.builder.create_block();
                self.builder.append_block_param(block, I32);
                self.builder.set_cold_block(block);
                exit.block = Some(block);
                block
            }
        };
        let number = self.constant(number);
        let ok = self.builder.create_block();
        self.branch_on(condition, (block, &[number.into()]), (ok, &[]));
        self.builder.switch_to_block(ok);
    }

    /// The number of the fault of a site.
    fn site(&mut self, site: FaultSite<'_>) -> u32 {
        let key = match site {
            FaultSite::Index(place) => SiteKey::Index(place.variable.0, place.span.start, place.span.end),
            FaultSite::Division(span) => SiteKey::Division(span.start, span.end),
            FaultSite::Assertion(kind, span) => SiteKey::Assertion(kind, span.start, span.end),
            FaultSite::Check(check) => SiteKey::Check(std::ptr::from_ref(check).addr()),
        };
        self.end(key, |program| fault_at(program, site).into())
    }

    fn end(&mut self, key: SiteKey, make: impl FnOnce(&Program) -> StepEnd) -> u32 {
        *self.sites.entry(key).or_insert_with(|| {
            self.ends.push(make(self.program));
            self.ends.len() as u32 - 1
        })
    }

    // Memory.

    /// A word of the state that is expanded.
    pub fn word(&mut self, word: u32) -> Value {
        match self.words.get(word as usize) {
            Some(value) => *value,
            None => self.load_word(word),
        }
    }

    fn load_word(&mut self, word: u32) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.builder.ins().load(I32, flags, self.state, word as i32 * 4)
    }

    /// Copies four words of the state to where the next successor goes.
    pub fn copy_four_words(&mut self, cursor: Cursor, first: u32) {
        let flags = MemFlagsData::new().with_notrap().with_readonly().with_can_move();
        let words = self.builder.ins().load(I32X4, flags, self.state, first as i32 * 4);
        let flags = MemFlagsData::new().with_notrap();
        self.builder.ins().store(flags, words, cursor.words, first as i32 * 4);
    }

    /// Copies two words of the state to where the next successor goes.
    pub fn copy_two_words(&mut self, cursor: Cursor, first: u32) {
        let flags = MemFlagsData::new().with_notrap().with_readonly().with_can_move();
        let words = self.builder.ins().load(I64, flags, self.state, first as i32 * 4);
        let flags = MemFlagsData::new().with_notrap();
        self.builder.ins().store(flags, words, cursor.words, first as i32 * 4);
    }

    /// Loads from words at an address that the generated code also writes to.
    pub fn load_at(&mut self, address: Value, word: u32) -> Value {
        self.builder.ins().load(I32, MemFlagsData::trusted(), address, word as i32 * 4)
    }

    pub fn store_at(&mut self, value: Value, address: Value, word: u32) {
        self.builder.ins().store(MemFlagsData::trusted(), value, address, word as i32 * 4);
    }

    /// Writes the label of a step.
    pub fn store_label(&mut self, cursor: Cursor, label: i64) {
        let label = self.builder.ins().iconst(I64, label);
        self.builder.ins().store(MemFlagsData::trusted(), label, cursor.labels, 0);
    }

    /// The cursor behind one that was written to.
    pub fn advance(&mut self, cursor: Cursor) -> Cursor {
        let words = self.builder.ins().iadd_imm_s(cursor.words, self.layout.width as i64 * 4);
        let labels = self.builder.ins().iadd_imm_s(cursor.labels, 8);
        Cursor { words, labels }
    }

    /// The cursor behind one that was written to if the condition holds.
    pub fn advance_if(&mut self, condition: Condition, cursor: Cursor) -> Cursor {
        match condition {
            Condition::Known(false) => cursor,
            Condition::Known(true) => self.advance(cursor),
            Condition::Value(value) => {
                let next = self.advance(cursor);
                let words = self.builder.ins().select(value, next.words, cursor.words);
                let labels = self.builder.ins().select(value, next.labels, cursor.labels);
                Cursor { words, labels }
            }
        }
    }

    // Arithmetic with constants.

    pub fn constant(&mut self, value: u32) -> Value {
        self.builder.ins().iconst(I32, i64::from(value))
    }

    pub fn and_bits(&mut self, value: Value, bits: u32) -> Value {
        if bits == u32::MAX {
            return value;
        }
        let bits = self.constant(bits);
        self.builder.ins().band(value, bits)
    }

    pub fn or_bits(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 {
            return value;
        }
        let bits = self.constant(bits);
        self.builder.ins().bor(value, bits)
    }

    pub fn flip_bits(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 {
            return value;
        }
        let bits = self.constant(bits);
        self.builder.ins().bxor(value, bits)
    }

    pub fn add_constant(&mut self, value: Value, distance: i32) -> Value {
        if distance == 0 {
            return value;
        }
        let distance = self.constant(distance as u32);
        self.builder.ins().iadd(value, distance)
    }

    pub fn multiply_by(&mut self, value: Value, factor: u32) -> Value {
        match factor {
            1 => value,
            _ if factor.is_power_of_two() => self.shift_left(value, factor.trailing_zeros()),
            _ => {
                let factor = self.constant(factor);
                self.builder.ins().imul(value, factor)
            }
        }
    }

    pub fn shift_left(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 {
            return value;
        }
        let bits = self.constant(bits);
        self.builder.ins().ishl(value, bits)
    }

    pub fn shift_right(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 {
            return value;
        }
        let bits = self.constant(bits);
        self.builder.ins().ushr(value, bits)
    }

    /// The low bits of a value as a signed number.
    pub fn sign_extend(&mut self, value: Value, bits: u32) -> Value {
        let unused = self.constant(32 - bits);
        let shifted = self.builder.ins().ishl(value, unused);
        self.builder.ins().sshr(shifted, unused)
    }

    pub fn compare_with(&mut self, code: IntCC, value: Value, constant: u32) -> Condition {
        let constant = self.constant(constant);
        Condition::Value(self.builder.ins().icmp(code, value, constant))
    }
}
