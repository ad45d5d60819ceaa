//! Metrics in the JSON of OTLP, the protocol of OpenTelemetry.

use hooks_core::time::Timestamp;
use serde_json::{Map, Value, json};

use super::family::Instrument;
use super::registry::Metrics;
use super::snapshot::{FamilySnapshot, SeriesSnapshot, Value as Counted};

/// Temporality of sums and buckets that have a common start time.
const CUMULATIVE: u8 = 2;

impl Metrics {
    /// Returns all metrics at `now`, counted since `since`: the elements of `metrics` in an OTLP request.
    ///
    /// Counts are strings and times are nanoseconds, as the JSON of OTLP requires.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::cache::{CacheAnswer, CacheWatch};
    /// use hooks_core::time::Timestamp;
    /// use hooks_metrics::Metrics;
    ///
    /// let metrics = Metrics::default();
    /// metrics.answered(&HookContext::new("session-1", "backend"), "search", CacheAnswer::Hit);
    /// let sent = metrics.otlp(Timestamp(1_000), Timestamp(2_000));
    /// let point = &sent[0]["sum"]["dataPoints"][0];
    /// assert_eq!((&sent[0]["name"], &point["asInt"]), (&"hooks.cache.calls".into(), &"1".into()));
    /// assert_eq!(point["timeUnixNano"], "2000000000");
    /// ```
    pub fn otlp(&self, since: Timestamp, now: Timestamp) -> Vec<Value> {
        let families = self.snapshot();
        families
            .iter()
            .filter(|family| !family.series.is_empty())
            .map(|family| metric(family, since, now))
            .collect()
    }
}

fn metric(FamilySnapshot { family, series }: &FamilySnapshot, since: Timestamp, now: Timestamp) -> Value {
    let points: Vec<_> = series
        .iter()
        .map(|series| {
            let mut point = number(family.instrument, series);
            point.insert("startTimeUnixNano".to_owned(), nanos(since));
            point.insert("timeUnixNano".to_owned(), nanos(now));
            point.insert("attributes".to_owned(), attributes(series));
            Value::Object(point)
        })
        .collect();
    let mut metric = json!({"name": family.name, "description": family.help, "unit": family.unit});
    if let Some(metric) = metric.as_object_mut() {
        let (kind, data) = match family.instrument {
            Instrument::Histogram(_) => {
                ("histogram", json!({"aggregationTemporality": CUMULATIVE, "dataPoints": points}))
            }
            Instrument::Counter | Instrument::Money => {
                let data =
                    json!({"aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": points});
                ("sum", data)
            }
        };
        metric.insert(kind.to_owned(), data);
    }
    metric
}

/// Labels of a series; an empty one is left out.
fn attributes(series: &SeriesSnapshot) -> Value {
    let labels = series.labels.iter().filter(|(_, value)| !value.is_empty());
    labels.map(|(label, value)| json!({"key": label, "value": {"stringValue": &**value}})).collect()
}

fn number(instrument: Instrument, series: &SeriesSnapshot) -> Map<String, Value> {
    let mut point = Map::new();
    match (&series.value, instrument) {
        (Counted::Number(number), Instrument::Money) => {
            #[expect(
                clippy::cast_precision_loss,
                reason = "dollars to the millionth, below nine thousand million"
            )]
            let dollars = *number as f64 / 1e6;
            point.insert("asDouble".to_owned(), dollars.into());
        }
        (Counted::Number(number), _) => {
            point.insert("asInt".to_owned(), number.to_string().into());
        }
        (Counted::Durations { buckets, sum }, instrument) => {
            let count: u64 = buckets.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
            let bounds = if let Instrument::Histogram(bounds) = instrument { bounds } else { &[] };
            point.insert("count".to_owned(), count.to_string().into());
            point.insert("sum".to_owned(), sum.as_secs_f64().into());
            let buckets: Vec<_> = buckets.iter().map(u64::to_string).collect();
            point.insert("bucketCounts".to_owned(), buckets.into());
            point.insert("explicitBounds".to_owned(), bounds.to_vec().into());
        }
    }
    point
}

/// Returns nanoseconds, which are a string in OTLP's JSON.
fn nanos(time: Timestamp) -> Value {
    time.0.saturating_mul(1_000_000).to_string().into()
}
