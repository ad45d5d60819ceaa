//! Time limit for work that is done elsewhere.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use hooks_core::time::Timer;
use hooks_core::{BoxError, HookFuture};
use hooks_team::Team;

/// A time limit, and the timer that measures it.
#[derive(Clone)]
pub(crate) struct Limit {
    after: Duration,
    timer: Arc<dyn Timer>,
}

/// Error: the work took too long. It may still finish later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was not done within {0:?}")]
struct Late(Duration);

impl Limit {
    pub(crate) fn new(after: Duration, timer: Arc<dyn Timer>) -> Self {
        Self { after, timer }
    }

    /// Returns a limit of half the time.
    pub(crate) fn half(&self) -> Self {
        Self { after: self.after / 2, timer: Arc::clone(&self.timer) }
    }

    /// Runs `work`, or returns an error when the time is up. Work that is already done is returned at once.
    pub(crate) fn on<T: Send + 'static>(
        &self,
        work: HookFuture<'static, Result<T, BoxError>>,
    ) -> HookFuture<'static, Result<T, BoxError>> {
        if matches!(work, HookFuture::Now(_)) {
            return work;
        }
        let (after, late) = (self.after, self.timer.sleep(self.after));
        HookFuture::later(async move {
            match select(work, late).await {
                Either::Left((done, _)) => done,
                Either::Right(_) => Err(Late(after).into()),
            }
        })
    }

    /// Returns `team` with half of the limit for its lock, so that a lock held by another process is reported
    /// before the limit ends.
    pub(crate) fn of_team(&self, team: Team) -> Team {
        team.with_patience(self.after / 2)
    }
}

impl fmt::Debug for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Limit").field(&self.after).finish()
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::VirtualTime;

    use super::*;

    #[test]
    fn what_is_late_is_an_error_and_what_is_there_is_not_waited_for() {
        let time = VirtualTime::default();
        let limit = Limit::new(Duration::from_secs(5), Arc::new(time.clone()));
        let never = HookFuture::later(std::future::pending::<Result<(), BoxError>>());
        let error = time.block_on(limit.on(never)).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "it was not done within 5s");
        assert!(matches!(limit.on(HookFuture::now(Ok(1))), HookFuture::Now(Some(Ok(1)))));
    }
}
