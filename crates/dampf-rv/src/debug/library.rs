//! What is inside the classes of the C++ standard library: members that have names which only the library knows, and
//! the containers in an object, with where the library keeps what they hold.

use super::TypeId;
use super::reader::Reader;
use super::types::{Member, Record, Shape};

const DEPTH_MAX: usize = 24;
/// How many containers of one type are known.
const CONTAINERS_MAX: usize = 64;

/// A part of an object of the standard library, by the members that lead there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryPart {
    /// The names that the library has for the members, from the outside to the inside: `_M_impl`, `_M_start`.
    pub members: Vec<String>,
    /// The type of the value that begins there, if it is a number or a pointer.
    pub value: Option<TypeId>,
}

/// How a container keeps its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContainerKind {
    List,
    ForwardList,
    Deque,
    /// A balanced tree: of keys and values where it is a map.
    Tree,
    HashTable,
}

/// A container in an object.
#[derive(Clone, Debug)]
pub struct Container {
    /// What to write after the name of the object to name the container.
    pub path: String,
    pub kind: ContainerKind,
    /// Where that lies from which its elements are found, from the start of the object: the links of a list, the head
    /// of a tree, the link before the first element of a hash table, the iterator to the first element of a deque.
    pub anchor: u64,
    /// The same of the iterator to the end of a deque, of the table of a hash table with the number of its entries.
    pub second_anchor: Option<u64>,
    pub element: TypeId,
    pub element_bytes: u64,
    /// From the start of a node to the element in it.
    pub element_offset: u64,
    /// The key and the value of an element of a map, with their offsets in it.
    pub entry: Option<[(TypeId, u64); 2]>,
    /// Whether there is one element for a key, so that the key names it.
    pub has_unique_keys: bool,
}

impl<'a> Reader<'a> {
    /// The part at an offset of an object, if it is behind a name that only the standard library knows.
    pub fn library_part(&self, ty: usize, offset: u64) -> Option<LibraryPart> {
        let mut members = Vec::new();
        let value = self.descend(ty, offset, &mut members, 0);
        (!members.is_empty()).then_some(LibraryPart { members, value: value.map(TypeId) })
    }

    fn descend(&self, ty: usize, offset: u64, members: &mut Vec<String>, depth: usize) -> Option<usize> {
        match self.shape(ty).filter(|_| depth < DEPTH_MAX)? {
            Shape::Record(record) => {
                let member = self.covering(&record, offset)?;
                if let Some(name) = member.name.as_ref().filter(|_| member.is_reserved() && record.standard) {
                    members.push(name.clone());
                }
                self.descend(member.ty, offset - member.offset, members, depth + 1)
            }
            Shape::Array { element, .. } => {
                let size = self.size_of(element);
                self.descend(element, offset.checked_rem(size)?, members, depth + 1)
            }
            Shape::Number { .. } | Shape::Pointer { .. } => (offset == 0).then_some(ty),
            // Names of the library's own enumerations say nothing to people.
            Shape::Enumeration { .. } | Shape::Unknown => None,
        }
    }

