//! Curves of measured times or speed-ups: as a table, as rows of JSON, and as a figure.

use super::runs::{Measured, Runs, Way};
use crate::Failure;
use crate::bench::table::{Table, fraction};
use crate::figures::grouped;
use dampf_testkit::plot::{Axis, Figure, Line, Panel, Point};
use serde_json::{Value, json};

/// What is to be measured for one figure.
pub struct Plot {
    pub file: &'static str,
    pub title: &'static str,
    pub subtitle: String,
    pub x: Axis,
    /// `seconds`, or `speed-up`.
    pub y: &'static str,
    /// Titles, and the curves below them.
    pub panels: Vec<(String, Vec<Curve>)>,
}

pub struct Curve {
    pub name: String,
    pub samples: Vec<Sample>,
    /// Something to compare with, measured once.
    pub is_plain: bool,
}

/// One point of a curve: the time of a search, or how many times faster it is than another one.
pub struct Sample {
    pub x: f64,
    pub way: Way,
    pub base: Option<Way>,
}

impl Sample {
    fn value(&self, runs: &Runs) -> Result<(Measured, f64), Failure> {
        let measured = runs.of(&self.way)?;
        let seconds = |measured: &Measured| measured.usage.wall.as_secs_f64();
        let value = match &self.base {
            Some(base) => seconds(&runs.of(base)?) / seconds(&measured),
            None => seconds(&measured),
        };
        Ok((measured, value))
    }
}

pub struct Plotted {
    pub figure: Figure,
    pub rows: Vec<Value>,
}

impl Plot {
    /// Measures everything, prints it as tables, and draws it.
    pub fn measure(&self, runs: &mut Runs) -> Result<Plotted, Failure> {
        let (mut panels, mut rows) = (Vec::new(), Vec::new());
        for (title, curves) in &self.panels {
            let samples = || curves.iter().flat_map(|curve| &curve.samples);
            runs.measure(
                samples().flat_map(|sample| [Some(&sample.way), sample.base.as_ref()]).flatten().cloned().collect(),
            )?;
            let table = Table::new(
                &format!("{}: {title}", self.title),
                &[
                    ("curve", 26),
                    (&self.x.name, 8),
                    ("states", 10),
                    ("depth", 9),
                    ("wall s", 8),
                    ("CPU s", 8),
                    (self.y, 8),
                ],
            );
            let (mut lines, mut most) = (Vec::new(), 0.0_f64);
            for curve in curves {
                let mut points = Vec::new();
                for sample in &curve.samples {
                    let (measured, value) = sample.value(runs)?;
                    most = most.max(value);
                    points.push(Point { x: sample.x, y: value, is_bound: false });
                    table.row(&[
                        curve.name.clone(),
                        fraction(sample.x, 0),
                        grouped(measured.states),
                        grouped(measured.depth),
                        fraction(measured.usage.wall.as_secs_f64(), 3),
                        fraction(measured.usage.cpu.as_secs_f64(), 3),
                        fraction(value, 2),
                    ]);
                    let mut row = sample.way.json(&measured);
                    row["figure"] = json!(self.file.trim_end_matches(".svg"));
                    row["panel"] = json!(title);
                    row["curve"] = json!(curve.name);
                    row["x"] = json!(sample.x);
                    row[self.y] = json!(value);
                    rows.push(row);
                }
                lines.push(Line { name: curve.name.clone(), points, is_plain: curve.is_plain });
            }
            panels.push(Panel { title: title.clone(), x: self.x.clone(), y: Axis::up_to(self.y, most), lines });
        }
        let figure = Figure { title: self.title.to_owned(), subtitle: self.subtitle.clone(), panels, bound: "" };
        Ok(Plotted { figure, rows })
    }
}
