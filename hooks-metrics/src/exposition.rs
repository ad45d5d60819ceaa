//! Metrics in the Prometheus text format, version 0.0.4.

use std::fmt::Write as _;

use super::family::Instrument;
use super::registry::Metrics;
use super::snapshot::{FamilySnapshot, SeriesSnapshot, Value};

/// Value of the `Content-Type` header for the text.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Metrics {
    /// Returns all metrics, for `/metrics`. Its length grows with the number of series, which the
    /// configuration limits.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::cache::{CacheAnswer, CacheWatch};
    /// use hooks_metrics::Metrics;
    ///
    /// let metrics = Metrics::default();
    /// assert_eq!(metrics.prometheus(), "", "families without series are left out");
    /// metrics.answered(&HookContext::new("session-1", "backend"), "search", CacheAnswer::Hit);
    /// assert_eq!(
    ///     metrics.prometheus().lines().skip(1).collect::<Vec<_>>(),
    ///     [
    ///         "# TYPE hooks_cache_calls_total counter",
    ///         r#"hooks_cache_calls_total{tool="search",outcome="hit"} 1"#,
    ///     ]
    /// );
    /// ```
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        for family in self.snapshot().iter().filter(|family| !family.series.is_empty()) {
            write_family(&mut text, family);
        }
        text
    }
}

// Writing to a string cannot fail.
fn write_family(text: &mut String, FamilySnapshot { family, series }: &FamilySnapshot) {
    let name = family.prometheus;
    let kind = match family.instrument {
        Instrument::Counter | Instrument::Money => "counter",
        Instrument::Histogram(_) => "histogram",
    };
    let _written = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", family.help);
    for one in series {
        match (&one.value, family.instrument) {
            (Value::Number(number), Instrument::Money) => {
                write_name(text, name, one, None);
                let _written = writeln!(text, " {}.{:06}", number / 1_000_000, number % 1_000_000);
            }
            (Value::Number(number), _) => {
                write_name(text, name, one, None);
                let _written = writeln!(text, " {number}");
            }
            (Value::Durations { buckets, sum }, Instrument::Histogram(bounds)) => {
                let mut so_far = 0u64;
                let bounds = bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
                for (bound, count) in bounds.zip(buckets) {
                    so_far = so_far.saturating_add(*count);
                    write_name(text, &format!("{name}_bucket"), one, Some(&bound));
                    let _written = writeln!(text, " {so_far}");
                }
                write_name(text, &format!("{name}_sum"), one, None);
                let _written = writeln!(text, " {}", sum.as_secs_f64());
                write_name(text, &format!("{name}_count"), one, None);
                let _written = writeln!(text, " {so_far}");
            }
            (Value::Durations { .. }, _) => {}
        }
    }
}

fn write_name(text: &mut String, name: &str, series: &SeriesSnapshot, bound: Option<&str>) {
    text.push_str(name);
    let labels = series.labels.iter().map(|(label, value)| (*label, &**value));
    for (index, (label, value)) in labels.chain(bound.map(|bound| ("le", bound))).enumerate() {
        text.push(if index == 0 { '{' } else { ',' });
        let _written = write!(text, "{label}=\"");
        for c in value.chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '"' => text.push_str("\\\""),
                '\n' => text.push_str("\\n"),
                c => text.push(c),
            }
        }
        text.push('"');
    }
    if !series.labels.is_empty() || bound.is_some() {
        text.push('}');
    }
}