    fn covering<'r>(&self, record: &'r Record, offset: u64) -> Option<&'r Member> {
        let covers = |member: &&Member| {
            let inner = offset.checked_sub(member.offset);
            member.bits.is_none()
                && inner.is_some_and(|inner| inner < self.size_of(member.ty))
                && !self.holds_nothing(member.ty)
        };
        // A derived class may use the padding at the end of its base: its own members come first.
        let mut named = record.members.iter().filter(|member| member.name.is_some());
        named.find(covers).or_else(|| record.members.iter().find(covers))
    }

    /// The containers in an object of a type.
    pub fn containers(&self, ty: usize, bytes: u64) -> Vec<Container> {
        let mut containers = Vec::new();
        self.visit_parts(ty, bytes, |part| {
            let Some(kind) = self.container_kind(part.ty.0) else { return containers.len() < CONTAINERS_MAX };
            if !part.is_reserved
                && let Some(container) = self.container(part.ty.0, kind)
            {
                let [anchor, second] = [Some(container.anchor), container.second_anchor]
                    .map(|anchor| anchor.map(|anchor| anchor.saturating_add(part.offset)));
                let path = part.path.to_owned();
                containers.push(Container { path, anchor: anchor.unwrap_or(0), second_anchor: second, ..container });
            }
            false
        });
        containers
    }

    fn container_kind(&self, ty: usize) -> Option<ContainerKind> {
        let entry = self.plain_type(ty)?;
        let name = entry.name(self)?;
        let kind = match name.split('<').next()? {
            "list" => ContainerKind::List,
            "forward_list" => ContainerKind::ForwardList,
            "deque" => ContainerKind::Deque,
            "map" | "set" | "multimap" | "multiset" => ContainerKind::Tree,
            "unordered_map" | "unordered_set" | "unordered_multimap" | "unordered_multiset" => ContainerKind::HashTable,
            _ => return None,
        };
        self.is_standard(entry.index, entry.offset).then_some(kind)
    }

    /// What is known of a container's type; none where the library is not the one that is known.
    fn container(&self, ty: usize, kind: ContainerKind) -> Option<Container> {
        // Where elements are found, and how many bytes of links nodes begin with.
        let (anchor, links): (_, u64) = match kind {
            ContainerKind::List => ("_M_node", 16),
            ContainerKind::ForwardList => ("_M_head", 8),
            ContainerKind::Deque => ("_M_start", 0),
            ContainerKind::Tree => ("_M_header", 32),
            ContainerKind::HashTable => ("_M_before_begin", 8),
        };
        let second_anchor = match kind {
            ContainerKind::Deque => Some(self.member_named(ty, "_M_finish", 0)?.1),
            ContainerKind::HashTable => Some(self.member_named(ty, "_M_buckets", 0)?.1),
            _ => None,
        };
        let (_, anchor) = self.member_named(ty, anchor, 0)?;
        let element = match kind {
            ContainerKind::Tree => self.template_argument(self.member_named(ty, "_M_t", 0)?.0, "_Val")?,
            ContainerKind::HashTable => self.template_argument(self.member_named(ty, "_M_h", 0)?.0, "_Value")?,
            _ => self.template_argument(ty, "_Tp")?,
        };
        let element_bytes = self.size_of(element);
        // An element whose alignment is not known may lie anywhere in its node.
        let element_offset = links.checked_next_multiple_of(self.alignment(element, 0)?)?;
        let name = self.plain_type(ty)?.name(self)?;
        let class = name.split('<').next()?;
        let entry = if class.ends_with("map") { Some(self.entry_of_map(element)?) } else { None };
        let has_unique_keys = !class.contains("multi");
        let (path, element) = (String::new(), TypeId(element));
        (element_bytes > 0).then_some(Container {
            path,
            kind,
            anchor,
            second_anchor,
            element,
            element_bytes,
            element_offset,
            entry,
            has_unique_keys,
        })
    }

    fn entry_of_map(&self, pair: usize) -> Option<[(TypeId, u64); 2]> {
        let Some(Shape::Record(record)) = self.shape(pair) else { return None };
        let member = |name: &str| record.members.iter().find(|member| member.name.as_deref() == Some(name));
        let [first, second] = [member("first")?, member("second")?];
        Some([(TypeId(first.ty), first.offset), (TypeId(second.ty), second.offset)])
    }

    /// The member of a name in a record or in the members and bases of it, with its offset in the whole.
    pub fn member_named(&self, ty: usize, name: &str, depth: usize) -> Option<(usize, u64)> {
        let Some(Shape::Record(record)) = self.shape(ty).filter(|_| depth < DEPTH_MAX) else { return None };
        let own = record.members.iter().find(|member| member.name.as_deref() == Some(name) && member.bits.is_none());
        own.map(|member| (member.ty, member.offset)).or_else(|| {
            record.members.iter().find_map(|member| {
                let (found, offset) = self.member_named(member.ty, name, depth + 1)?;
                Some((found, offset.checked_add(member.offset)?))
            })
        })
    }

    fn template_argument(&self, ty: usize, name: &str) -> Option<usize> {
        let entry = self.plain_type(ty)?;
        let children = self.children(&entry);
        let mut arguments = children.iter().filter(|child| child.tag() == gimli::DW_TAG_template_type_parameter);
        let argument = arguments.find(|child| child.name(self).as_deref() == Some(name))?;
        argument.reference(self, gimli::DW_AT_type)
    }

    /// What the address of an object of a type is a multiple of, by the rules of the machine. What is hidden in an
    /// object, like the pointer to its virtual functions, has no part in it: it needs eight bytes at most, as links do.
    fn alignment(&self, ty: usize, depth: usize) -> Option<u64> {
        let entry = self.plain_type(ty)?;
        let declared = entry.number(gimli::DW_AT_alignment).unwrap_or(1);
        let natural = match self.shape(ty).filter(|_| depth < DEPTH_MAX)? {
            Shape::Number { size, .. } | Shape::Pointer { size } | Shape::Enumeration { size, .. } => size,
            Shape::Array { element, .. } => self.alignment(element, depth + 1)?,
            Shape::Record(record) => {
                let mut widest = 1;
                for member in &record.members {
                    widest = widest.max(self.alignment(member.ty, depth + 1)?);
                }
                widest
            }
            Shape::Unknown => return None,
        };
        let alignment = natural.max(declared);
        (alignment.is_power_of_two() && alignment <= 64).then_some(alignment)
    }
}
