//! The parts of an object, one by one, by its type: for whoever looks for those that have changed, or that point
//! somewhere.

use super::TypeId;
use super::reader::Reader;
use super::types::{Shape, is_reserved_name};

const DEPTH_MAX: usize = 24;
/// How many parts of one object are visited.
const PARTS_MAX: usize = 20_000;
/// How many pointers of one type are known.
const POINTERS_MAX: usize = 256;

/// An object or a part of one.
pub struct Part<'p> {
    /// What to write after the name of the whole: `.slots[3]`. Inside of what people do not name, that of the whole
    /// thing that has no names inside.
    pub path: &'p str,
    /// From the start of the whole.
    pub offset: u64,
    pub bytes: u64,
    pub ty: TypeId,
    /// Whether it is a value by itself: a number, a pointer, an enumeration.
    pub is_value: bool,
    /// Whether it lies behind a name that the language reserves for its implementation.
    pub is_reserved: bool,
}

/// A pointer in an object, and what it points to.
#[derive(Clone, Debug)]
pub struct Pointer {
    pub path: String,
    pub offset: u64,
    pub target: TypeId,
    pub target_bytes: u64,
    /// Whether what it points to is of a type that only the standard library has a name for, such as a node of a list.
    pub target_is_librarys: bool,
    pub is_reference: bool,
    /// The class of the standard library that keeps the pointer to itself: `vector<int, std::allocator<int> >`.
    pub keeper: Option<String>,
}

/// The place of a part in the whole.
#[derive(Clone, Copy)]
struct Spot<'k> {
    offset: u64,
    depth: usize,
    is_reserved: bool,
    keeper: Option<&'k str>,
}

/// Visits parts from the outside to the inside. The visitor says whether to look inside a part.
struct Visit<'r, 'a, F> {
    reader: &'r Reader<'a>,
    visitor: F,
    path: String,
    left: usize,
}

impl<F: FnMut(Part<'_>, Option<&str>) -> bool> Visit<'_, '_, F> {
    fn part(&mut self, ty: usize, bytes: u64, spot: Spot<'_>) {
        if self.left == 0 || spot.depth > DEPTH_MAX {
            return;
        }
        self.left -= 1;
        let shape = self.reader.shape(ty);
        let is_value = matches!(shape, Some(Shape::Number { .. } | Shape::Pointer { .. } | Shape::Enumeration { .. }));
        let &Spot { offset, is_reserved, keeper, .. } = &spot;
        let part = Part { path: &self.path, offset, bytes, ty: TypeId(ty), is_value, is_reserved };
        if !(self.visitor)(part, keeper) {
            return;
        }
        match shape {
            Some(Shape::Record(record)) => self.members(ty, &record, spot),
            Some(Shape::Array { element, lengths }) => self.elements(element, &lengths, bytes, spot),
            _ => {}
        }
    }

    fn members(&mut self, ty: usize, record: &super::types::Record, spot: Spot<'_>) {
        let inner = |offset: u64| Spot { offset: spot.offset.saturating_add(offset), depth: spot.depth + 1, ..spot };
        let own_name = if record.standard { self.reader.type_name(Some(ty)) } else { String::new() };
        // The outermost class is the one that people know; its bases and members are how it is made.
        let keeper = spot.keeper.or(Some(own_name.as_str()).filter(|_| record.standard));
        if let Some(only) = self.reader.only_part(record) {
            let place = Spot { keeper, ..inner(only.offset) };
            return self.part(only.ty, self.reader.size_of(only.ty), place);
        }
        for member in record.members.iter().filter(|member| member.bits.is_none()) {
            let length = self.path.len();
            let mut place = inner(member.offset);
            match &member.name {
                Some(_) if member.is_reserved() => (place.is_reserved, place.keeper) = (true, keeper),
                Some(name) if !place.is_reserved => {
                    self.path.push('.');
                    self.path.push_str(name);
                }
                None => place.keeper = keeper,
                Some(_) => {}
            }
            self.part(member.ty, self.reader.size_of(member.ty), place);
            self.path.truncate(length);
        }
    }

    fn elements(&mut self, element: usize, lengths: &[Option<u64>], bytes: u64, spot: Spot<'_>) {
        let size = self.reader.size_of(element);
        let Some((_, inner)) = lengths.split_first().filter(|_| size > 0) else { return };
        let stride = inner.iter().fold(size, |stride, length| stride.saturating_mul(length.unwrap_or(1).max(1)));
        for index in 0..bytes.checked_div(stride).unwrap_or(0) {
            if self.left == 0 {
                return;
            }
            let length = self.path.len();
            if !spot.is_reserved {
                self.path.push_str(&format!("[{index}]"));
            }
            let place = Spot { offset: spot.offset.saturating_add(index * stride), depth: spot.depth + 1, ..spot };
            if inner.is_empty() {
                self.part(element, size, place);
            } else {
                self.elements(element, inner, stride, place);
            }
            self.path.truncate(length);
        }
    }
}

