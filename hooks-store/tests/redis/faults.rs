//! Faults of servers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId, Scope, StateStore as _, StepResult, StoreError, Window};
use hooks_core::testing::HandClock;
use hooks_core::time::Timestamp;
use hooks_store::redis::{EpochChange, EpochKind, Redis, RedisSettings};
use rustix::process::Signal;

use crate::server::Server;
use crate::world::{patient_store, runtime, with};

const MINUTE: Duration = Duration::from_secs(60);

fn key(name: &str) -> Key {
    Key::new(Some("acme"), &[name])
}

fn reserve(id: u128, amount: u64) -> Op {
    let scopes = [Scope::spent(key("day"), 1_000).per(Window::DAY), Scope::spent(key("session"), 100)].into();
    Op::Reserve { id: OpId(id), scopes, amount, ttl: MINUTE }
}

async fn used(store: &Redis) -> [(u64, u64); 2] {
    let mut all = [(0, 0); 2];
    for (place, (name, window)) in [("day", Window::DAY), ("session", Window::Always)].into_iter().enumerate()
    {
        let answer = store.apply(Op::Used { key: key(name), window }).await.unwrap();
        let StepResult::Used { used, held } = answer else { panic!("{answer:?}") };
        all[place] = (used, held);
    }
    all
}

/// Epoch changes that were reported.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<EpochChange>>>);

impl Told {
    fn by(store: &Redis) -> Self {
        let told = Self::default();
        let heard = told.clone();
        store.tell(Arc::new(move |change| heard.0.lock().unwrap().push(change)));
        told
    }

    fn kinds(&self) -> Vec<EpochKind> {
        self.0.lock().unwrap().iter().map(|change| change.kind).collect()
    }
}

/// Makes three reservations: one open with 10 of 20, one that used 5, one that was released.
async fn spend(store: &Redis) {
    for id in 1..=3 {
        assert_eq!(store.apply(reserve(id, 10)).await.unwrap(), StepResult::Done);
    }
    let extend = Op::Extend { id: OpId(1), to: 20, ttl: MINUTE };
    assert_eq!(store.apply(extend).await.unwrap(), StepResult::Done);
    assert_eq!(store.apply(Op::Settle { id: OpId(2), actual: 5 }).await.unwrap(), StepResult::Done);
    assert_eq!(store.apply(Op::Release { id: OpId(3) }).await.unwrap(), StepResult::Done);
    assert_eq!(used(store).await, SPENT);
}

const SPENT: [(u64, u64); 2] = [(25, 20); 2];

/// Checks that the result of [`spend`] is known, and that sending it again changes nothing.
async fn is_known(store: &Redis) {
    assert_eq!(used(store).await, SPENT);
    assert_eq!(store.apply(reserve(1, 10)).await.unwrap(), StepResult::Done);
    assert_eq!(store.apply(reserve(2, 10)).await.unwrap(), StepResult::Ended { actual: 5 });
    assert_eq!(used(store).await, SPENT);
}

#[test]
fn killed_and_started_again_it_knows_what_it_said() {
    let Some(mut server) = Server::start_append_only() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "killed:");
        let told = Told::by(&store);
        spend(&store).await;
        server.kill();
        server.resume();
        is_known(&store).await;
        is_known(&patient_store(&server, "killed:")).await;
        assert_eq!(told.kinds(), [EpochKind::Restarted]);
    });
}

#[test]
fn what_the_end_of_the_file_lost_is_told_again() {
    let Some(mut server) = Server::start_append_only() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "torn:");
        let told = Told::by(&store);
        spend(&store).await;
        server.kill();
        let folder = server.folder().join("appendonlydir");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.into_iter().find(|path| path.to_string_lossy().contains(".incr.")).unwrap();
        let length = std::fs::metadata(&file).unwrap().len();
        std::fs::File::options().write(true).open(&file).unwrap().set_len(length / 2).unwrap();
        server.resume();
        is_known(&store).await;
        assert_eq!(told.kinds(), [EpochKind::Restarted]);
    });
}

