//! A session under one section, and the calls in it.

use std::io::Write;
use std::sync::Arc;

use hooks::config::ConfigReader;
use hooks::drivers::{ToolCall, ToolRequest};
use hooks::event::{PreToolUse, SessionStart};
use hooks::store::StoreThread;
use hooks::{HookContext, Hooks, Judged, Session};
use serde_json::Value;
use tower::ServiceExt;

use super::example::Example;
use super::folder::CopiedTeam;
use crate::demo::report::Report;
use crate::demo::script::Call;
use crate::demo::team::Reviewer;
use crate::demo::tools::Tools;
use crate::failure::Failure;

/// A session with the tools of the demo.
pub(super) struct Stage {
    pub(super) hooks: Hooks,
    session: Session,
    tools: Tools,
}

/// Whether a call starts something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// The tool of the demo runs.
    Really,
    /// The call is judged, and counts as one that succeeded. Commands that stand in a file of the team are not started.
    Only,
}

impl Stage {
    /// Opens a session under a configuration.
    pub(super) async fn open(found: &CopiedTeam, sections: &Value) -> Result<Self, Failure> {
        let reader = ConfigReader::default().store_thread(StoreThread::AtOnce).recording_nothing();
        let read = reader.parse(&sections.to_string(), "the section");
        let hooks = read.map_err(|errors| Failure::message(errors.to_string()))?.hooks();
        let mut context =
            HookContext::new("demo-squad", "").in_dir(found.root()).with_environment(hooks::system());
        context.team_root = Some(found.root().to_owned());
        let (session, _) = Session::start(hooks.clone(), context, SessionStart::default()).await;
        let tools = Tools::new(found.root().to_owned(), found.folder().to_owned());
        Ok(Self { hooks, session, tools })
    }

    /// Returns the context of an agent's calls.
    pub(super) fn context(&self, agent: &str) -> HookContext {
        let mut context = HookContext::clone(self.session.context());
        agent.clone_into(&mut context.agent_name);
        context
    }

    /// Returns the reason for which a call would be denied; nothing runs, and nothing is counted.
    pub(super) async fn objection(&self, agent: &str, example: &Example) -> Option<String> {
        let event = PreToolUse::new(example.tool.as_str(), example.args.clone());
        let decision = self.hooks.on(self.context(agent)).pre_tool_use(event).await;
        let reason = decision.outcome.shown_reason().map(|reason| reason.message.clone());
        reason.filter(|_| decision.outcome.is_denied())
    }

    /// Makes a call and prints the answer.
    pub(super) async fn call(
        &mut self,
        out: &mut impl Write,
        report: &mut Report,
        (agent, example): (&str, &Example),
        runs: Runs,
        note: &str,
    ) -> Result<(), Failure> {
        if self.session.context().agent_name != agent {
            self.session.switch_agent(agent).await;
        }
        let tools =
            if runs == Runs::Only { self.tools.clone().starting_nothing() } else { self.tools.clone() };
        let governed = self.session.tools(tools).with_approver(Reviewer::default());
        let call = Call {
            agent: agent.to_owned(),
            tool: example.tool.clone(),
            args: example.args.clone(),
            answer: None,
            note: note.to_owned(),
        };
        let request = ToolRequest {
            context: Arc::clone(self.session.context()),
            call: ToolCall::new(call.tool.as_str(), call.args.clone()),
        };
        let governed = governed.oneshot(request).await;
        let governed = governed.map_err(|error| Failure::message(format!("the call failed: {error}")))?;
        report.call(out, &call, &governed, self.tools.take_raw().as_ref(), None)?;
        Ok(())
    }
}
