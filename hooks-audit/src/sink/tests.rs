use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hooks_core::fs::Disk;
use hooks_core::testing::{FakeDisk, VirtualTime};
use hooks_core::time::Timestamp;
use hooks_core::{Environment, HookFuture};
use proptest::prelude::*;

use super::*;
use crate::read::{Kept, Positions, ReadError, Skipped};
use crate::record::{Payload, Record};

/// Records of one chain, each of a tenant.
pub(super) fn records(tenants: &[&str]) -> Vec<Committed> {
    let one = |(at, tenant): (usize, &&str)| {
        let mut record = Record::new("post_tool_use", Timestamp(at as u64));
        (record.seq, record.tenant) = (at as u64 + 1, Some((*tenant).to_owned()));
        let payload = Kept::Payload(Box::new(Payload::of("secret".into())));
        Committed { chain: "w0".into(), record, payload }
    };
    tenants.iter().enumerate().map(one).collect()
}

#[derive(Clone)]
struct Listed {
    all: Arc<Mutex<Vec<Committed>>>,
    behind: u64,
    skipped: Option<Skipped>,
}

impl Listed {
    fn new(all: Vec<Committed>) -> Self {
        Self { all: Arc::new(Mutex::new(all)), behind: 0, skipped: None }
    }
}

impl Source for Listed {
    fn seek(&mut self, positions: Positions) {
        self.behind = positions.of("w0");
    }

    fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError> {
        let all = self.all.lock().unwrap();
        let new: Vec<_> = all.iter().filter(|one| one.record.seq > self.behind).take(most).cloned().collect();
        self.behind = new.last().map_or(self.behind, |last| last.record.seq);
        Ok(new)
    }

    fn take_skipped(&mut self) -> Vec<Skipped> {
        self.skipped.take().into_iter().collect()
    }
}

/// What a sink does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    Take,
    /// It takes it, and its answer is lost.
    TakeAndFail,
    Fail,
    Hang,
}

#[derive(Clone, Default)]
struct Scripted {
    script: Arc<Mutex<VecDeque<Does>>>,
    got: Arc<Mutex<Vec<(u64, bool)>>>,
    never: Option<u64>,
}

impl Sink for Scripted {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        let does = self.script.lock().unwrap().pop_front().unwrap_or(Does::Take);
        if records.iter().any(|record| Some(record.record.seq) == self.never) {
            return HookFuture::now(Err(SinkError::refused("not this one")));
        }
        if matches!(does, Does::Take | Does::TakeAndFail) {
            let got = records.iter().map(|record| (record.record.seq, record.payload().is_some()));
            self.got.lock().unwrap().extend(got);
        }
        match does {
            Does::Take => HookFuture::now(Ok(())),
            Does::Hang => HookFuture::later(std::future::pending()),
            Does::Fail | Does::TakeAndFail => HookFuture::now(Err(SinkError::again("away"))),
        }
    }
}

impl Scripted {
    fn got(&self) -> Vec<u64> {
        self.got.lock().unwrap().iter().map(|(seq, _)| *seq).collect()
    }
}

fn feed(
    source: &Listed,
    sink: &Scripted,
    disk: &FakeDisk,
    settings: FeedSettings,
) -> (Feed<Listed, Scripted>, VirtualTime) {
    let time = VirtualTime::default();
    let disk = Arc::new(disk.clone()) as Arc<dyn Disk>;
    let environment = Environment::detached();
    let feed = Feed::new(source.clone(), sink.clone(), disk, "/f", settings, &environment, time.clone());
    (feed, time)
}

fn disk() -> FakeDisk {
    FakeDisk::default().with_directory("/")
}

fn run<T>(time: &VirtualTime, future: impl Future<Output = T>) -> T {
    time.block_on(future).unwrap()
}

fn settings() -> FeedSettings {
    FeedSettings::new("s").with_batch(4)
}

