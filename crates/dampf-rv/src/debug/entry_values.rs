//! What a register held when the current function was entered.
//!
//! Optimised code reuses the registers of its parameters, and the compiler then describes a parameter as "what the
//! caller passed in this register". The caller's side says how to compute that from what it has kept. This is only
//! believed if the caller calls the current function by name: a call on the way that was turned into a jump leaves no
//! trace.

use gimli::{AttributeValue, Encoding, Operation};

use super::evaluate::{Evaluator, Stopped};
use super::reader::Entry;
use super::units::Slice;

/// How many callers may be asked in turn.
const NESTING_MAX: u32 = 3;

impl<'a> Evaluator<'_, 'a, '_> {
    /// The value that the register named by an expression had on entry to the current function.
    pub fn entry_value(&self, expression: &[u8]) -> Option<u64> {
        if self.nesting >= NESTING_MAX || !is_register(expression, self.unit.encoding()) {
            return None;
        }
        let reader = self.reader;
        let caller = self.stopped.frames.caller(&self.stopped)?;
        let pc = caller.pc.wrapping_sub(self.stopped.bias);
        let scopes = reader.scopes_at(pc)?;
        let call = scopes.iter().find_map(|scope| {
            reader.children(scope).into_iter().find(|child| self.is_call_returning_to(child, pc.wrapping_add(1)))
        })?;
        if !self.calls_current_function(&call) {
            return None;
        }
        let parameter = reader.children(&call).into_iter().find(|parameter| {
            let location = parameter.value(gimli::DW_AT_location);
            matches!(location, Some(AttributeValue::Exprloc(place)) if place.0.slice() == expression)
        })?;
        let value = parameter.value(gimli::DW_AT_call_value);
        let value = value.or_else(|| parameter.value(gimli::DW_AT_GNU_call_site_value))?;
        let AttributeValue::Exprloc(value) = value else { return None };
        let function = scopes.first()?;
        let evaluator = Evaluator {
            reader,
            unit: function.unit.clone(),
            stopped: Stopped { registers: &caller, ..self.stopped },
            function: function.offset,
            frame_base: reader.expression_at(function, gimli::DW_AT_frame_base, pc).flatten(),
            nesting: self.nesting + 1,
        };
        evaluator.number(value.0.slice())
    }

    fn is_call_returning_to(&self, entry: &Entry<'a>, address: u64) -> bool {
        let name = match entry.tag() {
            gimli::DW_TAG_call_site => gimli::DW_AT_call_return_pc,
            gimli::DW_TAG_GNU_call_site => gimli::DW_AT_low_pc,
            _ => return false,
        };
        let value =
            entry.value(name).and_then(|value| self.reader.dwarf.attr_address(&entry.unit, value).ok().flatten());
        value == Some(address)
    }

    fn calls_current_function(&self, call: &Entry<'a>) -> bool {
        let target = call.reference(self.reader, gimli::DW_AT_call_origin);
        let target = target.or_else(|| call.reference(self.reader, gimli::DW_AT_abstract_origin));
        let names = |offset: Option<usize>| -> Vec<usize> {
            let entry = offset.and_then(|offset| self.reader.entry(offset));
            entry
                .map(|entry| entry.with_origins(self.reader))
                .unwrap_or_default()
                .iter()
                .map(|entry| entry.offset)
                .collect()
        };
        let current = names(Some(self.function));
        names(target).iter().any(|offset| current.contains(offset))
    }
}

/// Whether an expression names a register and nothing else.
fn is_register(expression: &[u8], encoding: Encoding) -> bool {
    let mut operations = gimli::Expression(Slice::new(expression, gimli::LittleEndian)).operations(encoding);
    let first = operations.next();
    matches!(first, Ok(Some(Operation::Register { .. }))) && matches!(operations.next(), Ok(None))
}
