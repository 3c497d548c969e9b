//! Numbers as people read them.

use std::time::Duration;

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the unit that leaves one to four digits before the point. Units are powers of 1,024, as in `--max-memory`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A time as `0.042 s`, `12.3 s`, `3 min 05 s` or `2 h 07 min`.
pub fn seconds(time: Duration) -> String {
    let total = time.as_secs();
    match total {
        0..10 => format!("{:.3} s", time.as_secs_f64()),
        10..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", total / 60, total % 60),
        _ => format!("{} h {:02} min", total / 3600, total % 3600 / 60),
    }
}

/// How many per second; 0 where no time has passed.
pub fn rate(number: u64, time: Duration) -> u64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { (number as f64 / seconds) as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0, 1023, 1024, 3 << 29, u64::MAX].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.5 GiB", "16384.0 PiB"]
        );
        let times = [0.0421, 12.34, 185.0, 7620.0].map(|time| seconds(Duration::from_secs_f64(time)));
        assert_eq!(times, ["0.042 s", "12.3 s", "3 min 05 s", "2 h 07 min"]);
        assert_eq!(rate(10, Duration::ZERO), 0);
        assert_eq!(rate(10, Duration::from_secs(2)), 5);
    }
}