impl<'a> Reader<'a> {
    /// Calls `visitor` with an object of so many bytes and its parts, from the outside to the inside, as long as it
    /// says that it wants to see what is inside. Bit-fields are no parts of their own.
    pub fn visit_parts(&self, ty: usize, bytes: u64, mut visitor: impl FnMut(Part<'_>) -> bool) {
        self.visit(ty, bytes, |part, _| visitor(part));
    }

    fn visit(&self, ty: usize, bytes: u64, visitor: impl FnMut(Part<'_>, Option<&str>) -> bool) {
        let mut visit = Visit { reader: self, visitor, path: String::new(), left: PARTS_MAX };
        visit.part(ty, bytes, Spot { offset: 0, depth: 0, is_reserved: false, keeper: None });
    }

    /// The pointers in an object of a type that point to something of a known type.
    pub fn pointers(&self, ty: usize, bytes: u64) -> Vec<Pointer> {
        let mut pointers = Vec::new();
        self.visit(ty, bytes, |part, keeper| {
            if let Some((target, target_bytes)) = self.target(part.ty.0).filter(|_| part.is_value) {
                let target_is_librarys = self.is_librarys_own(target);
                let is_reference = self.plain_type(part.ty.0).is_some_and(|entry| is_reference(entry.tag()));
                let (path, keeper) = (part.path.to_owned(), keeper.filter(|_| part.is_reserved).map(str::to_owned));
                let (offset, target) = (part.offset, TypeId(target));
                let pointer = Pointer { path, offset, target, target_bytes, target_is_librarys, is_reference, keeper };
                pointers.push(pointer);
            }
            pointers.len() < POINTERS_MAX
        });
        pointers
    }

    /// Whether a type of the standard library has a name that the language reserves for its implementation.
    fn is_librarys_own(&self, ty: usize) -> bool {
        self.plain_type(ty).is_some_and(|entry| {
            self.is_standard(entry.index, entry.offset) && entry.name(self).is_some_and(|name| is_reserved_name(&name))
        })
    }

    /// What a pointer or reference of a type points to, and how many bytes that has, if it is an object.
    fn target(&self, ty: usize) -> Option<(usize, u64)> {
        let entry = self.plain_type(ty)?;
        let points = entry.tag() == gimli::DW_TAG_pointer_type || is_reference(entry.tag());
        let target = entry.reference(self, gimli::DW_AT_type).filter(|_| points)?;
        let bytes = self.size_of(target);
        (bytes > 0).then_some((target, bytes))
    }

    /// The name of the member of a record that covers an offset, whatever its name, and where it begins.
    pub fn member_at(&self, ty: usize, offset: u64) -> Option<(String, TypeId, u64)> {
        let Some(Shape::Record(record)) = self.shape(ty) else { return None };
        let covers = |ty: usize, from: u64| from <= offset && offset - from < self.size_of(ty);
        let member = record.members.iter().find(|member| covers(member.ty, member.offset))?;
        Some((member.name.clone()?, TypeId(member.ty), member.offset))
    }
}

fn is_reference(tag: gimli::DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type)
}
