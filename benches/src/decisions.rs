//! Cost of a call among many decisions of a team.

use std::fmt::Write as _;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Environment, HookContext, HookRequest, Policy};
use hooks_team_rules::decisions::{DecisionPolicy, Decisions};
use serde_json::json;

use crate::{Bar, Case, SetupError};

/// Ten and a thousand decisions that each ban one library, and calls that break none: an edit of some source text, and a
/// command. The request is new each time, so nothing is read yet.
///
/// # Errors
/// Returns an error if the decisions are not read as a rule each.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let edit = || {
        let text =
            "import { parse } from './parse';\n\nexport const total = (lines: Line[]) => lines.length;\n";
        PreToolUse::new("write", json!({"path": "src/total.ts", "content": text}))
    };
    let command = || PreToolUse::new("bash", json!({"command": "npm install --save-dev prettier"}));
    Ok(vec![
        case("decisions/10, an edit", 10, edit)?,
        case("decisions/1,000, an edit", 1_000, edit)?.at_most(Bar::Times(1.5, "decisions/10, an edit")),
        case("decisions/10, a command", 10, command)?,
        case("decisions/1,000, a command", 1_000, command)?
            .at_most(Bar::Times(1.5, "decisions/10, a command")),
    ])
}

fn case(name: &'static str, count: usize, call: fn() -> PreToolUse) -> Result<Case, SetupError> {
    let mut text = "# Decisions\n\n".to_owned();
    for number in 0..count {
        writeln!(text, "- Never use `library-{number}-x`.")?;
    }
    let decisions = Decisions::parse(&text);
    if decisions.all().iter().map(|decision| decision.rules.len()).sum::<usize>() != count {
        return Err("a decision is not read as one rule".into());
    }
    let policy = DecisionPolicy::new(&decisions, &Default::default());
    let environment = Environment { files: Arc::new(FakeFileSystem::default()), ..Environment::detached() };
    let context =
        Arc::new(HookContext::new("session-1", "agent-7").in_dir("/repo").with_environment(environment));
    Ok(Case::new(name, move || policy.judge(&HookRequest::new(Arc::clone(&context), call()))))
}
