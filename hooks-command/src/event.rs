//! The table of events and their powers, which determines parsing, running, merging and documentation.

use std::fmt;

use hooks_core::EventKind;

use crate::rules::Profile;

/// An event for which handlers can be configured: a row of the table.
#[derive(Debug)]
pub struct HookEvent {
    /// Name of the event in a block and in the payload.
    pub name: &'static str,
    /// The profile that introduced the event.
    pub since: Profile,
    /// Our event that happens at the same moment.
    pub kind: EventKind,
    /// Whether docker-agent has the event; the others are only ours.
    pub is_theirs: bool,
    powers: Powers,
}

/// The effects that handlers of an event can have. Any other effect that they request is reported or ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers {
    /// Whether entries have matchers for tool names.
    pub on_tools: bool,
    /// Whether a block is honoured.
    pub blocks: bool,
    /// Whether a handler that fails is a block, even if its `on_error` differs.
    pub closes: bool,
    /// Whether a handler that fails and has no `on_error` is a block. If the event cannot be blocked, the
    /// result is withheld.
    pub guards: bool,
    /// Whether plain output and `additional_context` are used.
    pub context: bool,
    /// Whether `instruction_context` is used.
    pub instructions: bool,
    /// Whether `permission_decision` is a verdict: deny, ask, allow.
    pub decides: bool,
    /// Whether `permission_decision` answers in place of the user.
    pub approves: bool,
    /// Whether `metadata` is used.
    pub metadata: bool,
    /// Whether `summary` is used.
    pub summary: bool,
    /// The part of the event that handlers can rewrite.
    pub rewrites: Rewrites,
    /// Whether handlers run one after the other, each with the changes of those before it.
    pub in_turn: bool,
}

/// The part of an event that handlers can rewrite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rewrites {
    /// Nothing.
    #[default]
    Nothing,
    /// The arguments of a tool.
    Arguments,
    /// The messages of a model call.
    Messages,
    /// The result of a tool.
    Response,
}

/// The entries of `pre_tool_use` that are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Entries that take part in approval.
    #[default]
    Ordinary,
    /// Entries with `preempt_yolo: true`, which no approval skips.
    Preempt,
}

const fn theirs(name: &'static str, kind: EventKind) -> HookEvent {
    HookEvent { name, since: Profile::July, kind, is_theirs: true, powers: NO_POWERS }
}

const NO_POWERS: Powers = Powers {
    on_tools: false,
    blocks: false,
    closes: false,
    guards: false,
    context: false,
    instructions: false,
    decides: false,
    approves: false,
    metadata: false,
    summary: false,
    rewrites: Rewrites::Nothing,
    in_turn: false,
};

impl HookEvent {
    const fn since(mut self, profile: Profile) -> Self {
        self.since = profile;
        self
    }

    const fn ours(mut self) -> Self {
        self.is_theirs = false;
        self
    }

    const fn on_tools(mut self) -> Self {
        self.powers.on_tools = true;
        self
    }

    const fn blocks(mut self) -> Self {
        self.powers.blocks = true;
        self
    }

    const fn closes(mut self) -> Self {
        self.powers.blocks = true;
        self.powers.closes = true;
        self
    }

    const fn guards(mut self) -> Self {
        self.powers.guards = true;
        self
    }

    const fn context(mut self) -> Self {
        self.powers.context = true;
        self
    }

    const fn instructions(mut self) -> Self {
        self.powers.instructions = true;
        self
    }

    const fn decides(mut self) -> Self {
        self.powers.decides = true;
        self
    }

    const fn approves(mut self) -> Self {
        self.powers.approves = true;
        self
    }

    const fn metadata(mut self) -> Self {
        self.powers.metadata = true;
        self
    }

    const fn summary(mut self) -> Self {
        self.powers.summary = true;
        self
    }

    const fn rewrites(mut self, what: Rewrites) -> Self {
        self.powers.rewrites = what;
        self.powers.in_turn = true;
        self
    }
}

use EventKind as Kind;

/// All events, in the order of a session.
pub static EVENTS: &[HookEvent] = &[
    theirs("worktree_create", Kind::WorktreeCreated).blocks().guards().context(),
    theirs("session_start", Kind::SessionStart).context().instructions(),
    theirs("user_prompt_submit", Kind::UserPromptSubmitted).blocks().guards().context(),
    theirs("user_steering_messages_submit", Kind::UserPromptSubmitted).blocks().guards().context(),
    theirs("user_followup_submit", Kind::UserPromptSubmitted).blocks().guards().context(),
    theirs("turn_start", Kind::TurnStart).context().instructions(),
    theirs("before_llm_call", Kind::BeforeModelCall).blocks().guards().rewrites(Rewrites::Messages),
    theirs("after_llm_call", Kind::AfterModelCall),
    theirs("tool_input_transform", Kind::PreToolUse)
        .since(Profile::September)
        .on_tools()
        .blocks()
        .guards()
        .rewrites(Rewrites::Arguments),
    theirs("tool_guard", Kind::PreToolUse).since(Profile::September).on_tools().closes().decides().metadata(),
    theirs("pre_tool_use", Kind::PreToolUse).on_tools().closes().decides().rewrites(Rewrites::Arguments),
    theirs("permission_request", Kind::PermissionRequest).on_tools().blocks().approves().metadata(),
    theirs("on_tool_approval_decision", Kind::ToolDecided),
    theirs("tool_response_transform", Kind::PostToolUse).on_tools().guards().rewrites(Rewrites::Response),
    theirs("post_tool_use", Kind::PostToolUse).on_tools().blocks(),
    theirs("turn_end", Kind::TurnEnd),
    theirs("stop", Kind::Stop),
    theirs("subagent_stop", Kind::SubagentStop),
    theirs("on_agent_switch", Kind::AgentSwitched),
    theirs("on_user_input", Kind::UserInputRequested),
    theirs("notification", Kind::Notification),
    theirs("on_error", Kind::ErrorOccurred),
    theirs("on_max_iterations", Kind::MaxIterations),
    theirs("on_session_resume", Kind::MaxIterations),
    theirs("pre_compact", Kind::PreCompact).blocks().context(),
    theirs("before_compaction", Kind::PreCompact).blocks().summary(),
    theirs("after_compaction", Kind::PostCompact),
    theirs("session_end", Kind::SessionEnd),
    theirs("subagent_start", Kind::SubagentStart).ours().closes().decides(),
    theirs("subagent_spawned", Kind::SubagentSpawned).ours(),
    theirs("spawn_failed", Kind::SpawnFailed).ours(),
    theirs("route", Kind::Route).ours().closes().decides(),
];