#[test]
fn everything_arrives_in_order_and_a_feed_that_begins_anew_goes_on() {
    let (source, sink, disk) = (Listed::new(records(&["a"; 10])), Scripted::default(), disk());
    let (mut first, time) = feed(&source, &sink, &disk, settings());
    assert!(run(&time, first.catch_up(1)));
    assert_eq!(sink.got(), (1..=10).collect::<Vec<_>>());
    // Payloads stay here unless they are asked for.
    assert!(sink.got.lock().unwrap().iter().all(|(_, payload)| !payload));
    let status = first.status().get();
    assert_eq!((status.delivered, status.last_record), (10, Some(Timestamp(9))));
    // Another one waits while this one is there.
    let (mut second, time) = feed(&source, &sink, &disk, settings().with_payload());
    assert_eq!(run(&time, second.step()), Step::Elsewhere);
    drop(first);
    source.all.lock().unwrap().extend(records(&["a"; 12]).split_off(10));
    assert!(run(&time, second.catch_up(1)));
    assert_eq!(sink.got(), (1..=12).collect::<Vec<_>>());
    assert!(sink.got.lock().unwrap().last().unwrap().1);
}

#[test]
fn a_sink_that_fails_or_hangs_is_asked_again_and_loses_nothing() {
    let (source, sink, disk) = (Listed::new(records(&["a"; 6])), Scripted::default(), disk());
    sink.script.lock().unwrap().extend([Does::Fail, Does::Hang, Does::TakeAndFail, Does::Take, Does::Fail]);
    let (mut feed, time) = feed(&source, &sink, &disk, settings());
    let status = feed.status();
    assert!(run(&time, feed.catch_up(10)));
    assert_eq!(sink.got(), [1, 2, 3, 4, 1, 2, 3, 4, 5, 6]);
    assert_eq!((status.get().failures, status.get().delivered), (0, 6));
    assert_eq!(status.get().last_error.as_deref(), Some("away"));
}

#[test]
fn what_is_refused_is_written_down_and_holds_up_nothing() {
    let (source, disk) = (Listed::new(records(&["a"; 9])), disk());
    let sink = Scripted { never: Some(3), ..Scripted::default() };
    let (mut feed, time) = feed(&source, &sink, &disk, settings());
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(sink.got(), [1, 2, 4, 5, 6, 7, 8, 9]);
    assert_eq!((feed.status().get().delivered, feed.status().get().refused), (8, 1));
    let refused = disk.read(Path::new("/f/s.refused"), 1_000).unwrap().unwrap();
    assert_eq!(refused, b"{\"key\":\"w0:3\",\"reason\":\"not this one\"}\n");
}

