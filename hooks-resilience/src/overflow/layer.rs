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
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use hooks_resilience::overflow::Means;
    /// use hooks_resilience::{Replied, Call, ErrorKind, ModelError, OverflowLayer, OverflowConfig};
    /// # use hooks_core::drivers::ModelRequest;
    /// # use hooks_core::event::{Message, Role};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # use tower::{Layer, ServiceExt, service_fn};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let page = Message::text(Role::User, "the same page ".repeat(300));
    /// # let messages = vec![page.clone(), page, Message::text(Role::User, "and now?")];
    /// # let request = ModelRequest { messages, ..ModelRequest::default() };
    /// # let call = Call::new(Default::default(), request, hooks_core::state::OpId(1));
    ///
    /// let log = Arc::new(Mutex::new(Vec::new()));
    /// let listener = Arc::clone(&log);
    /// let settings = OverflowConfig::default().with_means([Means::Deduplicate]);
    /// let layer = OverflowLayer::new(settings, world)?.telling(move |compacted| {
    ///     assert!(compacted.tokens_after < compacted.tokens_before);
    ///     listener.lock().expect("no holder panics").extend_from_slice(compacted.means);
    /// });
    /// // The conversation has the same page of 4,200 characters twice.
    /// let stack = layer.layer(service_fn(async |call: Call| {
    ///     let size: usize = call.messages().iter().map(|message| message.content.to_string().len()).sum();
    ///     match size {
    ///         0..5_000 => Ok(Replied::new(call, "yes")),
    ///         _ => Err(ModelError::new(ErrorKind::ContextOverflow, "prompt is too long")),
    ///     }
    /// }));
    /// assert_eq!(stack.oneshot(call).await?.reply, "yes");
    /// assert_eq!(*log.lock().expect("no holder panics"), [Means::Deduplicate]);
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
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
