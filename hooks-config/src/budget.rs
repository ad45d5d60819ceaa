//! The budget of a configuration: prices from the model catalog, and the meters of the layers around a model.

use std::sync::Arc;

use hooks_budgets::ModelPriceConfig;
use hooks_budgets::spend::{
    CallSize, Meter, MeterPiece, MeterReply, PieceSize, SpendError, Used, estimated_tokens,
};
use hooks_classic::PolicyConfig;
use hooks_core::event::{MicroUsd, ModelReply};
use hooks_resilience::{Call, Chunk, Classify, ErrorKind, ModelError};

use super::models::Models;

/// Returns `policy` completed from the catalog, so that an operator writes nothing twice. Models that the
/// budget does not list get their catalog price. If no maximum output length is set, the context window is
/// the maximum, because no answer is longer.
pub(super) fn priced(policy: &PolicyConfig, models: Option<&Models>) -> PolicyConfig {
    let mut policy = policy.clone();
    let Some((budget, models)) = policy.budget.as_mut().zip(models) else { return policy };
    for model in models.resilience.catalog().models() {
        let mut listed = budget.prices.iter_mut().filter(|price| price.model == *model.name).peekable();
        let is_listed = listed.peek().is_some();
        for price in listed {
            price.most_output_tokens = price.most_output_tokens.or(model.context_tokens);
        }
        if let (Some(price), false) = (model.price, is_listed || model.name.contains('*')) {
            budget.prices.push(ModelPriceConfig {
                model: model.name.to_string(),
                from: None,
                input: dollars(price.input),
                output: dollars(price.output),
                cached: None,
                reasoning: None,
                most_output_tokens: model.context_tokens,
            });
        }
    }
    policy
}

/// Dollars, as the configuration writes them. Prices are far below the largest integer that an `f64` holds
/// exactly.
fn dollars(MicroUsd(micros): MicroUsd) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "the catalog takes no price above 2^53 millionths")]
    let micros = micros as f64;
    micros / 1e6
}

/// Meters the client below the layers of `models`: each attempt is charged with the price of its own model.
/// The fallback chain selects the model, so the budget's `cheaper` has no effect here.
///
/// ```
/// use hooks_config::{CallMeter, Config, SpendClassify};
/// use hooks_core::event::{Message, ModelReply, Role, Usage};
/// use hooks_classic::PolicyHooks;
/// use hooks_resilience::{Call, Classified, ModelError};
/// use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = Config::parse("
/// version: 1
/// models:
///   catalog: [{ name: opus, provider: one, tier: premium, price: { input: 15, output: 75 } }]
///   routing: { default: premium }
/// budget:
///   limits: [{ of: team, per: day, usd: 20 }]
///   hold: { most_output_tokens: 32000 }
///   enforce: layer
/// ", "hooks.yaml")?;
/// let client = service_fn(async |_: Call| {
///     let usage = Usage { input_tokens: 1_000, output_tokens: 200, ..Usage::default() };
///     Ok::<_, ModelError>(ModelReply { response: Message::text(Role::Assistant, "yes"), usage, cost: None })
/// });
/// let hooks = config.clone().hooks();
/// let budget = hooks.spend_budget().ok_or("there is a budget")?;
/// let models = config.models().ok_or("there are models")?;
/// let stack = models.layer(hooks.clone(), SpendClassify(Classified))?.layer(budget.layer(CallMeter).layer(client));
///
/// let context = HookContext::new("session-1", "backend").with_environment(hooks_system::system());
/// stack.oneshot(Call::new(context.clone().into(), ModelRequest::default(), OpId::from_parts(&["1"]))).await?;
/// assert_eq!(budget.report(&context).await?.spent["opus"].usd, Some(30_000));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CallMeter;

impl Meter<Call> for CallMeter {
    fn size(&self, call: &Call) -> CallSize {
        let needs = call.needs();
        let input_tokens = match needs.input_tokens {
            0 => estimated_tokens(call.messages()),
            counted => counted,
        };
        let size = CallSize::new(Arc::clone(call.context()), call.model_name(), input_tokens);
        size.replying_at_most((needs.output_tokens > 0).then_some(needs.output_tokens))
    }
}

impl MeterReply<ModelReply> for CallMeter {
    fn used(&self, reply: &ModelReply) -> Used {
        Used::tokens(reply.usage).costing(reply.cost)
    }
}

impl MeterPiece<Chunk> for CallMeter {
    fn piece(&self, piece: &Chunk) -> PieceSize {
        match piece {
            Chunk::Text(text) => PieceSize::text(text),
            Chunk::ToolStart { name, .. } => PieceSize::text(name),
            Chunk::ToolArgs { json, .. } => PieceSize::text(json),
            Chunk::Usage(usage) => PieceSize::so_far(Used::tokens(*usage)),
            _ => PieceSize::default(),
        }
    }
}

/// Classifies the errors of a metered client. A call that the budget refuses is `Stopped`, and another model
/// of the chain may still be within the budget. All other errors go to the client's own classifier.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpendClassify<C>(pub C);

impl<E, C: Classify<E>> Classify<SpendError<E>> for SpendClassify<C> {
    fn classify(&self, error: SpendError<E>) -> ModelError {
        match error {
            SpendError::Model(error) => self.0.classify(error),
            refused => ModelError::new(ErrorKind::Stopped, refusal(refused)),
        }
    }
}

fn refusal<E>(error: SpendError<E>) -> String {
    match error {
        SpendError::Refused(refusal) => refusal.to_string(),
        _ => "the budget does not allow it".to_owned(),
    }
}
