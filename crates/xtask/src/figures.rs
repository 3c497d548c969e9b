//! Figures as people read and write them.

use std::time::Duration;

/// Digits in groups of three: `6,597,245`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Millions per second; zero where no time was measured.
pub fn millions_per_second(count: u64, time: Duration) -> f64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { count as f64 / 1e6 / seconds } else { 0.0 }
}

/// A time as the checker takes it: `60`, `1.5s`, `5m`, `2h`.
pub fn time(text: &str) -> Result<Duration, String> {
    let refused = || format!("`{text}` is no time such as 60, 1.5s, 5m or 2h");
    let (number, factor) = match text.chars().next_back() {
        Some('s') => (&text[..text.len() - 1], 1.0),
        Some('m') => (&text[..text.len() - 1], 60.0),
        Some('h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| refused())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!([0, 12, 123, 1234, 1_234_567].map(grouped), ["0", "12", "123", "1,234", "1,234,567"]);
    }

    #[test]
    fn a_rate_over_no_time_is_no_rate() {
        assert_eq!(millions_per_second(5, Duration::ZERO), 0.0);
        assert_eq!(millions_per_second(3_000_000, Duration::from_secs(2)), 1.5);
    }

    #[test]
    fn times_have_units() {
        assert_eq!(["60", "1.5s", "5m"].map(time), [60_000, 1_500, 300_000].map(|ms| Ok(Duration::from_millis(ms))));
        assert!(["", "s", "-1", "2y", "nan"].iter().all(|bad| time(bad).is_err()));
    }
}
