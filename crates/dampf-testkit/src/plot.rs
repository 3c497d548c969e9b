//! Lines of efficiency against ranks, as an SVG file: one panel beside the other, one legend for all.

use std::fmt::Write;

/// A picture within axes of its own.
pub struct Panel {
    pub title: String,
    pub lines: Vec<Line>,
}

pub struct Line {
    pub name: String,
    pub points: Vec<Point>,
}

#[derive(Clone, Copy)]
pub struct Point {
    pub ranks: u32,
    /// From 0 to 1.
    pub efficiency: f64,
    /// The efficiency is at most this.
    pub is_bound: bool,
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
const LEGEND_WIDTH: f64 = 200.0;

pub fn svg(title: &str, subtitle: &str, ranks: &[u32], panels: &[Panel]) -> String {
    let width = panels.len() as f64 * (PANEL_WIDTH + LEFT) + LEGEND_WIDTH + 24.0;
    let height = TOP + PANEL_HEIGHT + BOTTOM;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    text(&mut out, (LEFT, 26.0), "start", &format!("<tspan font-size=\"17\">{}</tspan>", escaped(title)));
    text(&mut out, (LEFT, 46.0), "start", &format!("<tspan fill=\"#666\">{}</tspan>", escaped(subtitle)));
    for (number, panel) in panels.iter().enumerate() {
        let frame = Frame::new(number, ranks);
        frame.axes(&mut out, &panel.title, ranks);
        for (line, &style) in panel.lines.iter().zip(STYLES.iter().cycle()) {
            frame.line(&mut out, line, style);
        }
    }
    legend(&mut out, panels);
    out + "</svg>\n"
}

/// Where a panel is, and which ranks are at its left and right ends.
struct Frame {
    left: f64,
    least: f64,
    most: f64,
}

impl Frame {
    fn new(number: usize, ranks: &[u32]) -> Frame {
        let logarithm = |ranks: Option<&u32>| f64::from(*ranks.unwrap_or(&1)).log2();
        let (least, most) = (logarithm(ranks.iter().min()), logarithm(ranks.iter().max()));
        Frame { left: LEFT + number as f64 * (PANEL_WIDTH + LEFT), least, most: most.max(least + 1.0) }
    }

    /// Ranks double at equal distances, with some room at both ends.
    fn x(&self, ranks: u32) -> f64 {
        let part = (f64::from(ranks).log2() - self.least) / (self.most - self.least);
        self.left + PANEL_WIDTH * (0.05 + 0.9 * part)
    }

    fn y(&self, efficiency: f64) -> f64 {
        TOP + PANEL_HEIGHT * (1.0 - efficiency.clamp(0.0, 1.0))
    }

    fn axes(&self, out: &mut String, title: &str, ranks: &[u32]) {
        text(out, (self.left, TOP - 12.0), "start", &escaped(title));
        for percent in (0..=100).step_by(20) {
            let y = self.y(f64::from(percent) / 100.0);
            let (colour, right) = (if percent == 0 { "#222" } else { "#ddd" }, self.left + PANEL_WIDTH);
            let _ = writeln!(out, "<path d=\"M{:.1} {y:.1}H{right:.1}\" stroke=\"{colour}\"/>", self.left);
            text(out, (self.left - 8.0, y + 4.0), "end", &format!("{percent}%"));
        }
        for &ranks in ranks {
            let (x, y) = (self.x(ranks), TOP + PANEL_HEIGHT);
            let _ = writeln!(out, "<path d=\"M{x:.1} {y:.1}v5\" stroke=\"#222\"/>");
            text(out, (x, y + 20.0), "middle", &ranks.to_string());
        }
        let middle = self.left + PANEL_WIDTH / 2.0;
        text(out, (middle, TOP + PANEL_HEIGHT + 42.0), "middle", "ranks");
        let (x, y) = (self.left - 48.0, TOP + PANEL_HEIGHT / 2.0);
        let turned = format!("transform=\"rotate(-90 {x:.1} {y:.1})\" text-anchor=\"middle\"");
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {turned}>efficiency</text>");
    }

    fn line(&self, out: &mut String, line: &Line, (colour, dashes): (&str, &str)) {
        let mut path = String::new();
        for (number, point) in line.points.iter().enumerate() {
            let letter = if number == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", self.x(point.ranks), self.y(point.efficiency));
        }
        stroke(out, &path, (colour, dashes));
        for point in &line.points {
            let inside = if point.is_bound { "white" } else { colour };
            let (x, y) = (self.x(point.ranks), self.y(point.efficiency));
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{inside}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            );
        }
    }
}

fn legend(out: &mut String, panels: &[Panel]) {
    let x = LEFT + panels.len() as f64 * (PANEL_WIDTH + LEFT) - LEFT + 24.0;
    let lines = panels.first().map_or(&[][..], |panel| &panel.lines);
    for (number, (line, &(colour, dashes))) in lines.iter().zip(STYLES.iter().cycle()).enumerate() {
        let y = TOP + 10.0 + number as f64 * 22.0;
        stroke(out, &format!("M{x:.1} {y:.1}h24"), (colour, dashes));
        let _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>", x + 12.0);
        text(out, (x + 32.0, y + 4.0), "start", &escaped(&line.name));
    }
    if panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points).any(|point| point.is_bound) {
        let y = TOP + 10.0 + lines.len() as f64 * 22.0;
        let _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"white\" stroke=\"#222\"/>", x + 12.0);
        text(out, (x + 32.0, y + 4.0), "start", "less than this: given up");
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
