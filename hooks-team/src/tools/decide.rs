//! `squad_decide`: records a decision for the whole team.

use std::task::{Context, Poll};

use hooks_core::HookFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use tower_service::Service;

use super::{Tool, ToolError, ToolOutput, not_too_long};
use crate::Team;
use crate::files::NewDecision;
use crate::folder::TeamPath;

/// The arguments of `squad_decide`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[non_exhaustive]
pub struct DecideArgs {
    /// Author of the decision: your name on the team.
    pub author: String,
    /// The decision, in one sentence of at most 200 characters.
    pub summary: String,
    /// Reason of the decision, and its consequences.
    pub body: String,
    /// Issues, files or decisions to which it refers.
    #[serde(default)]
    pub references: Vec<String>,
}

/// Writes decisions to a team's inbox. Equal decisions get separate files.
#[derive(Clone, Debug)]
pub struct Decide {
    team: Team,
}

impl Tool for DecideArgs {
    const NAME: &'static str = "squad_decide";
    const DESCRIPTION: &'static str = "Record a decision that the whole team has to follow. It goes to the team's inbox and is merged from there.";

    /// The name of the file has a random part, which is not known yet.
    fn writes(&self, _team: &Team) -> Option<TeamPath> {
        Some(Team::decision_place(&self.clone().into()))
    }
}

impl From<DecideArgs> for NewDecision {
    fn from(args: DecideArgs) -> Self {
        let DecideArgs { author, summary, body, references } = args;
        Self { author, summary, body, references }
    }
}

impl Decide {
    /// Records decisions for `team`.
    pub const fn new(team: Team) -> Self {
        Self { team }
    }

    fn answer(&self, args: DecideArgs) -> Result<ToolOutput, ToolError> {
        not_too_long("body", &args.body)?;
        args.references.iter().try_for_each(|reference| not_too_long("references", reference))?;
        let place = self.team.decide(&args.into())?;
        Ok(ToolOutput::writing(&self.team, &place, format!("recorded as `{place}`")))
    }
}

impl Service<DecideArgs> for Decide {
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = HookFuture<'static, Result<ToolOutput, ToolError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, args: DecideArgs) -> Self::Future {
        let this = self.clone();
        HookFuture::later(async move { this.answer(args) })
    }
}
