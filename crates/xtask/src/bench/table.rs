//! Tables that are printed line by line, while the next line is being measured.

/// The columns of a table, with their widths. The first is aligned to the left.
pub struct Table {
    widths: Vec<usize>,
}

impl Table {
    /// Prints a title and the heading.
    pub fn new(title: &str, columns: &[(&str, usize)]) -> Table {
        let table = Table { widths: columns.iter().map(|(name, width)| name.chars().count().max(*width)).collect() };
        println!("\n{title}\n");
        table.row(&columns.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
        table
    }

    pub fn row(&self, cells: &[String]) {
        println!("{}", self.line(cells));
    }

    fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (column, (cell, &width)) in cells.iter().zip(&self.widths).enumerate() {
            line += &if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
        }
        line.trim_end().to_owned()
    }
}

/// Where nothing is to be divided by, a dash.
pub fn fraction(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { "-".to_owned() }
}

pub fn percent(part: u64, whole: u64) -> String {
    fraction(100.0 * part as f64 / whole as f64, 1)
}

pub fn megabytes(bytes: u64) -> String {
    fraction(bytes as f64 / 1e6, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let table = Table { widths: vec![5, 7] };
        assert_eq!(table.line(&["a".to_owned(), "1,234".to_owned()]), "a        1,234");
        assert_eq!(table.line(&["long".to_owned(), "-".to_owned()]), "long         -");
    }

    #[test]
    fn a_part_of_nothing_is_a_dash() {
        assert_eq!(percent(1, 4), "25.0");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(megabytes(2_500_000), "2.5");
    }
}
