//! Cost of the engine that answers as Squad does. `benches/peers/squad` measures Squad itself.

use hooks_policies::squad::{SquadCall, SquadPipeline, SquadPolicy};
use serde_json::{Value, json};

use crate::{Case, SetupError};

/// One pipeline with all policies enabled, and ten lockouts.
///
/// # Errors
/// Returns an error if the policy is refused.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let jane = "ask jane@example.com about the build, then look at src/parser/expression.rs again";
    Ok(vec![
        judged("squad/edit, allow", "edit", json!({"path": "src/parser/expression.rs", "content": "x"}))?,
        judged("squad/edit, block", "edit", json!({"path": "lib/parser/expression.rs", "content": "x"}))?,
        judged("squad/command, allow", "bash", json!({"command": "npm run build -- --watch"}))?,
        judged("squad/command, block", "bash", json!({"command": "sudo rm -rf build"}))?,
        scrubbed("squad/result, one address", jane)?,
        scrubbed(
            "squad/result, no address",
            "the build is green; nothing was written outside of src/parser",
        )?,
    ])
}

fn pipeline() -> Result<SquadPipeline, SetupError> {
    let policy = json!({
        "allowedWritePaths": ["docs/**", "test/**", ".squad/**", "src/**"],
        "maxAskUserPerSession": 3,
        "scrubPii": true,
        "reviewerLockout": true,
    });
    let pipeline = SquadPipeline::new(Some(&SquadPolicy::try_from(policy)?))?;
    for place in 0..10 {
        pipeline.lockouts().lockout(&format!("src/module{place}/file{place}.ts"), "Backend");
    }
    Ok(pipeline)
}

fn judged(name: &'static str, tool: &'static str, arguments: Value) -> Result<Case, SetupError> {
    let pipeline = pipeline()?;
    Ok(Case::new(name, move || pipeline.pre(&mut SquadCall::new(tool, &arguments, "Backend", "session-1"))))
}

fn scrubbed(name: &'static str, text: &'static str) -> Result<Case, SetupError> {
    let pipeline = pipeline()?;
    let arguments = Value::Null;
    Ok(Case::new(name, move || {
        pipeline.post(&mut SquadCall::new("view", &arguments, "Backend", "session-1"), Some(text.into()))
    }))
}