#[test]
fn what_was_flushed_is_told_again_and_told() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let (store, other) = (patient_store(&server, "flushed:"), patient_store(&server, "flushed:"));
        let (told, other_told) = (Told::by(&store), Told::by(&other));
        other.connect().await.unwrap();
        spend(&store).await;
        let insert = Op::Insert {
            id: OpId(9),
            set: key("locked"),
            name: "backend".into(),
            note: "by the reviewer".into(),
            ttl: None,
        };
        store.apply(insert).await.unwrap();
        server.run(&["FLUSHALL"]);
        is_known(&store).await;
        let members = other.apply(Op::Members { set: key("locked") }).await.unwrap();
        assert!(matches!(&members, StepResult::Members { members, .. } if members.len() == 1), "{members:?}");
        assert_eq!(told.kinds(), [EpochKind::Emptied]);
        assert_eq!(other_told.kinds(), [EpochKind::Emptied]);
        assert_eq!(told.0.lock().unwrap()[0].restored, 4);
    });
}

#[test]
fn started_again_without_its_data_it_is_told_what_its_clients_know() {
    let Some(mut server) = Server::start() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "lost:");
        let told = Told::by(&store);
        spend(&store).await;
        let put = |value: &str| Op::Put { key: key("value"), value: value.into(), ttl: None };
        assert_eq!(store.apply(put("a")).await.unwrap(), StepResult::Written(1));
        server.kill();
        server.resume();
        is_known(&store).await;
        assert_eq!(told.kinds(), [EpochKind::Emptied]);
        assert_eq!(store.apply(put("b")).await.unwrap(), StepResult::Written(2), "revisions go on");
    });
}

#[test]
fn a_limit_does_not_keep_back_what_was_granted() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let (one, other) = (patient_store(&server, "full:"), patient_store(&server, "full:"));
        one.apply(reserve(1, 60)).await.unwrap();
        other.apply(reserve(2, 40)).await.unwrap();
        server.run(&["FLUSHALL"]);
        // A third client is faster than the other two.
        let third = patient_store(&server, "full:");
        assert_eq!(third.apply(reserve(3, 30)).await.unwrap(), StepResult::Done);
        one.apply(Op::Now).await.unwrap();
        other.apply(Op::Now).await.unwrap();
        assert_eq!(used(&one).await, [(130, 130); 2], "granted is granted, and nothing more is");
        assert!(matches!(third.apply(reserve(4, 1)).await, Err(StoreError::Closed(_))));
    });
}

#[test]
fn an_emptied_server_grants_nothing_until_everybody_could_tell_what_is_held() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = || {
            let mut settings = RedisSettings::new(server.url()).with_prefix("settling:");
            (settings.timeout, settings.settle) = (Duration::from_secs(10), Duration::from_secs(2));
            with(settings)
        };
        let (one, other) = (store(), store());
        other.apply(reserve(4, 50)).await.unwrap();
        one.apply(reserve(1, 40)).await.unwrap();
        server.run(&["FLUSHALL"]);
        let answer = one.apply(reserve(2, 10)).await;
        assert!(
            matches!(&answer, Err(StoreError::Closed(why)) if why.contains("emptied")),
            "{answer:?}: what the other has is not known yet"
        );
        let fresh = store();
        assert!(matches!(fresh.apply(reserve(3, 10)).await, Err(StoreError::Closed(_))), "whoever asks");
        assert!(matches!(
            one.apply(Op::Extend { id: OpId(1), to: 60, ttl: MINUTE }).await,
            Err(StoreError::Closed(_))
        ));
        // A reservation that was granted before stays valid.
        let renewal = Op::Extend { id: OpId(1), to: 0, ttl: MINUTE };
        assert_eq!(one.apply(renewal).await.unwrap(), StepResult::Done);
        assert_eq!(one.apply(Op::Settle { id: OpId(1), actual: 30 }).await.unwrap(), StepResult::Done);
        other.apply(Op::Now).await.unwrap();
        let mut answer = fresh.apply(reserve(5, 30)).await;
        while matches!(answer, Err(StoreError::Closed(_))) {
            tokio::time::sleep(Duration::from_millis(20)).await;
            answer = fresh.apply(reserve(5, 30)).await;
        }
        assert_eq!(answer.unwrap(), StepResult::Refused { scope: 1, used: 80, limit: 100 });
        assert_eq!(fresh.apply(reserve(6, 20)).await.unwrap(), StepResult::Done);
    });
}

#[test]
fn a_connection_may_take_longer_than_an_answer() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        // Through a proxy that delays new connections for longer than the timeout of answers.
        let url = format!("redis://127.0.0.1:{}", server.far_away(Duration::from_millis(700)));
        let settings = |timeout| RedisSettings::new(&*url).with_timeout(timeout);
        let store = with(settings(Duration::from_millis(500)));
        assert!(matches!(store.apply(Op::Now).await.unwrap(), StepResult::Now(_)));
        let mut hasty = settings(Duration::from_millis(500));
        hasty.connecting = Duration::from_millis(100);
        let StoreError::Unavailable(why) = with(hasty).apply(Op::Now).await.unwrap_err() else { panic!() };
        assert_eq!(why, "no connection within 100ms", "and it is said once");
    });
}

