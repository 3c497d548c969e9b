//! Sliding-tile puzzles with known solutions: what searches by an estimate are measured with.
//!
//! A board of some rows and columns has a tile or nothing (0) in each cell, and is in order when every tile is in the
//! cell of its number. The reference finds a shortest solution with nothing but a path (IDA*, Korf 1985), goes by the
//! Manhattan distance, and knows no more of searches than that.

use crate::random::Random;

/// A board, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    pub columns: usize,
    pub tiles: Vec<u8>,
}

impl Board {
    pub fn in_order(rows: usize, columns: usize) -> Board {
        Board { columns, tiles: (0..(rows * columns) as u8).collect() }
    }

    /// A board that so many random moves make of one in order, none of which takes back the one before.
    pub fn scrambled(rows: usize, columns: usize, moves: usize, seed: u64) -> Board {
        let mut board = Board::in_order(rows, columns);
        let mut random = Random::new(seed);
        let mut before = None;
        for _ in 0..moves {
            let empty = board.empty();
            let cells: Vec<usize> = board.beside(empty).filter(|cell| Some(*cell) != before).collect();
            let cell = cells[random.below(cells.len() as u64) as usize];
            before = Some(empty);
            board.tiles.swap(empty, cell);
        }
        board
    }

    fn empty(&self) -> usize {
        self.tiles.iter().position(|tile| *tile == 0).expect("one cell is empty")
    }

    /// The cells beside one, in the order up, down, left, right.
    fn beside(&self, cell: usize) -> impl Iterator<Item = usize> + use<> {
        let (columns, cells) = (self.columns, self.tiles.len());
        let up = (cell >= columns).then(|| cell - columns);
        let down = (cell + columns < cells).then(|| cell + columns);
        let left = (!cell.is_multiple_of(columns)).then(|| cell - 1);
        let right = (cell % columns + 1 < columns).then(|| cell + 1);
        [up, down, left, right].into_iter().flatten()
    }

    /// By how many rows and columns a tile in a cell is away from its own.
    fn away(&self, tile: u8, cell: usize) -> u32 {
        let (tile, columns) = (usize::from(tile), self.columns);
        let apart = |one: usize, other: usize| one.abs_diff(other) as u32;
        if tile == 0 { 0 } else { apart(tile / columns, cell / columns) + apart(tile % columns, cell % columns) }
    }

    /// The Manhattan distance.
    pub fn distance(&self) -> u32 {
        self.tiles.iter().enumerate().map(|(cell, tile)| self.away(*tile, cell)).sum()
    }

    /// The moves of a shortest solution.
    ///
    /// # Panics
    /// Does not end if there is none: only for boards that were scrambled.
    pub fn moves(&self) -> u32 {
        let mut board = self.clone();
        let (empty, distance) = (board.empty(), board.distance());
        let mut bound = distance;
        loop {
            match board.within((empty, None), distance, bound) {
                Ok(moves) => return moves,
                Err(least) => bound = least,
            }
        }
    }

    /// The moves of a solution of at most so many; otherwise the least sum that was too much.
    fn within(&mut self, (empty, before): (usize, Option<usize>), distance: u32, left: u32) -> Result<u32, u32> {
        if distance > left {
            return Err(distance);
        }
        if distance == 0 {
            return Ok(0);
        }
        let mut least = u32::MAX;
        for cell in self.beside(empty).filter(|cell| Some(*cell) != before) {
            let tile = self.tiles[cell];
            let moved = distance - self.away(tile, cell) + self.away(tile, empty);
            self.tiles.swap(empty, cell);
            let solved = self.within((cell, Some(empty)), moved, left - 1);
            self.tiles.swap(empty, cell);
            match solved {
                Ok(moves) => return Ok(moves + 1),
                Err(beyond) => least = least.min(beyond.saturating_add(1)),
            }
        }
        Err(least)
    }

    /// The tiles as C and the command line write them.
    pub fn listed(&self) -> String {
        let tiles: Vec<String> = self.tiles.iter().map(u8::to_string).collect();
        tiles.join(",")
    }

    /// The puzzle as a model in DVE.
    pub fn dve(&self) -> String {
        let (cells, columns, empty) = (self.tiles.len(), self.columns, self.empty());
        let shift = |guard: String, to: String| {
            format!(
                "    playing -> playing {{ guard {guard}; effect tile[empty] = tile[{to}], empty = {to}, tile[empty] = 0; }}"
            )
        };
        let shifts = [
            shift(format!("empty >= {columns}"), format!("empty - {columns}")),
            shift(format!("empty < {}", cells - columns), format!("empty + {columns}")),
            shift(format!("empty % {columns} > 0"), "empty - 1".to_owned()),
            shift(format!("empty % {columns} < {}", columns - 1), "empty + 1".to_owned()),
        ];
        format!(
            "byte tile[{cells}] = {{{}}};\nbyte empty = {empty};\n\nprocess Player {{\n  state playing;\n  init playing;\n  \
             trans\n{};\n}}\n\nsystem async;\n",
            self.listed(),
            shifts.join(",\n")
        )
    }

    /// What makes a board one in order, in an expression.
    pub fn goal(&self) -> String {
        let cells: Vec<String> = (0..self.tiles.len()).map(|cell| format!("tile[{cell}] == {cell}")).collect();
        cells.join(" && ")
    }

    /// The Manhattan distance in an expression of languages that have no function for it.
    pub fn distance_expression(&self) -> String {
        let apart = |value: String, wanted: usize| {
            format!("({value} > {wanted}) * ({value} - {wanted}) + ({value} < {wanted}) * ({wanted} - {value})")
        };
        let columns = self.columns;
        let cell = |cell: usize| {
            let row = apart(format!("tile[{cell}] / {columns}"), cell / columns);
            let column = apart(format!("tile[{cell}] % {columns}"), cell % columns);
            format!("(tile[{cell}] > 0) * ({row} + {column})")
        };
        (0..self.tiles.len()).map(cell).collect::<Vec<_>>().join(" + ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn solutions_are_as_short_as_a_breadth_first_search_finds_them() {
        let mut moves: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut level = vec![Board::in_order(2, 3)];
        for distance in 0.. {
            level.retain(|board| !moves.contains_key(&board.tiles));
            if level.is_empty() {
                break;
            }
            let mut further = Vec::new();
            for board in level {
                if moves.insert(board.tiles.clone(), distance).is_some() {
                    continue;
                }
                let empty = board.empty();
                further.extend(board.beside(empty).map(|cell| {
                    let mut next = board.clone();
                    next.tiles.swap(empty, cell);
                    next
                }));
            }
            level = further;
        }
        // Half of the arrangements of six cells, the farthest of which are 21 moves away.
        assert_eq!((moves.len(), moves.values().max()), (360, Some(&21)));
        for (tiles, distance) in moves {
            let board = Board { columns: 3, tiles };
            assert!(board.distance() <= distance);
            assert_eq!(board.moves(), distance, "{board:?}");
        }
    }
}
