//! Elements of containers of the standard library, by name: `prices["pear"]`, `element 2 of items`.
//!
//! The nodes of a container are found by its links, as the library finds them: how libstdc++ places them is known. An
//! element of a map is named by its key, one of a list by its position, counted from 0. Containers may be looked at in
//! the middle of a change, or be damaged: a walk goes through live blocks only, ends where links contradict each other
//! and after a number of elements, and what it does not reach has no name here.

use crate::layout::Region;
use crate::machine::Machine;
use crate::places::NamedPlace;
use crate::pointed::{Known, Wanted};
use dampf_rv::debug::{Container, ContainerKind, TypeId};
use std::collections::HashSet;
use std::ops::Range;

/// Elements of one container that are looked at.
const ELEMENTS_MAX: usize = 256;
const OBJECT_BYTES_MAX: u64 = 1 << 16;
/// Bytes of a text that is a key, and of those the ones that are told.
const KEY_BYTES_MAX: u64 = 1 << 12;
const TOLD_KEY_BYTES_MAX: u64 = 40;
const POINTER_BYTES: u64 = 8;
/// The links of a node of a tree.
const PARENT: u64 = 8;
const LEFT: u64 = 16;
const RIGHT: u64 = 24;
/// The parts of an iterator of a deque: the element, the bounds of its block, and where the pointer to the block is.
const CURRENT: u64 = 0;
const FIRST: u64 = 8;
const PLACE: u64 = 24;
/// Bytes of a block of a deque whose elements are smaller.
const DEQUE_BLOCK_BYTES: u64 = 512;

/// An element of a container.
struct Element {
    name: String,
    /// Where its links are: before the element.
    links: Range<u64>,
    /// What it is made of, with names: a key and a value, or itself.
    objects: Vec<(String, TypeId, u64)>,
}

