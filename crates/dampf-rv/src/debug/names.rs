//! The full names of functions, variables and types, as they are written in C and C++.

use super::reader::{Entry, Reader};
use crate::image::demangle_mangled;

/// How many scopes a name may lie in.
const SCOPES_MAX: usize = 32;
/// How many types a type's name may be composed of, one in the other.
const NESTING_MAX: usize = 16;
const LAMBDA: &str = "{lambda}";

impl<'a> Reader<'a> {
    /// The full name of a function or variable: `ns::queue<int>::push`, `next::calls` for a static variable of `next`.
    pub fn full_name(&self, entry: Entry<'a>) -> Option<String> {
        self.full_name_below(entry, 0)
    }

    fn full_name_below(&self, entry: Entry<'a>, depth: usize) -> Option<String> {
        let chain = entry.with_origins(self);
        for entry in &chain {
            let linkage = entry.value(gimli::DW_AT_linkage_name);
            let linkage = linkage.or_else(|| entry.value(gimli::DW_AT_MIPS_linkage_name));
            let mangled = linkage.and_then(|value| self.text(&entry.unit, value));
            if let Some(name) = mangled.and_then(|name| demangle_mangled(&name)) {
                return Some(name);
            }
        }
        let name = chain.iter().find_map(|entry| entry.name(self))?;
        let declaration = chain.last()?;
        Some(self.qualified(declaration.index, declaration.offset, &name, depth))
    }

    /// A name with the names of the scopes around its entry in front.
    fn qualified(&self, unit: usize, offset: usize, name: &str, depth: usize) -> String {
        let mut parts = vec![name.to_owned()];
        let mut inner = offset;
        while parts.len() < SCOPES_MAX
            && let Some(outer) = self.contents(unit).and_then(|contents| contents.scope_around(inner))
            && let Some(scope) = self.entry(outer)
        {
            inner = outer;
            match scope.tag() {
                // A function's name is full already.
                gimli::DW_TAG_subprogram if depth < 8 => {
                    parts.extend(self.full_name_below(scope, depth + 1));
                    break;
                }
                gimli::DW_TAG_namespace => {
                    parts.push(scope.name(self).unwrap_or_else(|| "(anonymous namespace)".to_owned()));
                }
                _ => match scope.name(self) {
                    Some(name) => parts.push(name),
                    // The class of a lambda has no name, and its only function no name of interest.
                    None if parts.last().is_some_and(|name| name == "operator()") => {
                        parts.pop();
                        parts.push(LAMBDA.to_owned());
                    }
                    None => {}
                },
            }
        }
        parts.reverse();
        parts.join("::")
    }

    /// Whether an entry belongs to the standard library.
    pub fn is_standard(&self, unit: usize, offset: usize) -> bool {
        let Some(contents) = self.contents(unit) else { return false };
        let mut outermost = None;
        let mut inner = offset;
        for _ in 0..SCOPES_MAX {
            let Some(outer) = contents.scope_around(inner) else { break };
            outermost = Some(outer);
            inner = outer;
        }
        let Some(scope) = outermost.and_then(|offset| self.entry(offset)) else { return false };
        let name = scope.name(self).unwrap_or_default();
        scope.tag() == gimli::DW_TAG_namespace && (name == "std" || name == "__gnu_cxx")
    }

    /// A type as one would write it; `None` stands for void.
    pub fn type_name(&self, offset: Option<usize>) -> String {
        self.type_name_below(offset, 0)
    }

    fn type_name_below(&self, offset: Option<usize>, depth: usize) -> String {
        let Some(offset) = offset else { return "void".to_owned() };
        let Some(entry) = self.entry(offset).filter(|_| depth < NESTING_MAX) else { return "?".to_owned() };
        let target = entry.reference(self, gimli::DW_AT_type);
        let inner = || self.type_name_below(target, depth + 1);
        match entry.tag() {
            gimli::DW_TAG_pointer_type => self.pointer_name(target, "*", depth),
            gimli::DW_TAG_reference_type => self.pointer_name(target, "&", depth),
            gimli::DW_TAG_rvalue_reference_type => self.pointer_name(target, "&&", depth),
            gimli::DW_TAG_ptr_to_member_type => {
                let class = self.type_name_below(entry.reference(self, gimli::DW_AT_containing_type), depth + 1);
                self.pointer_name(target, &format!("{class}::*"), depth)
            }
            gimli::DW_TAG_const_type => self.qualifier_name(target, "const", depth),
            gimli::DW_TAG_volatile_type => self.qualifier_name(target, "volatile", depth),
            gimli::DW_TAG_restrict_type => self.qualifier_name(target, "restrict", depth),
            gimli::DW_TAG_atomic_type => format!("_Atomic({})", inner()),
            gimli::DW_TAG_array_type => {
                let lengths = self.array_lengths(&entry);
                let lengths = lengths.iter().map(|length| match length {
                    Some(length) => format!("[{length}]"),
                    None => "[]".to_owned(),
                });
                format!("{}{}", inner(), lengths.collect::<String>())
            }
            gimli::DW_TAG_subroutine_type => format!("{}({})", inner(), self.parameter_names(&entry, depth)),
            _ => match entry.name(self) {
                Some(name) => self.qualified(entry.index, entry.offset, &name, 0),
                None if self.is_lambda(&entry) => self.qualified(entry.index, entry.offset, LAMBDA, 0),
                None => unnamed(&entry).to_owned(),
            },
        }
    }

    /// `T*`, and `R (*)(A, B)` for a function.
    fn pointer_name(&self, target: Option<usize>, mark: &str, depth: usize) -> String {
        let function = target.and_then(|offset| self.entry(offset));
        match function.filter(|entry| entry.tag() == gimli::DW_TAG_subroutine_type) {
            Some(function) => {
                let result = self.type_name_below(function.reference(self, gimli::DW_AT_type), depth + 1);
                format!("{result} ({mark})({})", self.parameter_names(&function, depth))
            }
            None => format!("{}{mark}", self.type_name_below(target, depth + 1)),
        }
    }

    /// `const T`, but `T* const`: the word belongs to the pointer.
    fn qualifier_name(&self, target: Option<usize>, word: &str, depth: usize) -> String {
        let name = self.type_name_below(target, depth + 1);
        if name.ends_with('*') { format!("{name} {word}") } else { format!("{word} {name}") }
    }

    /// Whether a class without name is one that the compiler made for a lambda.
    pub fn is_lambda(&self, class: &Entry<'a>) -> bool {
        let is_call = |child: &Entry<'a>| {
            child.tag() == gimli::DW_TAG_subprogram && child.name(self).is_some_and(|name| name == "operator()")
        };
        self.children(class).iter().any(is_call)
    }

    fn parameter_names(&self, function: &Entry<'a>, depth: usize) -> String {
        let children = self.children(function);
        let parameters = children.iter().filter(|child| child.tag() == gimli::DW_TAG_formal_parameter);
        let names: Vec<String> = parameters
            .take(NESTING_MAX)
            .map(|parameter| self.type_name_below(parameter.reference(self, gimli::DW_AT_type), depth + 1))
            .collect();
        names.join(", ")
    }
}

fn unnamed(entry: &Entry) -> &'static str {
    match entry.tag() {
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => "struct {...}",
        gimli::DW_TAG_union_type => "union {...}",
        gimli::DW_TAG_enumeration_type => "enum {...}",
        _ => "?",
    }
}
