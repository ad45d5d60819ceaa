//! `squad_memory`: adds a note to an agent's history.

use std::task::{Context, Poll};

use hooks_core::HookFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use tower_service::Service;

use super::{Tool, ToolError, ToolOutput, not_too_long};
use crate::Team;
use crate::files::MemorySection;
use crate::folder::TeamPath;

/// The arguments of `squad_memory`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[non_exhaustive]
pub struct MemoryArgs {
    /// Agent whose history gets the note: a name on the team.
    pub agent: String,
    /// Kind of the note.
    pub section: MemorySection,
    /// Text of the note.
    pub content: String,
}

/// Adds notes to histories. Notes of other writers stay unchanged, also if they are written at the same time.
#[derive(Clone, Debug)]
pub struct Remember {
    team: Team,
}

impl Tool for MemoryArgs {
    const NAME: &'static str = "squad_memory";
    const DESCRIPTION: &'static str =
        "Add a note to an agent's history, which that agent reads at the start of every session.";

    fn writes(&self, team: &Team) -> Option<TeamPath> {
        team.history_place(&self.agent).ok()
    }
}

impl Remember {
    /// Adds notes for `team`.
    pub const fn new(team: Team) -> Self {
        Self { team }
    }

    fn answer(&self, args: &MemoryArgs) -> Result<ToolOutput, ToolError> {
        not_too_long("content", &args.content)?;
        let place = self.team.remember(&args.agent, args.section, &args.content)?;
        Ok(ToolOutput::writing(&self.team, &place, format!("added to `{place}`, {}", args.section.heading())))
    }
}

impl Service<MemoryArgs> for Remember {
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = HookFuture<'static, Result<ToolOutput, ToolError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, args: MemoryArgs) -> Self::Future {
        let this = self.clone();
        HookFuture::later(async move { this.answer(&args) })
    }
}
