//! Question to a source of context.

use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::event::StartSource;

use super::Words;

/// Question to the sources: the agent, its task and the moment.
///
/// Sources compare the words of a task with those of their entries, by stems:
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::source::{Ask, Moment};
/// use hooks_core::HookContext;
///
/// let context = Arc::new(HookContext::new("session-1", "lead"));
/// let ask = |task: &str| Ask::new(Arc::clone(&context), "tester", Moment::Child).about(task);
/// let task = ask("Test the parser of headers");
/// assert_eq!(task.words.shared_with(&ask("parseHeader was tested").words), 2);
/// assert_eq!(task.words.shared_with(&ask("Buttons are blue").words), 0);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ask {
    /// Context of the event.
    pub context: Arc<HookContext>,
    /// Name of the agent that begins; for a spawn, the child.
    pub agent: String,
    /// Task of the agent, if known: the first prompt, or a child's task.
    pub task: String,
    /// The words of the task.
    pub words: Words,
    /// Name of the agent's model.
    pub model: Option<String>,
    /// Session id of the child that is created, if known.
    pub child: Option<String>,
    /// Moment in the agent's life.
    pub moment: Moment,
}

/// Moments in an agent's life at which context is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Moment {
    /// A session starts, from this source.
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

    /// Sets the task of the agent.
    #[must_use]
    pub fn about(mut self, task: impl Into<String>) -> Self {
        self.task = task.into();
        self.words = Words::from_text(&self.task);
        self
    }

    /// Sets the model that reads the context.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::source::{Ask, Moment};
    /// use hooks_core::HookContext;
    ///
    /// let context = Arc::new(HookContext::new("session-1", "lead"));
    /// let ask = Ask::new(context, "tester", Moment::Child).for_model(Some("opus"));
    /// assert_eq!(ask.model.as_deref(), Some("opus"));
    /// ```
    #[must_use]
    pub fn for_model(mut self, model: Option<impl Into<String>>) -> Self {
        self.model = model.map(Into::into);
        self
    }

    /// Sets the session id of the child.
    #[must_use]
    pub fn for_child(mut self, child: Option<String>) -> Self {
        self.child = child;
        self
    }
}

impl Moment {
    /// Whether the agent still has the context that it was given before.
    ///
    /// ```
    /// use hooks_context::source::Moment;
    /// use hooks_core::event::StartSource;
    ///
    /// assert!(Moment::Turn.goes_on() && Moment::Session(StartSource::Resume).goes_on());
    /// assert!(!Moment::Session(StartSource::Compact).goes_on()); // the model lost its context
    /// ```
    pub const fn goes_on(self) -> bool {
        matches!(self, Self::Turn | Self::Session(StartSource::Resume))
    }
}
