use std::fmt;
use std::sync::Arc;

use hooks_conversation::{Summariser, Tokenizers};
use hooks_core::drivers::Compactor;
use hooks_core::{CompactNotes, Live};
use tower_layer::Layer;

use super::config::{Means, OverflowConfig, OverflowConfigError};
use super::conversation::Rules;
use super::keep::{Keep, Marked};
use super::service::Overflow;
use crate::call::Call;
use crate::error::{ErrorKind, SameModel, Treatments};
use crate::spare::Spare;
use crate::world::World;

/// Compacts conversations that do not fit. See the module docs.
#[derive(Clone)]
pub struct OverflowLayer(Arc<Shared>);

/// Listener for compactions.
pub(super) type Listener = dyn Fn(&Compacted<'_>) + Send + Sync;

/// State shared by all services of a layer.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) settings: OverflowConfig,
    pub(super) world: World,
    pub(super) rules: Rules,
    pub(super) compactor: Option<Compactor>,
    pub(super) summariser: Option<Summariser>,
    pub(super) listener: Option<Arc<Listener>>,
    pub(super) switched_on: bool,
}

/// The result of a compaction, for a host that continues with the shorter conversation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Compacted<'a> {
    /// The call as it was answered; its request contains the shorter conversation.
    pub call: &'a Call,
    /// Means that were applied, in order.
    pub means: &'a [Means],
    /// Tokens of the original call.
    pub tokens_before: u64,
    /// Tokens of the answered call.
    pub tokens_after: u64,
    /// The notes that `pre_compact` hooks returned: text that had to survive, and state to carry over.
    pub notes: &'a CompactNotes,
}

impl OverflowLayer {
    /// Creates a layer with these settings, [`Tokenizers::default`] and [`Marked`], without hooks or a summariser.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(settings: OverflowConfig, world: World) -> Result<Self, OverflowConfigError> {
        settings.validate()?;
        let rules = Rules { tokenizers: Tokenizers::default(), keep: Arc::new(Marked::default()) };
        Ok(Self(Arc::new(Shared {
            settings,
            world,
            rules,
            compactor: None,
            summariser: None,
            listener: None,
            switched_on: true,
        })))
    }

    /// Calls `hooks` before compactions, which they can veto, and after them.
    #[must_use]
    pub fn with_hooks(self, hooks: impl Into<Live>) -> Self {
        self.with_compactor(Compactor::new(hooks))
    }

    /// Calls hooks as [`with_hooks`](Self::with_hooks) does, through the driver of a session.
    #[must_use]
    pub fn with_compactor(self, compactor: Compactor) -> Self {
        self.change(|shared| shared.compactor = Some(compactor))
    }

    /// Sets the summariser. The host must govern and limit its calls. Here a summary is
    /// limited by [`summary_timeout`](OverflowConfig::summary_timeout) and the deadline of the call.
    #[must_use]
    pub fn with_summariser(self, summariser: Summariser) -> Self {
        self.change(|shared| shared.summariser = Some(summariser))
    }

    /// Sets the tokenizers that count tokens.
    #[must_use]
    pub fn counting_with(self, tokenizers: Tokenizers) -> Self {
        self.change(|shared| shared.rules.tokenizers = tokenizers)
    }

    /// Keeps the messages that `keep` selects.
    #[must_use]
    pub fn keeping(self, keep: impl Keep + 'static) -> Self {
        self.change(|shared| shared.rules.keep = Arc::new(keep))
    }

    /// Compacts only if the treatment of overflows in `treatments` is still compaction.
    #[must_use]
    pub fn treating(self, treatments: &Treatments) -> Self {
        let same_model = treatments.for_kind(ErrorKind::ContextOverflow).same_model;
        self.change(|shared| shared.switched_on = same_model == SameModel::Compacted)
    }

    /// Calls `listener` for each conversation that was answered after a compaction. It is called before the
    /// answer is returned, so it must be quick.
    #[must_use]
    pub fn telling(self, listener: impl Fn(&Compacted<'_>) + Send + Sync + 'static) -> Self {
        self.change(|shared| shared.listener = Some(Arc::new(listener)))
    }

    fn change(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }
}

impl<S> Layer<S> for OverflowLayer {
    type Service = Overflow<S>;

    fn layer(&self, inner: S) -> Overflow<S> {
        Overflow::new(inner, Spare::new(Arc::clone(&self.0)))
    }
}

impl fmt::Debug for OverflowLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overflow").field("settings", &self.settings).finish_non_exhaustive()
    }
}
