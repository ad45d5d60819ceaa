use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tower_layer::Layer;

use super::Attempt;
use crate::error::ErrorKind;
use crate::health::SettingsError;
use crate::world::World;

/// Makes one attempt of each call; see [`Attempt`].
#[derive(Debug)]
pub struct AttemptLayer<C> {
    pub(super) shared: Arc<Shared<C>>,
}

/// State shared by all attempts of one layer.
#[derive(Debug)]
pub(super) struct Shared<C> {
    pub(super) world: World,
    pub(super) settings: AttemptConfig,
    pub(super) classify: C,
}

/// Time limits of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AttemptConfig {
    /// Time limit for the client's answer, unless its model sets one. It is shortened if a deadline is near,
    /// so that another model can still answer.
    #[serde(with = "crate::duration")]
    pub timeout: Duration,
    /// Whether the client returns as soon as a stream begins. A timeout then means that the first byte is
    /// late.
    pub streams: bool,
}

impl Default for AttemptConfig {
    /// Ten minutes, as in the providers' own clients.
    fn default() -> Self {
        Self { timeout: Duration::from_secs(600), streams: false }
    }
}

impl AttemptConfig {
    /// Sets the time limit for the client's answer.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Declares that the client returns as soon as a stream begins.
    #[must_use]
    pub const fn streaming(mut self) -> Self {
        self.streams = true;
        self
    }

    /// The error kind of an attempt that ran out of time.
    pub(super) const fn too_late(self) -> ErrorKind {
        if self.streams { ErrorKind::FirstByteTimeout } else { ErrorKind::AttemptTimeout }
    }
}

impl<C> AttemptLayer<C> {
    /// Creates a layer that reads the client's errors with `classify`.
    ///
    /// # Errors
    /// Returns an error if the timeout is zero.
    pub fn new(world: World, settings: AttemptConfig, classify: C) -> Result<Self, SettingsError> {
        if settings.timeout.is_zero() {
            return Err(SettingsError::Zero("attempt_timeout"));
        }
        Ok(Self { shared: Arc::new(Shared { world, settings, classify }) })
    }
}

impl<C> Clone for AttemptLayer<C> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<S, C> Layer<S> for AttemptLayer<C> {
    type Service = Attempt<S, C>;

    fn layer(&self, inner: S) -> Self::Service {
        Attempt::new(inner, self.clone())
    }
}
