//! Five agents share a budget of one dollar: their streams are cut when it is spent.
//! `cargo run -p tower-hooks --example budget`

use std::convert::Infallible;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use hooks::budgets::spend::{CallSize, Meter, MeterPiece, PieceSize};
use hooks::config::Config;
use hooks::policies::PolicyHooks;
use hooks::{BoxError, HookContext, Judged, event::SubagentStart};
use tower::{Layer, ServiceExt, service_fn};

const FILE: &str = "
version: 1
budget:
  limits:
    - { of: team, per: day, usd: 1 }
  prices:
    - { model: large, input: 3, output: 15 }
  hold: { output_tokens: 1000 }
  enforce: layer
";

/// A request to the service of this program. Any type will do.
#[derive(Clone)]
struct Ask {
    context: Arc<HookContext>,
    input_tokens: u64,
}

/// The meter: sizes of requests and of the pieces of answers.
#[derive(Clone)]
struct Reads;

impl Meter<Ask> for Reads {
    fn size(&self, ask: &Ask) -> CallSize {
        CallSize::new(Arc::clone(&ask.context), "large", ask.input_tokens).replying_at_most(Some(64_000))
    }
}

impl MeterPiece<&'static str> for Reads {
    fn piece(&self, text: &&'static str) -> PieceSize {
        PieceSize::text(text)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Config::parse(FILE, "hooks.yaml")?.hooks();
    let budget = hooks.spend_budget().ok_or("the file has a section `budget`")?;
    // A model that generates text until it is stopped.
    let talks = service_fn(async |_: Ask| {
        Ok::<_, Infallible>(stream::repeat("and so on, ").map(Ok::<_, Infallible>).take(20_000))
    });
    let model = budget.stream_layer(Reads).layer(talks);

    let agents = (1..=5).map(|number| {
        let context = HookContext::new("session-1", format!("agent-{number}"));
        let context = Arc::new(context.with_environment(hooks::system()));
        let call = model.clone().oneshot(Ask { context, input_tokens: 2_000 });
        async move {
            let mut answer = match call.await {
                Ok(answer) => answer,
                Err(refused) => return format!("agent-{number} was refused: {refused}"),
            };
            let mut pieces = 0;
            while let Some(piece) = answer.next().await {
                match piece {
                    Ok(_) => pieces += 1,
                    Err(cut) => return format!("agent-{number} was cut after {pieces} pieces: {cut}"),
                }
                tokio::task::yield_now().await;
            }
            format!("agent-{number} got {pieces} pieces")
        }
    });
    for line in join_all(agents).await {
        println!("{line}");
    }

    let context = HookContext::new("session-1", "agent-1").with_environment(hooks::system());
    println!("\n{}\n", budget.report(&context).await?);
    let child = hooks.on(context).subagent_start(SubagentStart::new("agent-6", "help")).await.outcome;
    println!("another agent? {}", child.shown_reason().map_or("yes", |reason| &reason.message));
    hooks.close().await?;
    Ok(())
}
