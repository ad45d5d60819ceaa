//! Cost of a budget: a reservation before a call, and its settlement after.

#[cfg(feature = "machine")]
mod bare;
#[cfg(feature = "machine")]
mod disk;
#[cfg(feature = "machine")]
mod redis;
#[cfg(feature = "machine")]
mod spread;

use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Key, Memory, Op, OpId, Scope, StateStore, StepResult, StoreError, Window};

#[cfg(feature = "machine")]
pub use self::disk::on_disk;
#[cfg(feature = "machine")]
pub use self::spread::{is_writer, report, write};
#[cfg(feature = "machine")]
use crate::SetupError;
use crate::{Bar, Case};

/// The cases in memory, whose instructions can be counted.
pub fn cases() -> Vec<Case> {
    let memory = Memory::new(hooks_system::system().clock);
    // Two million a second.
    vec![spending("store/memory, reserve and settle", memory).at_most(Bar::Nanoseconds(500.0))]
}

/// The cases with a server.
///
/// # Errors
/// Returns an error if the server does not start.
#[cfg(feature = "machine")]
pub fn on_server() -> Result<Vec<Case>, SetupError> {
    redis::cases()
}

/// Reserves and settles repeatedly, from a budget that never runs out.
fn spending(name: &'static str, store: impl StateStore + 'static) -> Case {
    let mut spender = Spender::new(store);
    Case::new(name, move || spender.spend())
}

/// A caller that reserves and settles.
struct Spender<S> {
    store: S,
    scopes: Arc<[Scope]>,
    next: u128,
}

impl<S: StateStore> Spender<S> {
    fn new(store: S) -> Self {
        let key = Key::new(Some("acme"), &["spend", "session", "1c8f0e52"]);
        let scopes = [Scope::spent(key, 1 << 50).per(Window::DAY)].into();
        Self { store, scopes, next: u128::from(std::process::id()) << 64 }
    }

    /// Reserves and settles, and returns whether both succeeded.
    fn spend(&mut self) -> bool {
        let [reserve, settle] = self.both();
        matches!(
            (at_once(self.store.apply(reserve)), at_once(self.store.apply(settle))),
            (Some(Ok(StepResult::Done)), Some(Ok(StepResult::Done)))
        )
    }

    /// The same with a store that may answer later.
    #[cfg(feature = "machine")]
    async fn spend_later(&mut self) -> bool {
        let [reserve, settle] = self.both();
        let reserved = self.store.apply(reserve).await;
        matches!((reserved, self.store.apply(settle).await), (Ok(StepResult::Done), Ok(StepResult::Done)))
    }

    fn both(&mut self) -> [Op; 2] {
        self.next += 1;
        // Scattered like IDs that are hashes of text.
        let id = OpId(self.next.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835));
        let (scopes, ttl) = (Arc::clone(&self.scopes), Duration::from_secs(60));
        [Op::Reserve { id, scopes, amount: 7, ttl }, Op::Settle { id, actual: 5 }]
    }
}

/// The answer of an engine that answers immediately.
fn at_once(
    answer: HookFuture<'static, Result<StepResult, StoreError>>,
) -> Option<Result<StepResult, StoreError>> {
    match answer {
        HookFuture::Now(answer) => answer,
        HookFuture::Later(_) => None,
    }
}
