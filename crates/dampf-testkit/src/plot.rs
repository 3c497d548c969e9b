//! Lines in axes, as an SVG file: one panel beside the other, one legend for all.

use std::fmt::Write;

/// One picture.
pub struct Figure {
    pub title: String,
    pub subtitle: String,
    pub panels: Vec<Panel>,
    /// What a point means that is only a bound.
    pub bound: &'static str,
}

/// A picture within axes of its own. The lines of all panels of a figure have the same names, in the same order.
pub struct Panel {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub lines: Vec<Line>,
}

/// An axis from its least tick to its greatest.
#[derive(Clone)]
pub struct Axis {
    pub name: String,
    pub is_logarithmic: bool,
    /// Where something is written, and what.
    pub ticks: Vec<(f64, String)>,
}

pub struct Line {
    pub name: String,
    pub points: Vec<Point>,
    /// Without marks at its points: something to compare with.
    pub is_plain: bool,
}

#[derive(Clone, Copy)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// The value is at most this.
    pub is_bound: bool,
}

impl Axis {
    /// A linear axis from 0 to at least a number, with ticks at round ones.
    pub fn up_to(name: &str, most: f64) -> Axis {
        let magnitude = 10_f64.powf(most.max(1e-9).log10().floor());
        let steps = [0.1, 0.2, 0.5, 1.0, 2.0].map(|step| step * magnitude);
        let step = steps.into_iter().find(|step| most / step <= 6.0).unwrap_or(magnitude);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let ticks = (0..=(most / step - 1e-9).ceil() as u32).map(|number| f64::from(number) * step);
        let ticks = ticks.map(|value| (value, format!("{value:.digits$}"))).collect();
        Axis { name: name.to_owned(), is_logarithmic: false, ticks }
    }

    /// A logarithmic axis with ticks at these numbers.
    pub fn logarithmic(name: &str, ticks: impl IntoIterator<Item = u32>) -> Axis {
        let ticks = ticks.into_iter().map(|value| (f64::from(value), value.to_string())).collect();
        Axis { name: name.to_owned(), is_logarithmic: true, ticks }
    }

    /// Where a value is, from 0 to 1.
    fn part(&self, value: f64) -> f64 {
        let scaled = |value: f64| if self.is_logarithmic { value.log2() } else { value };
        let ends = self.ticks.iter().map(|(value, _)| scaled(*value));
        let (least, most) = ends.fold((f64::MAX, f64::MIN), |(least, most), end| (least.min(end), most.max(end)));
        ((scaled(value) - least) / (most - least).max(1e-9)).clamp(0.0, 1.0)
    }
}

/// Colours that most people can tell apart (after Okabe and Ito), and dashes, so that a line on another one does not
/// hide it.
const STYLES: [(&str, &str); 6] = [
    ("#0072b2", "none"),
    ("#e69f00", "3 5"),
    ("#009e73", "none"),
    ("#cc79a7", "9 4"),
    ("#d55e00", "none"),
    ("#56b4e9", "3 5"),
];

const PANEL_WIDTH: f64 = 360.0;
const PANEL_HEIGHT: f64 = 280.0;
/// Room for the title above, and for the axis beside and below a panel.
const TOP: f64 = 84.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 56.0;
const LEGEND_WIDTH: f64 = 220.0;

impl Figure {
    pub fn svg(&self) -> String {
        let width = self.panels.len() as f64 * (PANEL_WIDTH + LEFT) + LEGEND_WIDTH + 24.0;
        let height = TOP + PANEL_HEIGHT + BOTTOM;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        text(&mut out, (LEFT, 26.0), "start", &format!("<tspan font-size=\"17\">{}</tspan>", escaped(&self.title)));
        text(&mut out, (LEFT, 46.0), "start", &format!("<tspan fill=\"#666\">{}</tspan>", escaped(&self.subtitle)));
        for (number, panel) in self.panels.iter().enumerate() {
            let frame = Frame { left: LEFT + number as f64 * (PANEL_WIDTH + LEFT), panel };
            frame.axes(&mut out);
            for (line, &style) in panel.lines.iter().zip(STYLES.iter().cycle()) {
                frame.line(&mut out, line, style);
            }
        }
        self.legend(&mut out);
        out + "</svg>\n"
    }

