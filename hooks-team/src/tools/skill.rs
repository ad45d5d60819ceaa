//! `squad_skill`: reads and writes skills.

use std::task::{Context, Poll};

use hooks_core::HookFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use tower_service::Service;

use super::{Tool, ToolError, ToolOutput, not_too_long};
use crate::Team;
use crate::files::{Confidence, NewSkill};
use crate::folder::TeamPath;

/// The arguments of `squad_skill`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkillArgs {
    /// Name of the skill.
    pub skill_name: String,
    /// Whether to read or to write it.
    pub operation: SkillOperation,
    /// Instructions of the skill, in Markdown; required to write.
    #[serde(default)]
    pub content: Option<String>,
    /// Confidence of the team in the skill; medium by default.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}

/// Operation on a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkillOperation {
    /// Read the skill.
    #[default]
    Read,
    /// Write the skill.
    Write,
}

/// Reads and writes skills. The previous version of a skill is kept next to it.
#[derive(Clone, Debug)]
pub struct UseSkill {
    team: Team,
}

impl Tool for SkillArgs {
    const NAME: &'static str = "squad_skill";
    const DESCRIPTION: &'static str = "Read one of the team's skills, or write down how something is done.";

    fn writes(&self, _team: &Team) -> Option<TeamPath> {
        let is_written = self.operation == SkillOperation::Write;
        is_written.then(|| Team::skill_place(&self.skill_name).ok()).flatten()
    }
}

impl UseSkill {
    /// Reads and writes the skills of `team`.
    pub const fn new(team: Team) -> Self {
        Self { team }
    }

    fn answer(&self, args: SkillArgs) -> Result<ToolOutput, ToolError> {
        let SkillArgs { skill_name: name, operation, content, confidence } = args;
        match operation {
            SkillOperation::Read => {
                let skill = self.team.skill(&name)?;
                Ok(ToolOutput::new(String::from_utf8_lossy(skill.document().bytes())))
            }
            SkillOperation::Write => {
                let content =
                    content.ok_or_else(|| ToolError::invalid("content", "it is needed to write a skill"))?;
                not_too_long("content", &content)?;
                let confidence = confidence.unwrap_or_default();
                let place =
                    self.team.write_skill(&NewSkill { name, content, confidence, ..NewSkill::default() })?;
                Ok(ToolOutput::writing(&self.team, &place, format!("written to `{place}`")))
            }
        }
    }
}

impl Service<SkillArgs> for UseSkill {
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = HookFuture<'static, Result<ToolOutput, ToolError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, args: SkillArgs) -> Self::Future {
        let this = self.clone();
        HookFuture::later(async move { this.answer(args) })
    }
}
