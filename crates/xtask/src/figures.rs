//! Figures as people read them.

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
}
