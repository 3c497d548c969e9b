//! The schedule of a run as a Gantt chart: a row for each agent, a box for what it did, grey where it was idle, and a
//! line for each phase of planning.

use super::report::label;
use dampf_core::Word;
use dampf_plan::{AgentSchedule, BusyInterval, Run};
use std::io::{self, Write};

const ROW: f64 = 26.0;
const BAR: f64 = 18.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 44.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 20.0;
/// The width of what happens, whatever it takes.
const CHART: f64 = 1000.0;
/// About so many marks on the axis of time.
const MARKS: u64 = 10;
/// What a character of a label takes.
const CHARACTER: f64 = 6.5;

pub fn write(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    let chart = Chart { steps: run.steps.max(1), rows: run.schedule.agents.len() };
    let (width, height) = (LEFT + CHART + RIGHT, chart.bottom() + BOTTOM);
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">"#
    )?;
    writeln!(out, r#"<rect width="{width}" height="{height}" fill="white"/>"#)?;
    chart.write_heading(out, run)?;
    chart.write_axis(out)?;
    for (row, agent) in run.schedule.agents.iter().enumerate() {
        chart.write_agent(out, row, agent)?;
    }
    for phase in &run.phases {
        let (x, top, bottom) = (chart.x(phase.step), TOP - 10.0, chart.bottom());
        writeln!(
            out,
            r##"<line x1="{x:.1}" y1="{top}" x2="{x:.1}" y2="{bottom}" stroke="#c0392b" stroke-dasharray="3 3"><title>planning after {} steps: {} states, value {} to {}</title></line>"##,
            phase.step, phase.states, phase.value_before, phase.value_planned
        )?;
        writeln!(out, r##"<path d="M{:.1} {top} l8 0 l-4 7 z" fill="#c0392b"/>"##, x - 4.0)?;
    }
    writeln!(out, "</svg>")
}

struct Chart {
    steps: u64,
    rows: usize,
}

impl Chart {
    fn x(&self, step: u64) -> f64 {
        LEFT + CHART * step as f64 / self.steps as f64
    }

    fn bottom(&self) -> f64 {
        TOP + ROW * self.rows as f64
    }

    fn write_heading(&self, out: &mut dyn Write, run: &Run) -> io::Result<()> {
        let planning = match run.phases.len() {
            0 => "without planning".to_owned(),
            1 => "1 phase of planning".to_owned(),
            phases => format!("{phases} phases of planning"),
        };
        let heading = format!("{} parallel steps, {planning}, seed {}", run.steps, run.seed);
        writeln!(out, r#"<text x="{LEFT}" y="20" font-size="15">{heading}</text>"#)?;
        let legend = [("#9bb8d3", "busy"), ("#e3e3e3", "idle"), ("#c0392b", "planning")];
        for (number, (colour, text)) in legend.into_iter().enumerate() {
            let x = LEFT + CHART - 230.0 + 80.0 * number as f64;
            writeln!(out, r#"<rect x="{x}" y="10" width="12" height="12" fill="{colour}"/>"#)?;
            writeln!(out, r#"<text x="{}" y="20">{text}</text>"#, x + 17.0)?;
        }
        Ok(())
    }

    fn write_axis(&self, out: &mut dyn Write) -> io::Result<()> {
        let bottom = self.bottom();
        for step in (0..=self.steps).step_by(mark_distance(self.steps) as usize) {
            let x = self.x(step);
            writeln!(out, r##"<line x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{}" stroke="#cccccc"/>"##, bottom + 5.0)?;
            writeln!(out, r#"<text x="{x:.1}" y="{}" text-anchor="middle">{step}</text>"#, bottom + 19.0)?;
        }
        let (x, y) = (LEFT + CHART / 2.0, bottom + 37.0);
        writeln!(out, r#"<text x="{x}" y="{y}" text-anchor="middle">parallel steps</text>"#)
    }

    fn write_agent(&self, out: &mut dyn Write, row: usize, agent: &AgentSchedule) -> io::Result<()> {
        let y = TOP + ROW * row as f64 + (ROW - BAR) / 2.0;
        let (from, to) = (self.x(agent.from), self.x(agent.to));
        let (name, baseline) = (escaped(&agent.name), y + BAR - 5.0);
        writeln!(out, r#"<text x="{}" y="{baseline}" text-anchor="end">{name}</text>"#, LEFT - 10.0)?;
        let idle = to - from;
        writeln!(out, r##"<rect x="{from:.1}" y="{y}" width="{idle:.1}" height="{BAR}" fill="#e3e3e3"/>"##)?;
        agent.intervals.iter().try_for_each(|busy| self.write_busy(out, y, busy))
    }

    fn write_busy(&self, out: &mut dyn Write, y: f64, busy: &BusyInterval) -> io::Result<()> {
        let (from, to, text) = (self.x(busy.from), self.x(busy.to), label(&busy.suggestions));
        let (width, colour) = (to - from, colour(&busy.suggestions));
        writeln!(
            out,
            r#"<rect x="{from:.1}" y="{y}" width="{width:.1}" height="{BAR}" fill="{colour}" stroke="white"><title>{text} from {} to {}</title></rect>"#,
            busy.from, busy.to
        )?;
        if width > CHARACTER * text.chars().count() as f64 {
            let (middle, baseline) = ((from + to) / 2.0, y + BAR - 5.0);
            writeln!(out, r#"<text x="{middle:.1}" y="{baseline}" text-anchor="middle" font-size="11">{text}</text>"#)?;
        }
        Ok(())
    }
}

/// A round number of steps between two marks.
fn mark_distance(steps: u64) -> u64 {
    let rough = (steps / MARKS).max(1);
    let power = 10_u64.pow(rough.ilog10());
    [1, 2, 5, 10].map(|factor| factor * power).into_iter().find(|distance| *distance >= rough).unwrap_or(10 * power)
}

/// What looks different for things that are done one after the other.
fn colour(suggestions: &[Word]) -> String {
    let number = suggestions.iter().fold(0_u32, |sum, value| sum.wrapping_mul(31).wrapping_add(*value));
    // The golden angle keeps neighbours apart.
    format!("hsl({}, 45%, 72%)", u64::from(number) * 137 % 360)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_round_numbers() {
        assert_eq!([1, 9, 10, 30, 99, 100, 560, 2478].map(mark_distance), [1, 1, 1, 5, 10, 10, 100, 500]);
    }
}