#[test]
fn a_cut_connection_and_a_lost_script_are_not_noticed() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "cut:");
        spend(&store).await;
        server.run(&["SCRIPT", "FLUSH"]);
        is_known(&store).await;
        server.run(&["CLIENT", "KILL", "TYPE", "normal"]);
        is_known(&store).await;
    });
}

#[test]
fn a_server_that_stands_still_is_not_waited_for() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let settings = RedisSettings::new(server.url()).with_prefix("still:");
        let store = with(settings.with_timeout(Duration::from_millis(500)));
        spend(&store).await;
        server.signal(Signal::STOP);
        let pending = tokio::time::timeout(Duration::from_secs(30), async {
            for _ in 0..20 {
                store.apply(reserve(7, 10)).await.unwrap_err();
            }
        });
        pending.await.expect("twice half a second, five times, and then not at all");
        server.signal(Signal::CONT);
        // Any of the messages may have been processed meanwhile: the operation is done once.
        let mut answer = store.apply(reserve(7, 10)).await;
        while answer.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            answer = store.apply(reserve(7, 10)).await;
        }
        assert_eq!(answer.unwrap(), StepResult::Done);
        assert_eq!(used(&store).await, [(35, 30); 2]);
    });
}

#[test]
fn two_prefixes_know_nothing_of_each_other() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let (one, other) = (patient_store(&server, "one:"), patient_store(&server, "other:"));
        spend(&one).await;
        assert_eq!(used(&other).await, [(0, 0); 2]);
    });
}

#[test]
fn a_clock_that_jumps_by_an_hour_gives_nothing_back() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let clock = Arc::new(HandClock::default());
        let store = patient_store(&server, "jumps:").at(clock.clone());
        let (noon, hour) = (Timestamp(1_790_000_000_000), 3_600_000);
        let window = Window::Every(Duration::from_secs(3_600));
        let scopes: Arc<[Scope]> = [Scope::spent(key("hour"), 10).per(window)].into();
        let reserve = |id| Op::Reserve { id: OpId(id), scopes: scopes.clone(), amount: 6, ttl: MINUTE };
        let hour_used = || Op::Used { key: key("hour"), window };
        clock.set(noon);
        assert_eq!(store.apply(reserve(1)).await.unwrap(), StepResult::Done);
        clock.set(Timestamp(noon.0 - hour));
        assert!(
            matches!(store.apply(reserve(2)).await.unwrap(), StepResult::Refused { used: 6, .. }),
            "back"
        );
        clock.set(Timestamp(noon.0 + hour));
        assert_eq!(store.apply(hour_used()).await.unwrap(), StepResult::Used { used: 0, held: 0 });
        assert_eq!(store.apply(reserve(1)).await.unwrap(), StepResult::Ended { actual: 6 }, "it is charged");
        assert_eq!(store.apply(reserve(2)).await.unwrap(), StepResult::Done, "a new hour");
        clock.set(noon);
        assert_eq!(
            store.apply(hour_used()).await.unwrap(),
            StepResult::Used { used: 6, held: 6 },
            "it stands"
        );
        // A reservation from before the border is settled in its own window.
        assert_eq!(store.apply(Op::Settle { id: OpId(1), actual: 9 }).await.unwrap(), StepResult::Done);
        assert_eq!(store.apply(hour_used()).await.unwrap(), StepResult::Used { used: 6, held: 6 });
    });
}

#[test]
fn a_lost_holder_is_charged_by_the_servers_time() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "expired:");
        let scopes = [Scope::spent(key("session"), 100), Scope::places(key("at once"), 1)].into();
        let short = Op::Reserve { id: OpId(1), scopes, amount: 1, ttl: Duration::from_millis(200) };
        assert_eq!(store.apply(short).await.unwrap(), StepResult::Done);
        tokio::time::sleep(Duration::from_millis(300)).await;
        let at_once = Op::Used { key: key("at once"), window: Window::Always };
        assert_eq!(store.apply(at_once).await.unwrap(), StepResult::Used { used: 0, held: 0 });
        assert_eq!(used(&store).await[1], (1, 0));
        assert_eq!(store.apply(Op::Settle { id: OpId(1), actual: 0 }).await.unwrap(), StepResult::Done);
        assert_eq!(used(&store).await[1], (0, 0));
    });
}
