//! Names for addresses inside a variable: `fork_[2]`, `queue.slots[3].value`.

use super::reader::Reader;
use super::types::{Member, Record, Shape};

const DEPTH_MAX: usize = 24;

impl<'a> Reader<'a> {
    /// What to write after a variable's name to name the part of it at a byte offset. Only names that people write
    /// appear: inside a `std::mutex` there is nothing to name.
    pub fn path(&self, ty: usize, offset: u64) -> String {
        self.path_and_type(ty, offset).0
    }

    /// The same, and the type of the value that begins there: a number, a pointer, an enumeration. None within a value,
    /// and inside of what is not named.
    pub fn path_and_type(&self, ty: usize, offset: u64) -> (String, Option<usize>) {
        let mut path = String::new();
        let value = self.extend_path(&mut path, ty, offset, 0);
        (path, value)
    }

    fn extend_path(&self, path: &mut String, ty: usize, offset: u64, depth: usize) -> Option<usize> {
        let shape = if depth < DEPTH_MAX { self.shape(ty) } else { None };
        match shape {
            Some(Shape::Record(record)) => self.extend_by_member(path, &record, offset, depth),
            Some(Shape::Array { element, lengths }) => {
                let size = self.size_of(element);
                if size == 0 {
                    return None;
                }
                let mut index = offset / size;
                let mut indices = Vec::new();
                for &length in lengths.iter().skip(1).rev() {
                    let length = length.unwrap_or(1).max(1);
                    indices.push(index % length);
                    index /= length;
                }
                indices.push(index);
                for index in indices.iter().rev() {
                    path.push_str(&format!("[{index}]"));
                }
                self.extend_path(path, element, offset % size, depth + 1)
            }
            _ if offset > 0 => {
                path.push_str(&format!("+{offset}"));
                None
            }
            Some(Shape::Number { .. } | Shape::Pointer { .. } | Shape::Enumeration { .. }) => Some(ty),
            Some(Shape::Unknown) | None => None,
        }
    }

    fn extend_by_member(&self, path: &mut String, record: &Record, offset: u64, depth: usize) -> Option<usize> {
        if let Some(only) = self.only_part(record) {
            let inner = offset.checked_sub(only.offset)?;
            if self.leads_to_names(only) {
                return self.extend_path(path, only.ty, inner, depth + 1);
            }
            return (inner == 0).then_some(only.ty);
        }
        // A derived class may use the padding at the end of its base: its own members come first.
        let (named, unnamed): (Vec<&Member>, Vec<&Member>) = record
            .members
            .iter()
            .filter(|member| self.covers(member, offset))
            .partition(|member| member.name.is_some());
        if let Some(member) = named.first() {
            if member.is_reserved() {
                return None;
            }
            path.push('.');
            path.push_str(member.name.as_deref().unwrap_or_default());
            if member.bits.is_none() {
                return self.extend_path(path, member.ty, offset - member.offset, depth + 1);
            }
            return None;
        }
        for member in unnamed {
            let length = path.len();
            let value = self.extend_path(path, member.ty, offset - member.offset, depth + 1);
            if path.len() > length {
                return value;
            }
        }
        None
    }

    /// Whether the part of a standard structure is an array or record: a part of a number in it needs no name.
    fn leads_to_names(&self, only: &Member) -> bool {
        matches!(self.shape(only.ty), Some(Shape::Record(_) | Shape::Array { .. }))
    }

    fn covers(&self, member: &Member, offset: u64) -> bool {
        if let Some(bits) = member.bits {
            let last = bits.first.saturating_add(bits.count.saturating_sub(1));
            return bits.first / 8 <= offset && offset <= last / 8;
        }
        let Some(inner) = offset.checked_sub(member.offset) else { return false };
        // An empty base class has a size, but the byte belongs to the first member.
        if member.name.is_none() && self.holds_nothing(member.ty) {
            return false;
        }
        // An array without length at the end of a structure reaches as far as memory does.
        let unbounded =
            || matches!(self.shape(member.ty), Some(Shape::Array { lengths, .. }) if lengths.first() == Some(&None));
        inner < self.size_of(member.ty) || unbounded()
    }
}