#[test]
fn a_sink_of_one_tenant_gets_nothing_of_another() {
    let source = Listed::new(records(&["a", "b", "b", "b", "b", "b", "a", "b"]));
    let (sink, disk) = (Scripted::default(), disk());
    let (mut first, time) = feed(&source, &sink, &disk, settings().of_tenants(["a".to_owned()]));
    assert!(run(&time, first.catch_up(1)));
    assert_eq!(sink.got(), [1, 7]);
    drop(first);
    // The place is behind what was not for it, too.
    let place = disk.read(Path::new("/f/s.position"), 1_000).unwrap().unwrap();
    assert_eq!(place, br#"{"version":1,"positions":{"w0":8}}"#);
}

#[test]
fn a_place_that_cannot_be_read_is_not_the_beginning() {
    let (source, sink, disk) = (Listed::new(records(&["a"])), Scripted::default(), disk());
    disk.create_directory(Path::new("/f")).unwrap();
    disk.create(Path::new("/f/s.position"), b"{").unwrap();
    let (mut feed, time) = feed(&source, &sink, &disk, settings());
    assert!(!run(&time, feed.catch_up(2)));
    assert!(sink.got().is_empty());
    assert!(feed.status().get().last_error.unwrap().contains("remove it to send everything again"));
}

proptest! {
    /// Killed and begun anew at random moments, with a sink that fails at random: what was acknowledged is never
    /// given up, nothing is skipped, and the order is kept.
    #[test]
    fn nothing_is_lost_whatever_fails(
        script in prop::collection::vec(prop_oneof![
            3 => Just(Does::Take), 1 => Just(Does::TakeAndFail), 1 => Just(Does::Fail), 1 => Just(Does::Hang)
        ], 0..40),
        kills in prop::collection::vec(1..6usize, 0..8),
        count in 0..40usize,
    ) {
        let (source, sink, disk) = (Listed::new(records(&vec!["a"; count])), Scripted::default(), disk());
        sink.script.lock().unwrap().extend(script);
        for steps in kills {
            let (mut feed, time) = feed(&source, &sink, &disk, settings());
            run(&time, async {
                for _ in 0..steps {
                    feed.step().await;
                }
            });
        }
        sink.script.lock().unwrap().clear();
        let (mut feed, time) = feed(&source, &sink, &disk, settings());
        let has_everything = run(&time, feed.catch_up(3));
        prop_assert!(has_everything);
        let mut seen = 0;
        for seq in sink.got() {
            prop_assert!(seq <= seen + 1, "{seq} behind {seen}");
            seen = seen.max(seq);
        }
        prop_assert_eq!(seen, count as u64);
    }
}

#[test]
fn a_log_is_followed_while_it_is_written() {
    use crate::chain::{After, Chain, Lines, SALT};
    use crate::segment::{Segment, State};

    let disk = disk().with_directory("/log");
    let mut chain = Chain::new("w0");
    let mut out = Vec::new();
    chain.header(After::Start, Timestamp(0), &mut out);
    let (name, number, state) = (chain.name.clone(), chain.segment, State::Plain);
    let file = Segment { chain: name, number, state }.path(Path::new("/log"));
    disk.put(&file, out);
    let commit = |chain: &mut Chain| {
        let (mut out, mut lines) = (Vec::new(), Lines::behind(chain.seq));
        let payload = Payload::of("kept".into());
        lines.push(&mut Record::new("stop", Timestamp(5)), Some(&payload), &[0; SALT]).unwrap();
        chain.commit(&lines, chain.commit, Timestamp(0), &mut out);
        disk.append(&file, &out).unwrap();
    };
    let (source, sink) = (LogSource::new(Arc::new(disk.clone()), "/log"), Scripted::default());
    let (time, environment) = (VirtualTime::default(), Environment::detached());
    let place = Arc::new(disk.clone()) as Arc<dyn Disk>;
    let mut feed =
        Feed::new(source, sink.clone(), place, "/log/sinks", settings(), &environment, time.clone());
    assert_eq!(run(&time, feed.step()), Step::Idle);
    for _ in 0..3 {
        commit(&mut chain);
    }
    // The last one counts once a later mark says that it was written through.
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(sink.got(), [1, 2]);
    commit(&mut chain);
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(sink.got(), [1, 2, 3]);
}

#[test]
fn sinks_that_make_no_sense_are_refused() {
    let refused = |json: serde_json::Value| {
        let sinks: Vec<SinkConfig> = serde_json::from_value(json).unwrap();
        SinkConfig::check_all(&sinks).unwrap_err().1.to_string()
    };
    for (sinks, words) in [
        (serde_json::json!([{"name": "A b"}]), "no name of a sink"),
        (serde_json::json!([{"name": "a"}]), "none of"),
        (
            serde_json::json!([{"name": "a", "nats": {"server": "h:1", "subject": "x"}, "postgres": {"url_env": "X"}}]),
            "or several",
        ),
        (serde_json::json!([{"name": "a", "otlp": {"endpoint": "https://x"}}]), "no TLS here"),
        (
            serde_json::json!([{"name": "a", "postgres": {"url_env": "X", "table": "a; drop"}}]),
            "no name of a table",
        ),
        (serde_json::json!([{"name": "a", "nats": {"server": "h", "subject": "x"}}]), "host and port"),
        (
            serde_json::json!([{"name": "a", "nats": {"server": "h:1", "subject": "a b\r\nPUB"}}]),
            "without wildcards",
        ),
        (serde_json::json!([{"name": "a", "batch": 0, "webhook": {"url": "http://x"}}]), "`batch` is 0"),
        (
            serde_json::json!([
                {"name": "a", "webhook": {"url": "http://x"}}, {"name": "a", "webhook": {"url": "http://y"}}
            ]),
            "two sinks",
        ),
    ] {
        let message = refused(sinks.clone());
        assert!(message.contains(words), "{sinks}: {message}");
    }
}

#[test]
fn what_is_missing_in_the_log_is_in_the_status() {
    let mut source = Listed::new(records(&["a"]));
    let skipped = Skipped { file: "w0.00000001.damaged.jsonl".to_owned(), from: 1, to: None };
    source.skipped = Some(skipped.clone());
    let (mut feed, time) = feed(&source, &Scripted::default(), &disk(), FeedSettings::new("ops"));
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(feed.status().get().skipped, [skipped]);
}
