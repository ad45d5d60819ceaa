//! Cost: a team has a daily budget. A call beyond it is refused before it is made, with the reason.
//! `cargo run -p tower-hooks --example need_cost`

use std::sync::Arc;

use hooks::config::Config;
use hooks::drivers::{ModelCall, ModelOutcome, ModelRequest};
use hooks::event::{Message, ModelReply, Role, Usage};
use hooks::policies::PolicyHooks;
use hooks::{BoxError, GovernModel, HookContext};
use tower::{ServiceExt, service_fn};

const FILE: &str = "
version: 1
budget:
  limits:
    - { of: team, per: day, usd: 0.10 }
    - { of: agent, per: session, usd: 0.05 }
  prices:
    - { model: large, input: 3, output: 15, most_output_tokens: 1500 }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Config::parse(FILE, "hooks.yaml")?.hooks();
    let model = service_fn(async |_: ModelRequest| {
        let usage = Usage { input_tokens: 1_000, output_tokens: 1_200, ..Usage::default() };
        Ok::<_, BoxError>(ModelReply { response: Message::text(Role::Assistant, "yes"), usage, cost: None })
    });
    for number in 1..=6 {
        let agent = if number % 2 == 0 { "backend" } else { "frontend" };
        let context = Arc::new(HookContext::new("session-1", agent).with_environment(hooks::system()));
        let messages = vec![Message::text(Role::User, "go on")];
        let request = ModelRequest { model: "large".to_owned(), iteration: number, messages };
        let governed = GovernModel::new(hooks.clone(), model).oneshot(ModelCall { context, request });
        match governed.await? {
            ModelOutcome::Replied(..) => println!("{agent}, call {number}: answered"),
            ModelOutcome::Stopped(reason) => println!("{agent}, call {number}: refused: {reason}"),
            ModelOutcome::Failed(error, _) => return Err(error),
            other => println!("{agent}, call {number}: {other:?}"),
        }
    }
    let budget = hooks.spend_budget().ok_or("the file has a section `budget`")?;
    let context = HookContext::new("session-1", "backend").with_environment(hooks::system());
    println!("\n{}", budget.report(&context).await?);
    hooks.close().await?;
    Ok(())
}
