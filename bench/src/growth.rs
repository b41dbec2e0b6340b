//! Checks whether memory still grows after the warm-up of a long run.

use std::time::Duration;

/// Maximum length of the warm-up, in which memory may grow: a quarter of the run, up to this time.
const WARM_UP_MAX: Duration = Duration::from_secs(600);
/// How much memory may grow after that.
const MIB_PER_MINUTE_MAX: f64 = 2.0;

/// The time in seconds, and resident memory in MiB.
pub(crate) type Point = (f64, f64);

/// The time when the warm-up of a run ends, in seconds.
pub(crate) fn warm_up(minutes: f64) -> f64 {
    WARM_UP_MAX.as_secs_f64().min(minutes * 15.0)
}

/// The claim that memory stays flat, judged by the points after the warm-up.
pub(crate) fn claim(points: &[Point]) -> (&'static str, String, bool) {
    let growth = per_minute(points);
    let peak = points.iter().map(|(_, memory)| *memory).fold(0.0, f64::max);
    let figure = format!("{growth:+.2} MiB a minute, at most {peak:.0} MiB");
    ("memory is flat after the warm-up", figure, growth <= MIB_PER_MINUTE_MAX)
}

/// The slope of the line that best fits the points.
fn per_minute(points: &[Point]) -> f64 {
    let mean = |of: fn(&Point) -> f64| points.iter().map(of).sum::<f64>() / points.len().max(1) as f64;
    let (time, memory) = (mean(|point| point.0), mean(|point| point.1));
    let (mut both, mut square) = (0.0, 0.0);
    for (seconds, resident) in points {
        both += (seconds - time) * (resident - memory);
        square += (seconds - time).powi(2);
    }
    if square == 0.0 { 0.0 } else { 60.0 * both / square }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_slope_of_the_best_line() {
        let point =
            |minute: u32| (f64::from(minute) * 60.0, 500.0 + 3.0 * f64::from(minute) + f64::from(minute % 2));
        let growth = per_minute(&(0..100).map(point).collect::<Vec<_>>());
        assert!((growth - 3.0).abs() < 0.01, "{growth}");
        assert_eq!(per_minute(&[]), 0.0);
    }
}
