//! Evaluation of location expressions: from registers and memory to the place of a variable.

use std::rc::Rc;

use gimli::{AttributeValue, Encoding, EvaluationResult, Piece, Register, UnitOffset, ValueType};

use super::reader::Reader;
use super::units::{Slice, Unit};
use super::unwind::CallFrames;
use super::{Memory, Place, Registers};

/// An expression is a program and may loop: this many operations are enough for an honest one.
const OPERATIONS_MAX: u32 = 10_000;
/// Pieces of a variable larger than this are not assembled.
const VALUE_SIZE_MAX: u64 = 1 << 16;
/// The number of the thread pointer's register.
const THREAD_POINTER: usize = 4;

/// What an expression may ask about the stopped program.
#[derive(Clone, Copy)]
pub(super) struct Stopped<'s> {
    pub registers: &'s Registers,
    pub memory: Memory<'s>,
    pub bias: u64,
    pub frames: &'s CallFrames,
}

impl Stopped<'_> {
    /// The value of a register by its DWARF number: the integer registers, then the floating-point ones.
    pub fn register(&self, register: Register) -> Option<u64> {
        self.registers.get(usize::from(register.0))
    }

    /// A little-endian number of up to 8 bytes in memory.
    pub fn number(&self, address: u64, size: u8) -> Option<u64> {
        let mut bytes = [0; 8];
        let wanted = bytes.get_mut(..usize::from(size))?;
        (self.memory)(address, wanted).then(|| u64::from_le_bytes(bytes))
    }

    fn bytes(&self, address: u64, size: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(size).ok().filter(|_| size <= VALUE_SIZE_MAX)?];
        (self.memory)(address, &mut bytes).then_some(bytes)
    }
}

/// Evaluates expressions of one unit, for a program that stands in one function of it.
pub(super) struct Evaluator<'r, 'a, 's> {
    pub reader: &'r Reader<'a>,
    pub unit: Rc<Unit<'a>>,
    pub stopped: Stopped<'s>,
    /// The entry of the function.
    pub function: usize,
    /// The expression for the frame base of the function.
    pub frame_base: Option<&'a [u8]>,
    /// How many callees asked for this evaluation.
    pub nesting: u32,
}

impl<'a> Evaluator<'_, 'a, '_> {
    /// The place that an expression describes, for a variable of the given size.
    pub fn place(&self, expression: &[u8], size: u64) -> Option<Place> {
        let pieces = self.pieces(expression, 0)?;
        match pieces.as_slice() {
            [Piece { size_in_bits: None, location: gimli::Location::Address { address }, .. }] => {
                Some(Place::Address(*address))
            }
            [only @ Piece { size_in_bits: None, .. }] => Some(Place::Value(self.piece(only, size)?)),
            pieces => {
                let mut value = Vec::new();
                for piece in pieces {
                    let size = piece.size_in_bits.filter(|bits| bits % 8 == 0)? / 8;
                    value.extend(self.piece(piece, size)?);
                    if value.len() as u64 > VALUE_SIZE_MAX {
                        return None;
                    }
                }
                Some(Place::Value(value))
            }
        }
    }

    /// The bytes of one piece of a variable.
    fn piece(&self, piece: &Piece<Slice<'_>>, size: u64) -> Option<Vec<u8>> {
        let length = usize::try_from(size).ok().filter(|_| size <= VALUE_SIZE_MAX)?;
        let mut bytes = match &piece.location {
            gimli::Location::Empty | gimli::Location::ImplicitPointer { .. } => return None,
            gimli::Location::Address { address } => self.stopped.bytes(*address, size)?,
            gimli::Location::Register { register } => self.stopped.register(*register)?.to_le_bytes().to_vec(),
            gimli::Location::Value { value } => value_bits(*value)?.to_le_bytes().to_vec(),
            gimli::Location::Bytes { value } => value.slice().to_vec(),
        };
        if piece.bit_offset.is_some_and(|offset| offset != 0) || bytes.len() < length {
            return None;
        }
        bytes.truncate(length);
        Some(bytes)
    }

