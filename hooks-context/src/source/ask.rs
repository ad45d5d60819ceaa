//! What is asked of a source.

use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::event::StartSource;

use super::Words;

/// For whom context is put together, and for what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ask {
    /// Where.
    pub context: Arc<HookContext>,
    /// Who begins: of a spawn, the child.
    pub agent: String,
    /// What it is about to do, where that is known: the first prompt, or a child's task.
    pub task: String,
    /// The words of the task.
    pub words: Words,
    /// Its model.
    pub model: Option<String>,
    /// Of a spawn, the session the child will have, where that is known.
    pub child: Option<String>,
    /// When in its life.
    pub moment: Moment,
}

/// When in an agent's life context is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Moment {
    /// A session starts, as the event says.
    Session(StartSource),
    /// A turn begins.
    Turn,
    /// A child is created.
    Child,
}

impl Ask {
    /// Asks for `agent`, in `context`.
    pub fn new(context: Arc<HookContext>, agent: impl Into<String>, moment: Moment) -> Self {
        Self {
            context,
            agent: agent.into(),
            task: String::new(),
            words: Words::default(),
            model: None,
            child: None,
            moment,
        }
    }

    /// Says what the agent is about to do.
    #[must_use]
    pub fn about(mut self, task: impl Into<String>) -> Self {
        self.task = task.into();
        self.words = Words::of(&self.task);
        self
    }

    /// Says which model reads it.
    #[must_use]
    pub fn for_model(mut self, model: Option<impl Into<String>>) -> Self {
        self.model = model.map(Into::into);
        self
    }

    /// Says which session a child will have.
    #[must_use]
    pub fn for_child(mut self, child: Option<String>) -> Self {
        self.child = child;
        self
    }
}

impl Moment {
    /// Whether the agent still has what it was sent before.
    pub const fn goes_on(self) -> bool {
        matches!(self, Self::Turn | Self::Session(StartSource::Resume))
    }
}
