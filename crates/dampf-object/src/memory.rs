//! Memory as operations see it that need not ask whether the running thread may: the image's constant part and the
//! regions of the state.

use crate::access::lines;
use crate::layout::{Region, is_return_place};
use crate::space::Space;
use crate::system::System;
use dampf_rv::memory::Line;
use std::cell::RefCell;

pub struct Memory<'m> {
    system: &'m System,
    pub space: Space<'m>,
    /// Reads may reach beyond the end of an object.
    pub lenient: bool,
    /// What is read and written, while somebody asks for a footprint. Then no access goes the fast way.
    recorder: Option<Box<RefCell<Recorder>>>,
}

/// Stretches of memory that were accessed: their addresses and lengths.
#[derive(Default)]
pub struct Recorder {
    pub reads: Vec<(u64, u64)>,
    pub writes: Vec<(u64, u64)>,
}

impl<'m> Memory<'m> {
    pub fn new(system: &'m System) -> Memory<'m> {
        let regions = Region::count(system.sharing.slots());
        let space = Space::new(&system.lines, system.program.globals.start, regions);
        Memory { system, space, lenient: false, recorder: None }
    }

    /// Whether the bytes of a region are watched: whether they have been written.
    pub fn is_watched(&self, region: Option<Region>) -> bool {
        self.system.options.uninitialised
            && matches!(region, Some(Region::Shared(_) | Region::Private(_) | Region::Stack(_)))
    }

    fn slots(&self) -> usize {
        self.system.sharing.slots()
    }

    /// Records what is accessed from now on.
    pub fn record(&mut self) {
        self.recorder = Some(Box::default());
        self.forget_translations();
    }

    /// What was accessed since [`record`](Self::record).
    pub fn recorded(&mut self) -> Recorder {
        self.recorder.take().map(|recorder| recorder.into_inner()).unwrap_or_default()
    }

    #[inline]
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Records that what lies at an address is read, though not by way of [`peek`](Self::peek).
    #[inline]
    pub fn note_read(&self, address: u64, bytes: u64) {
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().reads.push((address, bytes));
        }
    }

    /// Records that what lies at an address is written, or that something changes of which it is the name.
    #[inline]
    pub fn note_write(&self, address: u64, bytes: u64) {
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().writes.push((address, bytes));
        }
    }

    /// Forgets what may be accessed without asking: another thread runs, or something has changed that decides about
    /// it.
    pub fn forget_translations(&mut self) {
        self.space.forget();
    }

    /// Reads bytes without asking whether the running thread may.
    pub fn peek(&self, address: u64, out: &mut [u8]) -> bool {
        self.note_read(address, out.len() as u64);
        let program = &self.system.program;
        let mut at = address;
        let mut rest = out;
        while !rest.is_empty() {
            let line = match program.line(at) {
                Some(_) if program.globals.contains(&at) => self.space.line(Region::Globals, at),
                Some((line, _)) => line,
                None => match Region::of(at, self.slots()) {
                    Some(region) => self.space.line(region, at),
                    None if is_return_place(at) => &Line::ZERO,
                    None => return false,
                },
            };
            let offset = (at % 64) as usize;
            let count = rest.len().min(64 - offset);
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&line.bytes()[offset..offset + count]);
            rest = later;
            at = at.wrapping_add(count as u64);
        }
        true
    }

    /// Reads a word without asking; 0 where there is no memory.
    pub fn peek_word(&self, address: u64) -> u32 {
        let mut bytes = [0; 4];
        self.peek(address, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Looks at an aligned word for ourselves, which is no access of the program's; none where there is no memory.
    pub fn look_at_word(&self, address: u64) -> Option<u32> {
        let program = &self.system.program;
        let line = match program.line(address) {
            Some(_) if program.globals.contains(&address) => self.space.line(Region::Globals, address),
            Some(_) => return None,
            None => self.space.line(Region::of(address, self.slots())?, address),
        };
        let bytes = line.bytes().get((address % 64) as usize..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    pub fn peek_long(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.peek(address, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Reads up to eight bytes without asking.
    pub fn peek_value(&self, address: u64, bytes: usize) -> u64 {
        let mut value = [0; 8];
        self.peek(address, &mut value[..bytes]);
        u64::from_le_bytes(value)
    }

    /// A string of the program, cut where it becomes absurd.
    pub fn peek_string(&self, address: u64) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        while text.len() < 400 && self.peek(address + text.len() as u64, &mut byte) && byte[0] != 0 {
            text.push(byte[0]);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Writes bytes without asking; nothing where there is no writable memory.
    pub fn poke(&mut self, address: u64, bytes: &[u8]) {
        self.note_write(address, bytes.len() as u64);
        let mut at = address;
        let mut rest = bytes;
        while !rest.is_empty() {
            let offset = (at % 64) as usize;
            let (now, later) = rest.split_at(rest.len().min(64 - offset));
            let program = &self.system.program;
            let region = match program.line(at) {
                Some(_) => program.globals.contains(&at).then_some(Region::Globals),
                None => Region::of(at, self.slots()),
            };
            if let Some(region) = region {
                self.space.line_mut(region, at).bytes_mut()[offset..offset + now.len()].copy_from_slice(now);
                if self.is_watched(Some(region)) {
                    let (_, mask) = lines(at, now.len() as u64).next().expect("there is a byte");
                    self.set_initialised(region, at, mask, 0);
                }
            }
            rest = later;
            at = at.wrapping_add(now.len() as u64);
        }
    }

    pub fn poke_word(&mut self, address: u64, value: u32) {
        self.poke(address, &value.to_le_bytes());
    }

    pub fn poke_long(&mut self, address: u64, value: u64) {
        self.poke(address, &value.to_le_bytes());
    }
}
