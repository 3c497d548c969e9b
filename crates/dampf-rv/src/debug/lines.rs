//! The line table of a unit: which source line an instruction belongs to.

use gimli::{AttributeValue, ColumnType, LineProgramHeader};

use super::reader::Reader;
use super::units::{Slice, Unit};

/// How many rows are kept of one unit: a short program can describe a very long table.
const ROWS_MAX: usize = 4_000_000;
/// Marks an address after which no line is known.
const NO_FILE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Row {
    address: u64,
    file: u32,
    line: u32,
    column: u32,
}

/// A place in the source. Lines and columns count from 1; 0 is unknown.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Default)]
pub(super) struct LineTable {
    /// Sorted by address; of several rows for one address the last one counts.
    rows: Vec<Row>,
    files: Vec<String>,
}

impl LineTable {
    pub fn read<'a>(reader: &Reader<'a>, unit: &Unit<'a>) -> Option<LineTable> {
        let root = unit.entry(unit.root_offset()).ok()?;
        let AttributeValue::DebugLineRef(offset) = root.attr_value(gimli::DW_AT_stmt_list)? else { return None };
        let line_section = &reader.dwarf.debug_line;
        let program = line_section.program(offset, unit.address_size(), unit.comp_dir, unit.name).ok()?;
        let files = file_names(reader, unit, program.header());
        let mut rows: Vec<Row> = Vec::new();
        let mut sequence: Vec<Row> = Vec::new();
        let mut machine = program.rows();
        // A broken instruction ends the table: what came before is still good.
        while let Ok(Some((_, row))) = machine.next_row() {
            let column = match row.column() {
                ColumnType::LeftEdge => 0,
                ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
            };
            let line = row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
            let file = if row.end_sequence() { NO_FILE } else { u32::try_from(row.file_index()).unwrap_or(NO_FILE) };
            sequence.push(Row { address: row.address(), file, line, column });
            if row.end_sequence() {
                let (start, end) = (sequence[0].address, row.address());
                // The linker leaves sequences of code it threw away, at addresses where there is none.
                if reader.units.code.iter().any(|code| code.contains(&start)) {
                    sequence.retain(|row| row.address < end || row.file == NO_FILE);
                    rows.append(&mut sequence);
                }
                sequence.clear();
            }
            if rows.len() + sequence.len() > ROWS_MAX {
                break;
            }
        }
        // Stable, for the order of rows within a sequence counts; and the end of one sequence must not hide the
        // beginning of another at the same address.
        rows.sort_by_key(|row| (row.address, row.file != NO_FILE));
        Some(LineTable { rows, files })
    }

    pub fn find(&self, pc: u64) -> Option<Place> {
        let after = self.rows.partition_point(|row| row.address <= pc);
        let row = self.rows[after.checked_sub(1)?];
        (row.file != NO_FILE).then_some(Place { file: row.file, line: row.line, column: row.column })
    }

    /// The addresses at which another line begins.
    pub fn starts(&self) -> impl Iterator<Item = u64> {
        let known = |row: &Row| row.file != NO_FILE && row.line != 0;
        let first = self.rows.first().filter(|row| known(row)).map(|row| row.address);
        let changes = self.rows.windows(2).filter_map(move |pair| {
            let differs = (pair[0].file, pair[0].line) != (pair[1].file, pair[1].line);
            (known(&pair[1]) && differs).then_some(pair[1].address)
        });
        first.into_iter().chain(changes)
    }

    /// The name of a file by its number in the unit.
    pub fn file(&self, number: u64) -> String {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        self.files.get(index).cloned().unwrap_or_default()
    }
}

/// The names of a unit's files by number, short for people.
fn file_names<'a>(reader: &Reader<'a>, unit: &Unit<'a>, header: &LineProgramHeader<Slice<'a>>) -> Vec<String> {
    let directory = unit.comp_dir.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    let text = |value| reader.text(unit, value).unwrap_or_default();
    // Up to version 4, files count from 1 and number 0 is the unit itself.
    let count = header.file_names().len() as u64 + u64::from(header.version() < 5);
    let name = |number: u64| {
        let Some(file) = header.file(number) else {
            return unit.name.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
        };
        let parent = file.directory(header).map(text).unwrap_or_default();
        join(&join(&directory, &parent), &text(file.path_name()))
    };
    (0..count).map(|number| shorten(&name(number), &directory)).collect()
}

fn join(directory: &str, path: &str) -> String {
    match (directory, path) {
        (_, path) if path.starts_with('/') => path.to_owned(),
        ("", path) => path.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, path) => format!("{directory}/{path}"),
    }
}

/// A path without detours, relative to the directory of the compiler where it lies below.
fn shorten(path: &str, directory: &str) -> String {
    let path = without_detours(path);
    let directory = without_detours(directory);
    let below = path.strip_prefix(&directory).and_then(|rest| rest.strip_prefix('/'));
    match below {
        Some(rest) if !directory.is_empty() && !rest.is_empty() => rest.to_owned(),
        _ => path,
    }
}

fn without_detours(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}
