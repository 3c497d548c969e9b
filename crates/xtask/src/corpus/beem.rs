//! The BEEM models, with counts that other checkers found.

use super::case::{Case, Expected};
use crate::Failure;
use std::path::Path;

/// The instances in the order of the table.
pub fn cases(folder: &Path) -> Result<Vec<Case>, Failure> {
    let path = folder.join("counts.tsv");
    let table = std::fs::read_to_string(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let mut cases = Vec::new();
    for (name, expected) in rows(&table).map_err(|line| format!("{}:{line}: not a row of counts", path.display()))? {
        let model = folder.join(format!("{name}.dve"));
        cases.push(Case { name, model, arguments: Vec::new(), expected });
    }
    Ok(cases)
}

/// The rows below the heading, or the number of a line that is none. Columns: instance, states, complete,
/// transitions, levels; where a space was not explored completely, its counts are left out.
fn rows(table: &str) -> Result<Vec<(String, Expected)>, usize> {
    let mut rows = Vec::new();
    for (index, line) in table.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, states, complete, transitions, levels] = columns[..] else { return Err(index + 1) };
        let count = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| index + 1),
        };
        let known =
            Expected { states: count(states)?, transitions: count(transitions)?, levels: count(levels)?, answer: None };
        rows.push((name.to_owned(), if complete == "yes" { known } else { Expected::default() }));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "instance\tstates\tcomplete\ttransitions\tbfs_levels\n";

    #[test]
    fn rows_are_read_with_what_they_leave_out() {
        let table = format!("{HEADING}a.1\t10\tyes\t20\t5\na.2\t1000\tyes\t\t\na.3\t99\tno\t\t\n");
        let rows = rows(&table).expect("good rows");
        let full = Expected { states: Some(10), transitions: Some(20), levels: Some(5), answer: None };
        assert_eq!(rows[0], ("a.1".to_owned(), full));
        assert_eq!(rows[1].1, Expected { states: Some(1000), ..Expected::default() });
        assert_eq!(rows[2].1, Expected::default());
    }

    #[test]
    fn bad_rows_are_named() {
        assert_eq!(rows(&format!("{HEADING}a.1\t10\tyes\t20\t5\na.2\tmany\tyes\t\t\n")), Err(3));
        assert_eq!(rows(&format!("{HEADING}a.1 10\n")), Err(2));
    }
}