    fn pieces<'e>(&self, expression: &'e [u8], depth: u32) -> Option<Vec<Piece<Slice<'e>>>> {
        let mut evaluation = bounded(expression, self.unit.encoding());
        let mut result = evaluation.evaluate().ok()?;
        // A nested expression or a question about memory costs no operation of its own, so questions are counted too.
        for _ in 0..OPERATIONS_MAX {
            result = match result {
                EvaluationResult::Complete => return Some(evaluation.result()),
                EvaluationResult::RequiresMemory { address, size, base_type, .. } => {
                    let bits = self.stopped.number(address, size)?;
                    evaluation.resume_with_memory(self.typed(base_type, bits)?)
                }
                EvaluationResult::RequiresRegister { register, base_type } => {
                    let bits = self.stopped.register(register)?;
                    evaluation.resume_with_register(self.typed(base_type, bits)?)
                }
                EvaluationResult::RequiresFrameBase if depth == 0 => {
                    evaluation.resume_with_frame_base(self.address(self.frame_base?)?)
                }
                EvaluationResult::RequiresCallFrameCfa => {
                    evaluation.resume_with_call_frame_cfa(self.stopped.frames.canonical_address(&self.stopped)?)
                }
                EvaluationResult::RequiresTls(offset) => {
                    let block = self.stopped.registers.get(THREAD_POINTER)?;
                    evaluation.resume_with_tls(block.wrapping_add(offset))
                }
                EvaluationResult::RequiresRelocatedAddress(address) => {
                    evaluation.resume_with_relocated_address(address.wrapping_add(self.stopped.bias))
                }
                EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                    let address = self.reader.dwarf.address(&self.unit, index).ok()?;
                    let bias = if relocate { self.stopped.bias } else { 0 };
                    evaluation.resume_with_indexed_address(address.wrapping_add(bias))
                }
                EvaluationResult::RequiresBaseType(offset) => evaluation.resume_with_base_type(self.base_type(offset)?),
                EvaluationResult::RequiresEntryValue(expression) => {
                    let value = self.entry_value(expression.0.slice())?;
                    evaluation.resume_with_entry_value(gimli::Value::Generic(value))
                }
                _ => return None,
            }
            .ok()?;
        }
        None
    }

    /// The number that an expression computes.
    pub fn number(&self, expression: &[u8]) -> Option<u64> {
        self.address_or_number(expression, 0)
    }

    /// The address that a frame base expression yields: it may also name the register that holds it.
    fn address(&self, expression: &[u8]) -> Option<u64> {
        self.address_or_number(expression, 1)
    }

    fn address_or_number(&self, expression: &[u8], depth: u32) -> Option<u64> {
        match self.pieces(expression, depth)?.as_slice() {
            [Piece { location: gimli::Location::Address { address }, .. }] => Some(*address),
            [Piece { location: gimli::Location::Register { register }, .. }] => self.stopped.register(*register),
            [Piece { location: gimli::Location::Value { value }, .. }] => u64::try_from(value_bits(*value)?).ok(),
            _ => None,
        }
    }

    /// Bits as a value of a base type; offset 0 stands for a plain address-sized number.
    fn typed(&self, base_type: UnitOffset, bits: u64) -> Option<gimli::Value> {
        let ty = if base_type.0 == 0 { ValueType::Generic } else { self.base_type(base_type)? };
        Some(match ty {
            ValueType::F32 => gimli::Value::F32(f32::from_bits(bits as u32)),
            ValueType::F64 => gimli::Value::F64(f64::from_bits(bits)),
            ty => gimli::Value::from_u64(ty, bits).ok()?,
        })
    }

    fn base_type(&self, offset: UnitOffset) -> Option<ValueType> {
        if offset.0 == 0 {
            return Some(ValueType::Generic);
        }
        let entry = self.unit.entry(offset).ok()?;
        let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding)? else { return None };
        ValueType::from_encoding(encoding, entry.attr(gimli::DW_AT_byte_size)?.udata_value()?)
    }
}

/// The bits of a computed value, as many as its type has, from the least significant.
fn value_bits(value: gimli::Value) -> Option<u128> {
    Some(match value {
        gimli::Value::F32(value) => u128::from(value.to_bits()),
        gimli::Value::F64(value) => u128::from(value.to_bits()),
        value => u128::from(value.to_u64(u64::MAX).ok()?),
    })
}

/// An evaluation that ends.
fn bounded(expression: &[u8], encoding: Encoding) -> gimli::Evaluation<Slice<'_>> {
    let mut evaluation = gimli::Evaluation::new(Slice::new(expression, gimli::LittleEndian), encoding);
    evaluation.set_max_iterations(OPERATIONS_MAX);
    evaluation
}

/// Evaluates an expression of the call frame information, with an address on the stack to begin with.
pub(super) fn frame_expression(
    expression: &[u8],
    encoding: Encoding,
    first: Option<u64>,
    stopped: &Stopped,
) -> Option<u64> {
    let mut evaluation = bounded(expression, encoding);
    if let Some(first) = first {
        evaluation.set_initial_value(first);
    }
    let mut result = evaluation.evaluate().ok()?;
    for _ in 0..OPERATIONS_MAX {
        result = match result {
            EvaluationResult::Complete => {
                let pieces = evaluation.result();
                let [Piece { location: gimli::Location::Address { address }, .. }] = pieces.as_slice() else {
                    return None;
                };
                return Some(*address);
            }
            EvaluationResult::RequiresMemory { address, size, .. } => {
                evaluation.resume_with_memory(gimli::Value::Generic(stopped.number(address, size)?))
            }
            EvaluationResult::RequiresRegister { register, .. } => {
                evaluation.resume_with_register(gimli::Value::Generic(stopped.register(register)?))
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(address.wrapping_add(stopped.bias))
            }
            _ => return None,
        }
        .ok()?;
    }
    None
}
