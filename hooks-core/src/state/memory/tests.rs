use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tracing_subscriber::layer::{Context, Layer};

use self::watched::watched;
use super::*;
use crate::state::{Key, OpId, Scope, Window};
use crate::testing::FakeClock;

#[path = "../../../tests/laws/watched.rs"]
mod watched;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// A store with room for eight names, and a counter for ids.
struct Desk {
    clock: Arc<FakeClock>,
    store: Memory,
    ids: u128,
}

impl Desk {
    fn new() -> Self {
        let clock = Arc::new(FakeClock::default());
        let store = Memory::with_room(clock.clone(), 8);
        Self { clock, store, ids: 0 }
    }

    fn apply(&self, op: Op) -> Result<StepResult, StoreError> {
        match self.store.apply(op) {
            HookFuture::Now(Some(answer)) => answer,
            _ => Err(StoreError::Unsupported),
        }
    }

    /// Asks the user once; a session has two questions.
    fn ask(&mut self, session: &str) -> Result<StepResult, StoreError> {
        self.ids += 1;
        let (id, key) = (OpId(self.ids), Key::new(Some("acme"), &["ask-limit", session]));
        let scopes = Arc::from([Scope::spent(key, 2).per(Window::SESSION)]);
        let reserved = self.apply(Op::Reserve { id, scopes, amount: 1, ttl: HOUR })?;
        if reserved == StepResult::Done {
            self.apply(Op::Settle { id, actual: 1 })?;
        }
        Ok(reserved)
    }

    fn names(&self) -> usize {
        self.store.kept().state.names()
    }
}

#[test]
fn a_session_that_may_be_alive_has_no_fresh_budget_however_many_come() {
    let mut desk = Desk::new();
    for _ in 0..2 {
        assert_eq!(desk.ask("s0"), Ok(StepResult::Done));
    }
    for session in 1..8 {
        assert_eq!(desk.ask(&format!("s{session}")), Ok(StepResult::Done));
    }
    assert_eq!(desk.ask("s8"), Err(StoreError::Full { names: 8 }));
    // Known sessions continue, up to their limits.
    assert_eq!(desk.ask("s1"), Ok(StepResult::Done));
    for _ in 0..3 {
        assert!(matches!(desk.ask("s0"), Ok(StepResult::Refused { used: 2, .. })));
    }
}

#[test]
fn those_that_were_silent_for_longest_make_room_after_an_hour() {
    let mut desk = Desk::new();
    for session in 0..8 {
        desk.ask(&format!("s{session}")).unwrap();
        desk.clock.advance(Duration::from_secs(60));
    }
    desk.clock.advance(HOUR);
    desk.ask("s0").unwrap();
    assert_eq!(desk.ask("s8"), Ok(StepResult::Done));
    assert_eq!(desk.names(), 7, "a quarter went at once");
    assert!(matches!(desk.ask("s0"), Ok(StepResult::Refused { used: 2, .. })), "it spoke again");
    let queued = desk.store.kept().state.queued();
    assert_eq!(queued, 7, "what is forgotten is not looked at again");
}

#[test]
fn sessions_that_ended_make_room_first() {
    let mut desk = Desk::new();
    for session in 0..8 {
        desk.ask(&format!("s{session}")).unwrap();
        desk.clock.advance(Duration::from_secs(1));
    }
    for session in ["s6", "s7", "s5"] {
        desk.store.session_ended(Some("acme"), session);
        desk.clock.advance(Duration::from_secs(1));
    }
    // Ends of a session of another tenant, of one whose id is a word, and of one that continued.
    desk.store.session_ended(Some("other"), "s1");
    desk.store.session_ended(Some("acme"), "ask-limit");
    desk.ask("s5").unwrap();
    assert_eq!(desk.ask("s8"), Ok(StepResult::Done));
    assert_eq!(desk.names(), 7);
    for (session, wanted) in [("s5", 3), ("s1", 2), ("s0", 2)] {
        desk.ask(session).unwrap();
        let key = Key::new(Some("acme"), &["ask-limit", session]);
        let used = desk.apply(Op::Used { key, window: Window::SESSION });
        assert_eq!(used, Ok(StepResult::Used { used: wanted.min(2), held: 0 }), "{session}");
    }
}

/// Counts warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<AtomicUsize>);

impl<S: tracing::Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        if *event.metadata().level() == tracing::Level::WARN {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn an_operator_is_warned_before_sessions_are_refused() {
    let warnings = Warnings::default();
    watched(warnings.clone(), || {
        let mut desk = Desk::new();
        for session in 0..8 {
            // One was silent for long.
            desk.clock.advance(if session == 1 { HOUR } else { Duration::ZERO });
            desk.ask(&format!("s{session}")).unwrap();
        }
        assert_eq!(warnings.0.load(Ordering::Relaxed), 0);
        assert_eq!(desk.ask("s8"), Ok(StepResult::Done));
        assert_eq!(warnings.0.load(Ordering::Relaxed), 1, "seven of eight had to stay");
        for session in 9..20 {
            desk.ask(&format!("s{session}")).unwrap_err();
        }
        // Each minute that it looks in vain.
        assert_eq!(warnings.0.load(Ordering::Relaxed), 1);
        desk.clock.advance(Duration::from_secs(61));
        desk.ask("s20").unwrap_err();
        assert_eq!(warnings.0.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn a_reservation_that_is_known_is_answered_where_there_is_no_room() {
    let desk = Desk::new();
    let reserve = |id: u128, key: &str| {
        let scopes = Arc::from([Scope::spent(Key::new(None, &[key]), 2).per(Window::SESSION)]);
        desk.apply(Op::Reserve { id: OpId(id), scopes, amount: 1, ttl: HOUR })
    };
    for id in 0..8 {
        assert_eq!(reserve(id, &format!("s{id}")), Ok(StepResult::Done));
    }
    assert_eq!(reserve(8, "s0"), Err(StoreError::Full { names: 8 }));
    // Sent again, also with another name.
    assert_eq!((reserve(0, "s0"), reserve(0, "other")), (Ok(StepResult::Done), Ok(StepResult::Done)));
}

#[test]
fn what_is_held_or_has_no_end_is_never_forgotten() {
    let mut desk = Desk::new();
    for (number, name) in ["a", "b", "c", "d"].iter().enumerate() {
        let key = Key::new(None, &["team", name]);
        let op = Op::Correct { id: OpId(900 + number as u128), key, window: Window::Always, spent: 1 };
        desk.apply(op).unwrap();
        desk.apply(Op::Put { key: Key::new(None, &["kept", name]), value: "1".into(), ttl: None }).unwrap();
    }
    desk.clock.advance(HOUR * 24 * 300);
    assert_eq!(desk.ask("s1"), Err(StoreError::Full { names: 8 }));
    assert_eq!(desk.names(), 8);
}

#[test]
fn a_flood_of_sessions_leaves_as_many_names_as_there_is_room_for() {
    let mut desk = Desk::new();
    for session in 0..10_000 {
        desk.ask(&format!("s{session}")).unwrap();
        // The session was abandoned: its end is never reported.
        desk.clock.advance(Duration::from_secs(60 * 15));
        assert!(desk.names() <= 8);
    }
    let kept = desk.store.kept();
    assert!(kept.state.queued() <= 8 && kept.room.most() == 8);
}
