use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hooks_core::fs::Disk;
use hooks_core::testing::{FakeDisk, VirtualTime};
use hooks_core::time::Timestamp;
use hooks_core::{Environment, HookFuture, Strength};
use proptest::prelude::*;

use super::*;
use crate::chain::{After, Chain, Lines, SALT};
use crate::read::{Kept, Positions, ReadError, Skipped};
use crate::record::{Payload, Record};
use crate::segment::Segment;

/// Records of one chain, one for each of `tenants`.
pub(super) fn records(tenants: &[&str]) -> Vec<Committed> {
    let one = |(at, tenant): (usize, &&str)| {
        let mut record = Record::new("post_tool_use", Timestamp(at as u64));
        (record.seq, record.tenant) = (at as u64 + 1, Some((*tenant).to_owned()));
        let payload = Kept::Payload(Box::new(Payload::new("secret".into())));
        Committed { chain: "w0".into(), log: "l".into(), record, payload }
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
        self.behind = positions.last_in("w0");
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

/// Behaviour of a sink for a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    Take,
    /// Takes the batch, and the answer is lost.
    TakeAndFail,
    /// Takes the batch without two records, and does not name them.
    TakePart,
    Fail,
    Hang,
}

#[derive(Clone, Default)]
struct Scripted {
    script: Arc<Mutex<VecDeque<Does>>>,
    got: Arc<Mutex<Vec<(u64, bool)>>>,
    keys: Arc<Mutex<Vec<String>>>,
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
            self.keys.lock().unwrap().extend(records.iter().map(Committed::key));
        }
        match does {
            Does::Take => HookFuture::now(Ok(())),
            Does::TakePart => {
                HookFuture::now(Err(SinkError::Partly { refused: 2, message: "too old".into() }))
            }
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
    // Payloads are not sent by default.
    assert!(sink.got.lock().unwrap().iter().all(|(_, payload)| !payload));
    let status = first.status().get();
    assert_eq!((status.delivered, status.last_record), (10, Some(Timestamp(9))));
    // A second process waits while the first one feeds.
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
    let status = feed.status().get();
    assert_eq!(status.refused_in.as_deref(), Some(Path::new("/f/s.refused")));
    assert_eq!(status.last_refusal.as_deref(), Some("not this one"));
    let refused = disk.read(Path::new("/f/s.refused"), 1_000).unwrap().unwrap();
    assert_eq!(refused, b"{\"key\":\"l:w0:3\",\"reason\":\"not this one\"}\n");
}

#[test]
fn what_a_batch_is_taken_without_is_counted_and_nothing_is_given_again() {
    let (source, sink, disk) = (Listed::new(records(&["a"; 6])), Scripted::default(), disk());
    sink.script.lock().unwrap().push_back(Does::TakePart);
    let (mut feed, time) = feed(&source, &sink, &disk, settings());
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(sink.got(), [5, 6]);
    assert_eq!((feed.status().get().delivered, feed.status().get().refused), (4, 2));
    let refused = disk.read(Path::new("/f/s.refused"), 1_000).unwrap().unwrap();
    assert_eq!(refused, b"{\"key\":\"l:w0:1 to l:w0:4\",\"reason\":\"too old\"}\n");
}

#[test]
fn a_sink_of_one_tenant_gets_nothing_of_another() {
    let source = Listed::new(records(&["a", "b", "b", "b", "b", "b", "a", "b"]));
    let (sink, disk) = (Scripted::default(), disk());
    let (mut first, time) = feed(&source, &sink, &disk, settings().of_tenants(["a".to_owned()]));
    assert!(run(&time, first.catch_up(1)));
    assert_eq!(sink.got(), [1, 7]);
    drop(first);
    // The stored position also covers records that are not for the sink.
    let place = disk.read(Path::new("/f/s.position"), 1_000).unwrap().unwrap();
    let place: serde_json::Value = serde_json::from_slice(&place).unwrap();
    assert_eq!(place["positions"], serde_json::json!({"w0": 8}));
}

#[test]
fn a_sink_of_denials_gets_what_was_denied_or_answered_so() {
    let mut all = records(&["a", "a", "a", "a", "b"]);
    let decisions = [
        (Some(Strength::Allow), None),
        (Some(Strength::Deny), None),
        // A client that cannot ask denies.
        (Some(Strength::Ask), Some("deny")),
        (None, None),
        (Some(Strength::Deny), Some("deny")),
    ];
    for (committed, (outcome, answered)) in all.iter_mut().zip(decisions) {
        committed.record.outcome = outcome;
        committed.record.answered = answered.map(str::to_owned);
    }
    for (only, expected) in [
        (&[Strength::Deny][..], &[2, 3][..]),
        (&[Strength::Deny, Strength::Ask], &[2, 3]),
        (&[Strength::Ask], &[3]),
        (&[Strength::Allow], &[1]),
        (&[], &[1, 2, 3, 4]),
    ] {
        let (source, sink, disk) = (Listed::new(all.clone()), Scripted::default(), disk());
        let settings = settings().of_tenants(["a".to_owned()]).of_decisions(only.iter().copied());
        let (mut feed, time) = feed(&source, &sink, &disk, settings);
        assert!(run(&time, feed.catch_up(1)));
        assert_eq!(sink.got(), expected, "{only:?}");
    }
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
    drop(feed);
    disk.put("/f/s.position", br#"{"version":7,"positions":{"w0":1}}"#.to_vec());
    let (mut feed, time) = self::feed(&source, &sink, &disk, settings());
    assert!(!run(&time, feed.catch_up(1)));
    assert!(feed.status().get().last_error.unwrap().contains("version 7"));
}

proptest! {
    /// Kills and restarts the feed at random times, with a sink that fails at random: acknowledged records
    /// stay delivered, none is skipped, and the order is kept.
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

/// A log that a test writes, and its sink.
struct Written {
    disk: FakeDisk,
    chain: Chain,
    sink: Scripted,
}

impl Written {
    /// Creates a log without records, begun at `at`.
    fn new(disk: &FakeDisk, at: u64) -> Self {
        let mut log = Self { disk: disk.clone(), chain: Chain::new("w0"), sink: Scripted::default() };
        log.next_file(After::Start, at);
        log
    }

    fn file(&self) -> PathBuf {
        let (chain, number) = (self.chain.name.clone(), self.chain.segment);
        Segment::new(chain, number).path(Path::new("/log"))
    }

    fn next_file(&mut self, after: After, at: u64) {
        let mut out = Vec::new();
        self.chain.header(after, Timestamp(at), &mut out);
        self.disk.put(self.file(), out);
    }

    fn commit(&mut self, salt: u8) {
        let (mut out, mut lines) = (Vec::new(), Lines::behind(self.chain.seq));
        let payload = Payload::new("kept".into());
        lines
            .push(&mut Record::new("stop", Timestamp(u64::from(salt))), Some(&payload), &[salt; SALT])
            .unwrap();
        self.chain.commit(&lines, self.chain.commit, Timestamp(0), &mut out);
        self.disk.append(&self.file(), &out).unwrap();
    }

    fn feed(&self) -> (Feed<LogSource, Scripted>, VirtualTime) {
        let (source, time) = (LogSource::new(Arc::new(self.disk.clone()), "/log"), VirtualTime::default());
        let (place, environment) = (Arc::new(self.disk.clone()), Environment::detached());
        let sink = self.sink.clone();
        let feed = Feed::new(source, sink, place, "/log/sinks", settings(), &environment, time.clone());
        (feed, time)
    }

    /// Feeds the present records; returns the error if not all were delivered.
    fn fed(&self) -> Option<String> {
        let (mut feed, time) = self.feed();
        match run(&time, feed.catch_up(1)) {
            true => None,
            false => feed.status().get().last_error,
        }
    }

    /// Keys that the sink got, without numbers.
    fn ids(&self) -> BTreeSet<String> {
        let keys = self.sink.keys.lock().unwrap();
        keys.iter().map(|key| key.rsplit_once(':').unwrap().0.to_owned()).collect()
    }
}

#[test]
fn a_log_is_followed_while_it_is_written() {
    let mut log = Written::new(&disk().with_directory("/log"), 0);
    let (mut feed, time) = log.feed();
    assert_eq!(run(&time, feed.step()), Step::Idle);
    for _ in 0..3 {
        log.commit(0);
    }
    // The last record counts once a later mark states that it is synced.
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(log.sink.got(), [1, 2]);
    log.commit(0);
    assert!(run(&time, feed.catch_up(1)));
    assert_eq!(log.sink.got(), [1, 2, 3]);
}

#[test]
fn two_logs_have_no_key_in_common_and_one_keeps_its_own() {
    let ids = |salt| {
        let disk = disk().with_directory("/log");
        let mut log = Written::new(&disk, 0);
        (0..3).for_each(|_| log.commit(salt));
        assert_eq!(log.fed(), None);
        let before = log.ids();
        let [id] = &Vec::from_iter(&before)[..] else { panic!("{before:?}") };
        assert!(id.len() == 35 && id.ends_with(":w0"), "{id}");
        // Retention deletes the first file, and another sink begins.
        let first = log.file();
        log.next_file(After::Sealed, 1);
        disk.remove(&first).unwrap();
        disk.remove(Path::new("/log/sinks/s.position")).unwrap();
        (0..3).for_each(|_| log.commit(salt));
        assert_eq!(log.fed(), None);
        assert_eq!(log.ids(), before);
        assert_eq!(log.sink.got(), [1, 2, 4, 5]);
        before
    };
    assert!(ids(1).is_disjoint(&ids(2)));
    assert_eq!(ids(1), ids(1));
}

#[test]
fn a_place_that_is_not_in_this_log_is_no_place() {
    let disk = disk().with_directory("/log");
    let mut log = Written::new(&disk, 0);
    (0..4).for_each(|_| log.commit(1));
    assert_eq!(log.fed(), None);
    let place = Path::new("/log/sinks/s.position");
    // A position ahead of the log is refused; one at its last record is not.
    for (seq, is_right) in [(4, true), (5, false), (99_999, false), (u64::MAX, false)] {
        disk.put(place, format!(r#"{{"version":1,"positions":{{"w0":{seq}}}}}"#).into_bytes());
        let told = log.fed();
        assert_eq!(told.is_none(), is_right, "{seq}: {told:?}");
        assert!(is_right || told.unwrap().contains("is ahead of the log"));
    }
    // A position in an earlier log, while the new log is shorter.
    disk.remove(place).unwrap();
    assert_eq!(log.fed(), None);
    disk.remove(&log.file()).unwrap();
    let mut log = Written::new(&disk, 1);
    assert!(log.fed().unwrap().contains("is ahead of the log"));
    (0..9).for_each(|_| log.commit(2));
    for _ in 0..2 {
        let told = log.fed().unwrap();
        assert!(told.contains("another log") && told.contains("remove it to send everything"), "{told}");
    }
    assert!(log.sink.got().is_empty());
    disk.remove(place).unwrap();
    assert_eq!(log.fed(), None);
    assert_eq!(log.sink.got(), (1..9).collect::<Vec<_>>());
}

#[test]
fn a_place_in_a_log_that_was_put_back_and_grew_is_no_place() {
    let disk = disk().with_directory("/log");
    let place = Path::new("/log/sinks/s.position");
    let read = |path: &Path| disk.read(path, 1 << 20).unwrap().unwrap();
    let mut log = Written::new(&disk, 0);
    (0..4).for_each(|_| log.commit(1));
    let (copy, chain) = (read(&log.file()), log.chain.clone());
    // The same in a later file, which the binary search finds.
    (0..2).for_each(|_| log.commit(1));
    log.next_file(After::Sealed, 1);
    (0..3).for_each(|_| log.commit(1));
    assert_eq!(log.fed(), None);
    assert_eq!(log.fed(), None);
    let kept = read(place);
    disk.remove(&log.file()).unwrap();
    log.chain = chain;
    disk.put(log.file(), copy);
    assert!(log.fed().unwrap().contains("is ahead of the log"));
    (0..9).for_each(|_| log.commit(2));
    let given = log.sink.got();
    for _ in 0..2 {
        let told = log.fed().unwrap();
        assert!(told.contains("place in another log: record `w0:8`"), "{told}");
        assert!(told.contains("remove it to send everything"), "{told}");
    }
    assert_eq!((log.sink.got(), read(place)), (given, kept.clone()));
    // A position of an older version has no fingerprint. The feed continues, and the position has one from
    // then on.
    let mut older: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    assert!(older.as_object_mut().unwrap().remove("last").is_some());
    disk.put(place, older.to_string().into_bytes());
    assert_eq!(log.fed(), None);
    let newer: serde_json::Value = serde_json::from_slice(&read(place)).unwrap();
    assert!(newer["last"]["w0"].is_string());
    // The fingerprint is stored even if there are no new records.
    let mut idle = newer.clone();
    assert!(idle.as_object_mut().unwrap().remove("last").is_some());
    disk.put(place, idle.to_string().into_bytes());
    assert_eq!(log.fed(), None);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&read(place)).unwrap(), newer);
    // If retention deleted the record, nothing is compared.
    disk.put(place, kept);
    let first = log.file();
    log.next_file(After::Sealed, 3);
    (0..2).for_each(|_| log.commit(3));
    disk.remove(&first).unwrap();
    assert_eq!(log.fed(), None);
}

#[test]
fn a_log_whose_end_is_damaged_is_no_other_log() {
    let disk = disk().with_directory("/log");
    let mut log = Written::new(&disk, 0);
    (0..3).for_each(|_| log.commit(1));
    assert_eq!(log.fed(), None);
    disk.put(log.file(), Vec::new());
    let told = log.fed();
    assert!(told.is_none(), "{told:?}");
}

#[test]
fn sinks_that_make_no_sense_are_refused() {
    let refused = |json: serde_json::Value| {
        let sinks: Vec<SinkConfig> = serde_json::from_value(json).unwrap();
        SinkConfig::check_all(&sinks).unwrap_err().1.to_string()
    };
    for (sinks, words) in [
        (serde_json::json!([{"name": "A b"}]), "not a name of a sink"),
        (serde_json::json!([{"name": "a"}]), "has no kind"),
        (
            serde_json::json!([{"name": "a", "nats": {"server": "h:1", "subject": "x"}, "postgres": {"url_env": "X"}}]),
            "or several",
        ),
        (serde_json::json!([{"name": "a", "otlp": {"endpoint": "ftp://x"}}]), "or `https://`"),
        (
            serde_json::json!([{"name": "a", "postgres": {"url_env": "X", "table": "a; drop"}}]),
            "not a name of a table",
        ),
        (serde_json::json!([{"name": "a", "otlp": {"endpoint": "http://a b:99999/"}}]), "is not an address"),
        (serde_json::json!([{"name": "a", "webhook": {"url": "http://h:99999/"}}]), "is not an address"),
        (serde_json::json!([{"name": "a", "webhook": {"url": "http:///x"}}]), "is not an address"),
        (serde_json::json!([{"name": "a", "webhook": {"url": "http://h/a b"}}]), "is not an address"),
        (serde_json::json!([{"name": "a", "webhook": {"url": "http://u:p@h/"}}]), "is not an address"),
        (serde_json::json!([{"name": "a", "nats": {"server": "h", "subject": "x"}}]), "host and port"),
        (
            serde_json::json!([{"name": "a", "nats": {"server": "tls://h:1", "subject": "x"}}]),
            "host and port",
        ),
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
fn addresses_that_a_client_takes_are_taken() {
    for sink in [
        serde_json::json!({"name": "a", "otlp": {"endpoint": "http://localhost:4318"}}),
        serde_json::json!({"name": "a", "webhook": {"url": "http://[::1]:8080/hook?a=b%20c&d=1"}}),
        serde_json::json!({"name": "a", "webhook": {"url": "http://a_b.example"}}),
        serde_json::json!({"name": "a", "nats": {"server": "nats://localhost:4222", "subject": "x"}}),
        serde_json::json!({"name": "a", "nats": {"server": "127.0.0.1:4222", "subject": "x"}}),
    ] {
        let sink: SinkConfig = serde_json::from_value(sink).unwrap();
        assert_eq!(SinkConfig::check_all(std::slice::from_ref(&sink)), Ok(()), "{sink:?}");
        if let Some(webhook) = &sink.webhook {
            assert!(webhook.url.parse::<::http::Uri>().is_ok(), "{sink:?}");
        }
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