    fn legend(&self, out: &mut String) {
        let x = LEFT + self.panels.len() as f64 * (PANEL_WIDTH + LEFT) - LEFT + 24.0;
        let lines = self.panels.first().map_or(&[][..], |panel| &panel.lines);
        for (number, (line, &(colour, dashes))) in lines.iter().zip(STYLES.iter().cycle()).enumerate() {
            let y = TOP + 10.0 + number as f64 * 22.0;
            stroke(out, &format!("M{x:.1} {y:.1}h24"), (colour, dashes));
            if !line.is_plain {
                let _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>", x + 12.0);
            }
            text(out, (x + 32.0, y + 4.0), "start", &escaped(&line.name));
        }
        if self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points).any(|point| point.is_bound) {
            let y = TOP + 10.0 + lines.len() as f64 * 22.0;
            let _ =
                writeln!(out, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"white\" stroke=\"#222\"/>", x + 12.0);
            text(out, (x + 32.0, y + 4.0), "start", &escaped(self.bound));
        }
    }
}

/// Where a panel is.
struct Frame<'a> {
    left: f64,
    panel: &'a Panel,
}

impl Frame<'_> {
    /// With some room at both ends.
    fn x(&self, value: f64) -> f64 {
        self.left + PANEL_WIDTH * (0.05 + 0.9 * self.panel.x.part(value))
    }

    fn y(&self, value: f64) -> f64 {
        TOP + PANEL_HEIGHT * (1.0 - self.panel.y.part(value))
    }

    fn axes(&self, out: &mut String) {
        text(out, (self.left, TOP - 12.0), "start", &escaped(&self.panel.title));
        for (number, (value, name)) in self.panel.y.ticks.iter().enumerate() {
            let y = self.y(*value);
            let (colour, right) = (if number == 0 { "#222" } else { "#ddd" }, self.left + PANEL_WIDTH);
            let _ = writeln!(out, "<path d=\"M{:.1} {y:.1}H{right:.1}\" stroke=\"{colour}\"/>", self.left);
            text(out, (self.left - 8.0, y + 4.0), "end", &escaped(name));
        }
        for (value, name) in &self.panel.x.ticks {
            let (x, y) = (self.x(*value), TOP + PANEL_HEIGHT);
            let _ = writeln!(out, "<path d=\"M{x:.1} {y:.1}v5\" stroke=\"#222\"/>");
            text(out, (x, y + 20.0), "middle", &escaped(name));
        }
        let middle = self.left + PANEL_WIDTH / 2.0;
        text(out, (middle, TOP + PANEL_HEIGHT + 42.0), "middle", &escaped(&self.panel.x.name));
        let (x, y) = (self.left - 48.0, TOP + PANEL_HEIGHT / 2.0);
        let turned = format!("transform=\"rotate(-90 {x:.1} {y:.1})\" text-anchor=\"middle\"");
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {turned}>{}</text>", escaped(&self.panel.y.name));
    }

    fn line(&self, out: &mut String, line: &Line, (colour, dashes): (&str, &str)) {
        let mut path = String::new();
        for (number, point) in line.points.iter().enumerate() {
            let letter = if number == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", self.x(point.x), self.y(point.y));
        }
        stroke(out, &path, (colour, dashes));
        for point in line.points.iter().filter(|_| !line.is_plain) {
            let inside = if point.is_bound { "white" } else { colour };
            let (x, y) = (self.x(point.x), self.y(point.y));
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{inside}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            );
        }
    }
}

fn stroke(out: &mut String, path: &str, (colour, dashes): (&str, &str)) {
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>"
    );
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, content: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_most() {
        let ticks = |most: f64| Axis::up_to("", most).ticks.into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(ticks(2.1), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(ticks(2.0), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(ticks(57.0), ["0", "10", "20", "30", "40", "50", "60"]);
        assert_eq!(ticks(0.03).last().map(String::as_str), Some("0.030"));
    }

    #[test]
    fn doubling_is_an_equal_distance_on_a_logarithmic_axis() {
        let axis = Axis::logarithmic("", [1, 4]);
        assert_eq!([1.0, 2.0, 4.0, 8.0].map(|value| axis.part(value)), [0.0, 0.5, 1.0, 1.0]);
    }
}
