//! Names: what they stand for, and where they can be used.
//!
//! A variable of a record type is a tree whose leaves are variables of single values. Names are looked up from the
//! innermost block outwards, then among the globals.

use crate::ast;
use crate::problem::{Checked, Problem};
use crate::typed::{Initial, MtypeKind, Scalar, ScalarKind, Value, Variable, VariableRef};
use dampf_core::Span;
use dampf_gcl::ir::IntType;
use std::collections::HashMap;

/// What a name of a variable, or of a field, stands for.
#[derive(Clone, Debug)]
pub enum Shape {
    Leaf(VariableRef, ScalarKind),
    /// The fields, in order.
    Record(Vec<(String, Entry)>),
}

/// A variable or field with the size of its array.
#[derive(Clone, Debug)]
pub struct Entry {
    pub size: Option<u32>,
    pub shape: Shape,
}

impl Entry {
    /// The leaves, in order, with the number of arrays below this entry on the way to each.
    pub fn leaves(&self) -> Vec<VariableRef> {
        match &self.shape {
            Shape::Leaf(variable, _) => vec![*variable],
            Shape::Record(fields) => fields.iter().flat_map(|(_, field)| field.leaves()).collect(),
        }
    }

    pub fn has_arrays(&self) -> bool {
        match &self.shape {
            Shape::Leaf(..) => self.size.is_some(),
            Shape::Record(fields) => self.size.is_some() || fields.iter().any(|(_, field)| field.has_arrays()),
        }
    }
}

/// A type as it is declared.
#[derive(Clone, Debug)]
pub enum Declared {
    Scalar(Scalar),
    Record(usize),
}

/// A field of a record type.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Declared,
    pub size: Option<u32>,
    pub initial: Option<Initial>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct RecordType {
    pub name: String,
    pub fields: Vec<Field>,
}

/// What is known of a proctype before its body is read.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    /// Single values: a record is as many as it has fields.
    pub parameters: usize,
}

/// All names outside of proctypes.
#[derive(Default)]
pub struct Names {
    pub mtypes: Vec<MtypeKind>,
    /// Constants by name: their kind and value.
    pub constants: HashMap<String, (usize, i32)>,
    pub records: Vec<RecordType>,
    pub globals: Vec<Variable>,
    pub global_names: HashMap<String, Entry>,
    pub signatures: Vec<Signature>,
}

/// The variables of a proctype, with the blocks that they are declared in.
#[derive(Default)]
pub struct Locals {
    pub variables: Vec<Variable>,
    pub names: Vec<(String, Vec<u32>, Entry)>,
}

impl Locals {
    /// The variable that a name means within nested blocks.
    pub fn find(&self, name: &str, scope: &[u32]) -> Option<&Entry> {
        let visible = self.names.iter().filter(|(known, at, _)| known == name && scope.starts_with(at));
        visible.max_by_key(|(_, at, _)| at.len()).map(|(_, _, entry)| entry)
    }
}

/// An array of more elements is refused.
const ELEMENTS_MAX: u64 = 1 << 20;

impl Names {
    pub fn record(&self, name: &str) -> Option<usize> {
        self.records.iter().position(|record| record.name == name)
    }

    pub fn proctype(&self, name: &str) -> Option<usize> {
        self.signatures.iter().position(|signature| signature.name == name)
    }

    /// The kind of mtype with this name, which is added if there is none.
    pub fn mtype_kind(&mut self, name: Option<&str>) -> usize {
        if self.mtypes.is_empty() {
            self.mtypes.push(MtypeKind { name: None, constants: Vec::new() });
        }
        let Some(name) = name.filter(|name| *name != "_unnamed_") else { return 0 };
        match self.mtypes.iter().position(|kind| kind.name.as_deref() == Some(name)) {
            Some(kind) => kind,
            None => {
                self.mtypes.push(MtypeKind { name: Some(name.to_owned()), constants: Vec::new() });
                self.mtypes.len() - 1
            }
        }
    }

    /// Takes a declared variable apart into variables of single values.
    pub fn declare(
        &self,
        what: &Field,
        is_hidden: bool,
        variables: &mut Vec<Variable>,
        reference: &dyn Fn(usize) -> VariableRef,
    ) -> Checked<Entry> {
        self.declare_within(what, &what.name, &[], is_hidden, variables, reference)
    }

    fn declare_within(
        &self,
        what: &Field,
        name: &str,
        sizes: &[u32],
        is_hidden: bool,
        variables: &mut Vec<Variable>,
        reference: &dyn Fn(usize) -> VariableRef,
    ) -> Checked<Entry> {
        let mut sizes = sizes.to_vec();
        sizes.extend(what.size);
        if sizes.iter().map(|size| u64::from(*size)).product::<u64>() > ELEMENTS_MAX {
            return Err(Problem::new(what.span, "this array is too large", "declared here"));
        }
        let shape = match &what.ty {
            Declared::Scalar(scalar) => {
                let initial = what.initial.clone().unwrap_or(Initial::Value(Value::Const(0)));
                let variable =
                    Variable { name: name.to_owned(), scalar: *scalar, sizes, initial, is_hidden, span: what.span };
                variables.push(variable);
                Shape::Leaf(reference(variables.len() - 1), scalar.kind)
            }
            Declared::Record(record) => {
                // A single value is read and not used, as in SPIN.
                if matches!(what.initial, Some(Initial::List(_) | Initial::Channels { .. })) {
                    return Err(Problem::new(what.span, "a record has no initial value of its own", "given here"));
                }
                let mut fields = Vec::new();
                for field in &self.records[*record].fields {
                    let inner = format!("{name}.{}", field.name);
                    let entry = self.declare_within(field, &inner, &sizes, is_hidden, variables, reference)?;
                    fields.push((field.name.clone(), entry));
                }
                Shape::Record(fields)
            }
        };
        Ok(Entry { size: what.size, shape })
    }

    /// How many single values a type is made of, if it is one that is known.
    pub fn leaves(&self, ty: &ast::Type) -> usize {
        let ast::Type::Record(name) = ty else { return 1 };
        let fields = self.record(&name.text).map(|record| &self.records[record].fields);
        fields.map_or(1, |fields| fields.iter().map(|field| self.leaves_of(&field.ty)).sum())
    }

    fn leaves_of(&self, ty: &Declared) -> usize {
        match ty {
            Declared::Scalar(_) => 1,
            Declared::Record(record) => {
                self.records[*record].fields.iter().map(|field| self.leaves_of(&field.ty)).sum()
            }
        }
    }

    /// The types of a message's field: a record is as many fields as it has.
    pub fn message_fields(&self, ty: &Declared, span: Span) -> Checked<Vec<Scalar>> {
        match ty {
            Declared::Scalar(scalar) => Ok(vec![*scalar]),
            Declared::Record(record) => {
                let mut scalars = Vec::new();
                for field in &self.records[*record].fields {
                    if field.size.is_some() {
                        let message =
                            format!("`{}` has an array, which no message can hold", self.records[*record].name);
                        return Err(Problem::new(span, message, "sent here"));
                    }
                    scalars.extend(self.message_fields(&field.ty, span)?);
                }
                Ok(scalars)
            }
        }
    }
}

pub const BYTE: Scalar = Scalar { ty: IntType::U8, kind: ScalarKind::Number };
