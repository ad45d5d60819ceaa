//! Budgets and limits in `hooks.yaml`: accepted values, refused values, and their effect across processes.

use std::sync::Arc;

use hooks_classic::PolicyHooks;
use hooks_config::{CallMeter, Config, ConfigErrors, ConfigReader, Kept, SpendClassify};
use hooks_core::event::{AfterModelCall, BeforeModelCall, Message, ModelReply, PreToolUse, Role, Usage};
use hooks_core::state::{Memory, OpId};
use hooks_core::{HookContext, Hooks, Judged};
use hooks_policies::LockoutRegistry;
use hooks_resilience::{Call, Classified, ErrorKind, ModelError};
use tower::{Layer, ServiceExt, service_fn};

const FILE: &str = "
version: 1
budget:
  limits:
    - { of: team, per: day, usd: 0.05 }
  prices:
    - { model: \"claude-*\", from: 2026-01-01, input: 3, output: 15, most_output_tokens: 2000 }
limits:
  calls:
    - { tools: [deploy], most: 1, of: team, per: day }
";

fn messages(text: &str) -> Vec<String> {
    let errors = Config::parse(text, "hooks.yaml").err();
    errors.iter().flat_map(ConfigErrors::errors).map(ToString::to_string).collect()
}

fn context(call: &str) -> HookContext {
    let mut context = HookContext::new("session-1", "backend").with_environment(hooks_system::system());
    context.call_id = Some(call.to_owned());
    context
}

async fn begins(hooks: &Hooks, call: &str) -> bool {
    let event = BeforeModelCall::new("claude-sonnet", 1, Vec::new());
    let mut decision = hooks.on(context(call)).before_model_call(event).await;
    decision.outcome.take_holds().commit();
    decision.outcome.goes_ahead()
}

#[tokio::test]
async fn two_processes_on_one_store_share_budget_and_limits() {
    let store = Arc::new(Memory::new(hooks_system::system().clock));
    let process = || {
        let kept = Kept::new(Arc::new(LockoutRegistry::default()), store.clone());
        ConfigReader::default().keeping(kept).parse(FILE, "hooks.yaml").unwrap().hooks()
    };
    // Three cents for two thousand tokens.
    assert!(begins(&process(), "1").await);
    assert!(!begins(&process(), "2").await);
    let usage = Usage { output_tokens: 100, ..Usage::default() };
    let reply = ModelReply { response: Message::text(Role::Assistant, "yes"), usage, cost: None };
    let after = AfterModelCall::new("claude-sonnet", 1, &reply);
    assert!(process().on(context("1")).after_model_call(after).await.outcome.goes_ahead());
    assert!(begins(&process(), "2").await);

    for goes_ahead in [true, false] {
        let call = PreToolUse::new("deploy", serde_json::json!({}));
        let mut decision = process().on(HookContext::new("s", "a")).pre_tool_use(call).await;
        decision.outcome.take_holds().commit();
        assert_eq!(decision.outcome.goes_ahead(), goes_ahead);
    }
}

#[test]
fn nonsense_is_refused_at_its_place() {
    for (line, wanted) in [
        (
            "budget: { limits: [{ of: team, per: day, usd: -5 }] }",
            "line 2, column 47: budget.limits[0].usd: `-5`: it is not an amount from 0; write US dollars, such as 25 or 0.075",
        ),
        (
            "budget: { limits: [{ of: team, per: day, usd: 25 EUR }] }",
            "budget.limits[0].usd: expected a number, found a string",
        ),
        (
            "budget: { limits: [{ of: team, per: day, usd: .inf }] }",
            "budget.limits[0].usd: expected a number",
        ),
        (
            "budget: { limits: [{ of: team, per: day, tokens: 1.5 }] }",
            "budget.limits[0].tokens: 1.5 is not an integer from 0",
        ),
        (
            "budget: { limits: [{ of: team, per: day, tokens: 99999999999999999999999 }] }",
            "budget.limits[0].tokens",
        ),
        (
            "budget: { limits: [{ of: team, per: week, usd: 1 }] }",
            "`week` is not known here; there is `session`, `hour`, `day`, `month` or `always`",
        ),
        ("budget: { limits: [{ of: everyone, per: day, usd: 1 }] }", "`everyone` is not known here"),
        ("budget: { limits: [{ of: team, usd: 1 }] }", "`per` is missing"),
        (
            "budget: { limits: [{ of: team, per: day }] }",
            "budget.limits[0]: it limits nothing; give it `usd`, `tokens` or both",
        ),
        ("budget: { limits: [{ of: team, per: day, usd: }] }", "there is no value"),
        ("budget: { limits: [{ of: team, per: day, usd: 1, pr: 2 }] }", "unknown option `pr`"),
        (
            "budget: { prices: [{ model: a, from: 2026-02-30, input: 1, output: 1 }] }",
            "line 2, column 38: budget.prices[0].from: `2026-02-30` is not a day; write it as `2026-01-31`",
        ),
        ("budget: { thresholds: { warn: 120 } }", "budget.thresholds.warn: 120 is more than 100 percent"),
        ("budget: { thresholds: { warn: half } }", "budget.thresholds.warn: expected an integer"),
        (
            "limits: { calls: [{ most: -1, of: team, per: day }] }",
            "limits.calls[0].most: -1 is not an integer from 0",
        ),
        (
            "limits: { loops: { rounds: 0 } }",
            "line 2, column 28: limits.loops.rounds: a circle of nothing; write how many, from 1",
        ),
        ("limits: { iterations: { per: session } }", "`most` is missing"),
    ] {
        let messages = messages(&format!("version: 1\n{line}\n"));
        assert_eq!(messages.len(), 1, "{line}: {messages:#?}");
        assert!(messages[0].contains(wanted), "{line}: {messages:#?}");
    }
    // All mistakes at once, with those of other sections.
    let text = "version: 1
write_guard: { allow: ['{a'] }
limits: { loops: { longest: 0 } }
budget:
  limits:
    - { of: role, named: [x], per: day, usd: 1 }
    - { of: team, per: day, usd: -1 }
";
    let paths = Config::parse(text, "hooks.yaml").unwrap_err();
    let paths: Vec<_> = paths.errors().iter().map(|error| (error.line, error.path.as_str())).collect();
    assert_eq!(
        paths,
        [
            (2, "write_guard.allow[0]"),
            (3, "limits.loops.longest"),
            (6, "budget.limits[0].named[0]"),
            (7, "budget.limits[1].usd"),
        ]
    );
}

#[test]
fn what_nobody_means_is_doubted() {
    let doubts = |text: &str| {
        let config = Config::parse(text, "hooks.yaml").unwrap();
        config.doubts().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let stored = "version: 1\nstore: {}\n";
    let limit = format!("{stored}budget: {{ limits: [{{ of: team, per: day, usd: 1 }}], enforce: layer }}");
    assert!(doubts(&limit)[0].contains("no model has a price"));
    assert!(doubts(&format!("{stored}budget: {{}}"))[0].contains("nothing is limited"));
    let lengths = doubts(&format!("{stored}budget: {{ limits: [{{ of: team, per: day, tokens: 1 }}] }}"));
    assert!(lengths[0].contains("the length of answers is unknown"), "{lengths:?}");
    assert!(doubts(&FILE.replace("version: 1", stored)).is_empty());
    // In memory the state ends with the process.
    for engine in ["version: 1", "version: 1\nstore: { engine: memory }"] {
        let counted = doubts(&format!("{engine}\nask_user: {{ max_per_session: 1 }}"));
        assert_eq!(counted.len(), 1);
        assert!(counted[0].contains("ask_user: it is counted in memory"), "{counted:?}");
    }
}

const MODELS: &str = "
version: 1
models:
  catalog:
    - { name: opus, provider: one, tier: premium, price: { input: 15, output: 75 } }
    - { name: mini, provider: two, tier: fast, price: { input: 0.25, output: 2 } }
  routing: { default: premium }
budget:
  limits: [{ of: model, named: [opus], per: day, usd: 0.1 }]
  hold: { most_output_tokens: 1000 }
  prices: [{ model: mini, input: 0.5, output: 4 }]
  enforce: layer
";

#[tokio::test]
async fn the_catalogs_prices_hold_and_a_chain_goes_on_with_what_is_within_the_budget() {
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let hooks = config.clone().hooks();
    let budget = hooks.spend_budget().unwrap();
    let client = service_fn(async |call: Call| {
        let usage = Usage { input_tokens: 1_000, output_tokens: 1_000, ..Usage::default() };
        let response = Message::text(Role::Assistant, call.model_name());
        Ok::<_, ModelError>(ModelReply { response, usage, cost: None })
    });
    let layers = config.models().unwrap().layer(hooks.clone(), SpendClassify(Classified)).unwrap();
    let stack = layers.layer(budget.layer(CallMeter).layer(client));
    let needs = hooks_resilience::Needs { input_tokens: 1_000, output_tokens: 1_000, ..Default::default() };
    let mut answers = Vec::new();
    for number in ["1", "2"] {
        let call =
            Call::new(context("").into(), Default::default(), OpId::from_parts(&[number])).needing(needs);
        let answered = stack.clone().oneshot(call).await.unwrap();
        answers.push(answered.reply.response.content.clone());
        if number == "2" {
            assert_eq!(answered.failed[0].kind, ErrorKind::Stopped);
            assert!(answered.failed[0].message.contains("the budget of model `opus` on this day is used up"));
        }
    }
    assert_eq!(answers, ["opus", "mini"]);
    let report = budget.report(&context("")).await.unwrap();
    assert_eq!((report.spent["opus"].usd, report.spent["mini"].usd), (Some(90_000), Some(4_500)));
}
