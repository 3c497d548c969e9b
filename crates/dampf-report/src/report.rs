//! The result of a check, for people.

use crate::text::fault_sentence;
use crate::{BusyLines, Excerpt, Palette, Run, bytes, grouped, rate, seconds, write_fault, write_run};
use dampf_core::{Describe, Finding, Statistics, Verdict};
use std::io::{self, Write};
use std::time::Duration;

/// How a check was run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The path of the model as it was given.
    pub model: String,
    pub search: &'static str,
    pub store: &'static str,
    pub backend: &'static str,
    /// What was left out of the search: `por`, `lgc`, or `none`.
    pub reduction: &'static str,
    pub threads: usize,
    pub ranks: usize,
    pub deterministic: bool,
}

/// Everything there is to say about a check.
pub struct CheckReport<'a, M: Describe> {
    pub setting: &'a Setting,
    pub verdict: &'a Verdict,
    pub statistics: &'a Statistics,
    /// All findings, the one of the verdict first.
    pub findings: &'a [Finding],
    /// What was verified, in a sentence, where properties of runs were looked at.
    pub satisfied: Option<String>,
    /// How often exploration started, the last time included: what was refuted makes it restart.
    pub rounds: u64,
    /// The run of the verdict, where it is `Violated`.
    pub run: Option<&'a Run<'a, M>>,
    pub elapsed: Duration,
    /// The most memory the process had; 0 where the system does not say.
    pub peak_rss_bytes: u64,
    /// What went over the network, where several ranks searched.
    pub traffic: Option<Traffic>,
    /// Why a search that was to find all faults may have missed some.
    pub cut_short: Option<String>,
    /// What the verdict rests on and nobody has checked.
    pub assumptions: Vec<String>,
    /// What looks wrong, though nothing is violated.
    pub warnings: Vec<String>,
    /// Where the steps go, where a limit was reached.
    pub busy_lines: Option<BusyLines>,
}

/// What went over the network between the ranks of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// How the states were divided among the ranks, thread by thread, and how many the thread has that has most.
    pub partition: String,
    pub largest_share: u64,
    /// Messages with states, their bytes, and those of them that describe parts of states.
    pub messages: u64,
    pub bytes: u64,
    pub part_bytes: u64,
    /// Bytes of parts that went through files instead.
    pub filed_bytes: u64,
    pub states: u64,
    /// Steps to states of other ranks, whether they were sent (again) or not.
    pub cross_transitions: u64,
    /// States that were explored more than once.
    pub redundant_states: u64,
    /// States whose steps were followed again, to look for cycles.
    pub followed_states: u64,
}

/// Further findings are listed up to this number.
const FINDINGS_LISTED: usize = 20;

impl<M: Describe> CheckReport<'_, M> {
    /// Bytes of the visited set for each state; 0 without states.
    pub fn bytes_per_state(&self) -> f64 {
        match self.statistics.states {
            0 => 0.0,
            states => self.statistics.store_bytes as f64 / states as f64,
        }
    }

    /// A store begins with room for many states, so the figure says something only where there are many.
    fn shown_bytes_per_state(&self) -> String {
        let figure = self.bytes_per_state();
        if figure < 1000.0 { format!("{figure:.1} B") } else { bytes(figure as u64) }
    }

    /// Writes verdict, run and statistics.
    pub fn write_text(&self, out: &mut dyn Write, palette: Palette, excerpt: Excerpt) -> io::Result<()> {
        match self.verdict {
            Verdict::Verified => {
                let what = self.satisfied.as_deref().unwrap_or("no reachable state or step is faulty");
                writeln!(out, "{}: {what}", palette.good("verified"))?;
            }
            Verdict::Unknown(reason) => writeln!(out, "{}: {reason}", palette.doubtful("unknown"))?,
            Verdict::Violated(finding) => write_fault(out, palette, &finding.fault)?,
        }
        for warning in &self.warnings {
            writeln!(out, "{}: {warning}", palette.doubtful("warning"))?;
        }
        if !matches!(self.verdict, Verdict::Violated(_)) {
            for assumption in &self.assumptions {
                writeln!(out, "{}", palette.aside(format!("  assuming {assumption}")))?;
            }
        }
        if let Some(run) = self.run {
            writeln!(out)?;
            write_run(out, palette, run, excerpt)?;
        }
        self.write_further_findings(out, palette)?;
        self.busy_lines.iter().try_for_each(|lines| lines.write_text(out, palette))?;
        self.write_statistics(out, palette)
    }

    fn write_further_findings(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let further = self.findings.get(1..).unwrap_or_default();
        if further.is_empty() {
            return Ok(());
        }
        let noun = if further.len() == 1 { "further finding" } else { "further findings" };
        writeln!(out, "\n{}", palette.heading(format!("{} {noun}", grouped(further.len() as u64))))?;
        for finding in further.iter().take(FINDINGS_LISTED) {
            let place = finding.fault.location.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
            let steps = finding.trail.len();
            let steps = format!("after {} step{}", grouped(steps as u64), if steps == 1 { "" } else { "s" });
            writeln!(out, "  {}{place}, {steps}", fault_sentence(&finding.fault))?;
        }
        match further.len().saturating_sub(FINDINGS_LISTED) {
            0 => Ok(()),
            hidden => writeln!(out, "  {}", palette.aside(format!("… {} more", grouped(hidden as u64)))),
        }
    }

    fn write_statistics(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let statistics = self.statistics;
        if statistics.states == 0 {
            return Ok(());
        }
        let mut rows = vec![
            ("states", grouped(statistics.states)),
            ("transitions", grouped(statistics.transitions)),
            ("depth", grouped(statistics.depth)),
        ];
        if let Some(reason) = &self.cut_short {
            rows.push(("not complete", reason.clone()));
        }
        if statistics.frontier > 0 {
            rows.push(("not explored", grouped(statistics.frontier)));
        }
        if statistics.faults > self.findings.len() as u64 {
            rows.push(("faults", grouped(statistics.faults)));
        }
        rows.push(("time", seconds(self.elapsed)));
        rows.push(("rate", format!("{} states/s", grouped(rate(statistics.states, self.elapsed)))));
        if self.peak_rss_bytes > 0 {
            rows.push(("memory", bytes(self.peak_rss_bytes)));
        }
        rows.push(("store", format!("{}, {}/state", bytes(statistics.store_bytes), self.shown_bytes_per_state())));
        if let Some(traffic) = &self.traffic {
            let &Setting { ranks, threads, .. } = self.setting;
            let each = if threads > 1 { format!(", each with {threads} threads") } else { String::new() };
            rows.push(("ranks", format!("{ranks}{each}")));
            if ranks * threads > 1 {
                let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
                let crossing = percent(traffic.cross_transitions, statistics.transitions);
                let largest = percent(traffic.largest_share, statistics.states);
                rows.push(("partition", traffic.partition.clone()));
                rows.push(("", format!("{crossing:.0}% of the steps cross, the largest share is {largest:.0}%")));
            }
            rows.push(("messages", grouped(traffic.messages)));
            let states = grouped(traffic.states);
            rows.push(("sent", format!("{states} states, {}", bytes(traffic.bytes))));
            if traffic.filed_bytes > 0 {
                rows.push(("filed", bytes(traffic.filed_bytes)));
            }
        }
        writeln!(out, "\n{}", palette.heading("search"))?;
        rows.iter().try_for_each(|(name, value)| writeln!(out, "  {} {value}", palette.aside(format!("{name:<12}"))))
    }
}