impl Machine<'_> {
    /// The name of an address, if it is that of an element of a container in an object.
    pub fn element_place(&self, known: &Known, address: u64, wanted: Wanted) -> Option<NamedPlace> {
        self.containers_of(known).iter().find_map(|(name, container)| {
            let elements = self.elements(name, container, known.address);
            elements.iter().find_map(|element| self.place_in_element(element, address, wanted)).or_else(|| {
                let table = self.place_in_table(container, known.address, address)?;
                Some(NamedPlace { name: format!("{table} of {name}"), value: None })
            })
        })
    }

    /// The objects that the elements of the containers in an object are made of.
    pub fn objects_in_containers(&self, known: &Known) -> Vec<Known> {
        let debug = &self.system.program.debug;
        let mut objects = Vec::new();
        for (name, container) in self.containers_of(known) {
            for element in self.elements(&name, &container, known.address) {
                objects.extend(element.objects.into_iter().map(|(name, ty, address)| {
                    let bytes = debug.size_of(ty);
                    Known { name, ty, address, bytes, held: None, is_kept: false }
                }));
            }
        }
        objects
    }

    fn containers_of(&self, known: &Known) -> Vec<(String, Container)> {
        if known.held.is_some() || known.is_kept {
            return Vec::new();
        }
        let containers = self.system.program.debug.containers(known.ty, known.bytes.min(OBJECT_BYTES_MAX));
        let named = |container: &Container| (crate::places::joined(&known.name, &container.path), container.clone());
        containers.iter().map(named).collect()
    }

    fn place_in_element(&self, element: &Element, address: u64, wanted: Wanted) -> Option<NamedPlace> {
        let debug = &self.system.program.debug;
        let is_links = element.links.contains(&address);
        let object = element.objects.iter().find(|&&(_, ty, start)| {
            let offset = address.checked_sub(start);
            offset.is_some_and(|offset| offset < debug.size_of(ty))
        });
        match object {
            _ if wanted != Wanted::Part && (is_links || object.is_some()) => {
                Some(NamedPlace { name: element.name.clone(), value: None })
            }
            Some((name, ty, start)) => Some(self.part_of(name, *ty, address - start)),
            None => is_links.then(|| NamedPlace { name: format!("the links of {}", element.name), value: None }),
        }
    }

    /// The elements of a container in an object at an address.
    fn elements(&self, name: &str, container: &Container, base: u64) -> Vec<Element> {
        let anchor = base.wrapping_add(container.anchor);
        let nodes = match container.kind {
            ContainerKind::List => self.list_nodes(container, anchor),
            ContainerKind::ForwardList | ContainerKind::HashTable => self.chained_nodes(container, anchor),
            ContainerKind::Tree => self.tree_nodes(container, anchor),
            ContainerKind::Deque => self.deque_elements(container, anchor, base),
        };
        nodes.into_iter().enumerate().map(|(number, node)| self.element(name, container, number, node)).collect()
    }

    fn element(&self, container_name: &str, container: &Container, number: usize, node: u64) -> Element {
        let address = node + container.element_offset;
        let links = node..address;
        let is_keyed = matches!(container.kind, ContainerKind::Tree | ContainerKind::HashTable);
        let key = match container.entry {
            _ if !is_keyed || !container.has_unique_keys => None,
            Some([(ty, offset), _]) => self.key_text(ty, address + offset),
            None => self.key_text(container.element, address),
        };
        match (key, container.entry) {
            (Some(key), Some([(key_type, key_offset), (value_type, value_offset)])) => {
                let name = format!("{container_name}[{key}]");
                let told_key = (format!("the key {key} of {container_name}"), key_type, address + key_offset);
                let objects = vec![told_key, (name.clone(), value_type, address + value_offset)];
                Element { name, links, objects }
            }
            (Some(key), None) => {
                let name = format!("the key {key} of {container_name}");
                Element { objects: vec![(name.clone(), container.element, address)], name, links }
            }
            (None, _) => {
                let name = match container.kind {
                    ContainerKind::Deque => format!("{container_name}[{number}]"),
                    _ => format!("element {number} of {container_name}"),
                };
                Element { objects: vec![(name.clone(), container.element, address)], name, links }
            }
        }
    }

    /// The text of a key; none if it is made of what has no text.
    fn key_text(&self, ty: TypeId, address: u64) -> Option<String> {
        let debug = &self.system.program.debug;
        let class = debug.type_name(ty);
        let (text, length) = match class.strip_prefix("const ").unwrap_or(&class) {
            class if class.contains("basic_string<char,") => ("_M_p", "_M_string_length"),
            class if class.contains("basic_string_view<char,") => ("_M_str", "_M_len"),
            _ => {
                let mut bytes = vec![0; debug.size_of(ty).min(OBJECT_BYTES_MAX) as usize];
                let is_read = self.memory.peek(address, &mut bytes);
                let text = debug.render(ty, &bytes);
                return (is_read && !text.contains(['?', '…']) && !text.contains("...")).then_some(text);
            }
        };
        let field = |name: &str| Some(self.memory.peek_long(address + debug.member_named(ty, name)?.1));
        let (text, length) = (field(text)?, field(length).filter(|&length| length <= KEY_BYTES_MAX)?);
        let mut bytes = vec![0; length.min(TOLD_KEY_BYTES_MAX) as usize];
        self.memory.peek(text, &mut bytes).then(|| {
            let more = if length > TOLD_KEY_BYTES_MAX { "…" } else { "" };
            format!("{:?}{more}", String::from_utf8_lossy(&bytes))
        })
    }

    /// Whether there is a node of a container at an address: in a block that is in use.
    fn is_node(&self, container: &Container, node: u64) -> bool {
        let bytes = container.element_offset + container.element_bytes;
        self.live_block(node).is_some_and(|block| bytes <= block.end - node)
    }

    /// The block in use that an address lies in.
    fn live_block(&self, address: u64) -> Option<Range<u64>> {
        let region = Region::of(address, self.slots())?;
        let (Region::Shared(slot) | Region::Private(slot)) = region else { return None };
        let arenas = self.heap.peek_arenas(slot);
        let arena = if matches!(region, Region::Shared(_)) { &arenas.shared } else { &arenas.private };
        let (base, offset) = (region.base(0), (address - region.base(0)) as u32);
        let block = arena.block_at(offset).filter(|block| block.contains(offset))?;
        Some(base + u64::from(block.offset)..base + u64::from(block.end()))
    }

    /// The nodes of a list, as far as the links back agree.
    fn list_nodes(&self, container: &Container, head: u64) -> Vec<u64> {
        let mut nodes = Vec::new();
        let (mut before, mut node) = (head, self.memory.peek_long(head));
        while node != head && nodes.len() < ELEMENTS_MAX && self.is_node(container, node) {
            if self.memory.peek_long(node + POINTER_BYTES) != before {
                break;
            }
            nodes.push(node);
            (before, node) = (node, self.memory.peek_long(node));
        }
        nodes
    }

    /// The nodes of a chain whose links lead one way.
    fn chained_nodes(&self, container: &Container, head: u64) -> Vec<u64> {
        let mut seen = HashSet::new();
        let mut nodes = Vec::new();
        let mut node = self.memory.peek_long(head);
        while node != 0 && nodes.len() < ELEMENTS_MAX && self.is_node(container, node) && seen.insert(node) {
            nodes.push(node);
            node = self.memory.peek_long(node);
        }
        nodes
    }

    /// The nodes of a tree in the order of their keys; none if the links to parents do not agree.
    fn tree_nodes(&self, container: &Container, head: u64) -> Vec<u64> {
        let link = |node: u64, which: u64| self.memory.peek_long(node + which);
        let (mut open, mut nodes) = (Vec::new(), Vec::new());
        let (mut parent, mut node) = (head, link(head, PARENT));
        loop {
            while node != 0 {
                let is_bounded = open.len() + nodes.len() < ELEMENTS_MAX;
                if !is_bounded || !self.is_node(container, node) || link(node, PARENT) != parent {
                    return Vec::new();
                }
                open.push(node);
                (parent, node) = (node, link(node, LEFT));
            }
            let Some(next) = open.pop() else { return nodes };
            nodes.push(next);
            (parent, node) = (next, link(next, RIGHT));
        }
    }

    /// The elements of a deque; none if its iterators contradict each other.
    fn deque_elements(&self, container: &Container, start: u64, base: u64) -> Vec<u64> {
        let finish = base.wrapping_add(container.second_anchor.unwrap_or(0));
        let long = |address: u64| self.memory.peek_long(address);
        let bytes = container.element_bytes;
        let block_bytes = if bytes < DEQUE_BLOCK_BYTES { DEQUE_BLOCK_BYTES / bytes * bytes } else { bytes };
        let (mut place, last_place) = (long(start + PLACE), long(finish + PLACE));
        let (mut element, end) = (long(start + CURRENT), long(finish + CURRENT));
        let mut block = long(start + FIRST);
        let mut elements = Vec::new();
        while place <= last_place && elements.len() < ELEMENTS_MAX && long(place) == block {
            let stop = if place == last_place { end } else { block.saturating_add(block_bytes) };
            let is_within = block <= element && element <= stop && stop <= block.saturating_add(block_bytes);
            if !is_within || self.live_block(block).is_none_or(|live| live.end - block < block_bytes) {
                return Vec::new();
            }
            elements.extend((element..stop).step_by(bytes as usize));
            place += POINTER_BYTES;
            block = long(place);
            element = block;
        }
        elements
    }

    /// What is at an address in the table by which a hash table or a deque finds its elements.
    fn place_in_table(&self, container: &Container, base: u64, address: u64) -> Option<String> {
        let anchor = base.wrapping_add(container.second_anchor?);
        match container.kind {
            ContainerKind::HashTable => {
                let (table, count) = (self.memory.peek_long(anchor), self.memory.peek_long(anchor + POINTER_BYTES));
                let bucket = address.checked_sub(table)? / POINTER_BYTES;
                let is_there = self.live_block(table)?.contains(&address) && bucket < count;
                is_there.then(|| format!("bucket {bucket}"))
            }
            ContainerKind::Deque => {
                let table = self.live_block(self.memory.peek_long(anchor + PLACE))?;
                table.contains(&address).then(|| "a pointer to a block".to_owned())
            }
            ContainerKind::List | ContainerKind::ForwardList | ContainerKind::Tree => None,
        }
    }
}