impl HookEvent {
    /// The event that has this name in docker-agent, or is only ours.
    ///
    /// ```
    /// use hooks_command::HookEvent;
    ///
    /// assert_eq!(HookEvent::named("subagent_start").map(|event| event.name), Some("subagent_start"));
    /// assert!(HookEvent::named("before_tool").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Self> {
        EVENTS.iter().find(|event| event.name == name)
    }

    /// The events that a key of a block stands for: one of docker-agent's, or all moments of one of ours.
    ///
    /// ```
    /// use hooks_command::HookEvent;
    ///
    /// let names = |key| HookEvent::meant_by(key).iter().map(|event| event.name).collect::<Vec<_>>();
    /// assert_eq!(names("turn_end"), ["turn_end"]);
    /// // One of our events can be several of docker-agent's.
    /// assert_eq!(names("max_iterations"), ["on_max_iterations", "on_session_resume"]);
    /// assert!(names("before_tool").is_empty());
    /// ```
    pub fn meant_by(key: &str) -> Vec<&'static Self> {
        if let Some(event) = Self::named(key) {
            return vec![event];
        }
        let kind = EventKind::from_name(key);
        // The phases of a tool call have different powers, so the block has to name each of them.
        EVENTS.iter().filter(|event| Some(event.kind) == kind && !event.powers.on_tools).collect()
    }

    /// The powers of the event's handlers in a profile.
    ///
    /// ```
    /// use hooks_command::event::Rewrites;
    /// use hooks_command::{HookEvent, Lane, Profile};
    ///
    /// let event = HookEvent::named("pre_tool_use").ok_or("no such event")?;
    /// let ordinary = event.powers(Profile::September, Lane::Ordinary);
    /// assert!(ordinary.decides && ordinary.closes && ordinary.rewrites == Rewrites::Arguments);
    /// // An entry with `preempt_yolo: true` does not rewrite.
    /// assert_eq!(event.powers(Profile::September, Lane::Preempt).rewrites, Rewrites::Nothing);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn powers(&self, profile: Profile, lane: Lane) -> Powers {
        let mut powers = self.powers;
        if lane == Lane::Preempt {
            powers = Powers { rewrites: Rewrites::Nothing, in_turn: false, metadata: true, ..powers };
        }
        if profile == Profile::July {
            // The July profile accepts blocks, context and instructions at every event, and the caller
            // decides their effect.
            let text = powers.context || matches!(self.name, "post_tool_use" | "stop");
            powers = Powers {
                blocks: true,
                guards: false,
                instructions: true,
                context: text,
                in_turn: false,
                ..powers
            };
        }
        powers
    }

    /// Whether a profile has the event.
    pub fn is_in(&self, profile: Profile) -> bool {
        self.since <= profile
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_of_ours_is_a_moment_of_theirs_or_our_own() {
        for kind in EventKind::ALL {
            assert!(EVENTS.iter().any(|event| event.kind == *kind), "{kind}");
            let own = HookEvent::named(kind.name()).is_some();
            assert!(own || !HookEvent::meant_by(kind.name()).is_empty(), "{kind}");
        }
    }

    #[test]
    fn names_are_unique_and_twenty_eight_are_theirs() {
        let mut names: Vec<_> = EVENTS.iter().map(|event| event.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EVENTS.len());
        assert_eq!(EVENTS.iter().filter(|event| event.is_theirs).count(), 28);
        let summer = EVENTS.iter().filter(|event| event.is_theirs && event.is_in(Profile::July));
        assert_eq!(summer.count(), 26);
    }

    #[test]
    fn our_names_stand_for_every_moment() {
        let names = |key| HookEvent::meant_by(key).iter().map(|event| event.name).collect::<Vec<_>>();
        assert_eq!(
            names("user_prompt_submitted"),
            ["user_prompt_submit", "user_steering_messages_submit", "user_followup_submit"]
        );
        assert_eq!(names("max_iterations"), ["on_max_iterations", "on_session_resume"]);
        assert_eq!(names("pre_tool_use"), ["pre_tool_use"]);
        assert!(names("session_begin").is_empty());
    }
}
