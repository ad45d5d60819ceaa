use hooks_core::HookContext;
use hooks_core::drivers::ModelRequest;
use hooks_core::event::MicroUsd;
use hooks_core::state::OpId;
use proptest::prelude::*;

use super::cost::costs_more;
use super::*;
use crate::call::Call;
use crate::catalog::{Catalog, Model, Price, Tier};
use crate::error::ErrorKind;

fn priced(name: &str, provider: &str, tier: Tier, input: u64) -> Model {
    let mut model = Model::new(name, provider, tier);
    model.price = Some(Price { input: MicroUsd(input), output: MicroUsd(input * 5) });
    model
}

fn catalog() -> Catalog {
    let mut secret = Model::new("secret", "anthropic", Tier::Premium);
    secret.restricted = true;
    Catalog::new([
        priced("opus", "anthropic", Tier::Premium, 15),
        priced("gpt-pro", "openai", Tier::Premium, 20),
        secret,
        priced("sonnet", "anthropic", Tier::Standard, 3),
        priced("gpt", "openai", Tier::Standard, 2),
        priced("gemini", "google", Tier::Standard, 4),
        priced("haiku", "anthropic", Tier::Fast, 1),
        Model::new("anything", "local", Tier::Nuclear),
    ])
    .unwrap()
}

fn chains(config: &ChainsConfig) -> Chains {
    Chains::new(&catalog(), config).unwrap()
}

fn names(chain: &Chain) -> Vec<&str> {
    chain.iter().map(|model| &*model.name).collect()
}

#[track_caller]
fn refused(config: &ChainsConfig, path: &str, fault: &ChainFault) {
    let error = Chains::new(&catalog(), config).unwrap_err();
    assert_eq!((error.path.as_str(), &error.fault), (path, fault), "{error}");
}

fn cheap_first() -> ChainsConfig {
    ChainsConfig::default().with_chain("odd", ChainConfig::new(["haiku", "opus"]))
}

#[test]
fn a_tier_is_used_up_before_the_cheaper_ones() {
    let chains = chains(&ChainsConfig::default());
    let premium = chains.order("premium", "", None).unwrap();
    assert_eq!(names(&premium), ["opus", "gpt-pro", "sonnet", "gpt", "gemini", "haiku"]);
    assert_eq!(names(&chains.order("fast", "", None).unwrap()), ["haiku"]);
}

#[test]
fn a_tier_that_does_not_descend_ends_with_itself() {
    let config = ChainsConfig { descend: false, ..ChainsConfig::default() };
    assert_eq!(names(&chains(&config).order("premium", "", None).unwrap()), ["opus", "gpt-pro"]);
}

#[test]
fn a_named_model_goes_on_behind_it_then_before_it_as_far_as_that_costs_no_more() {
    let chains = chains(&ChainsConfig::default());
    // `gpt` is cheaper than `sonnet`. The models behind `gpt` follow in the written order; those before it
    // cost more.
    assert_eq!(names(&chains.order("gpt", "", None).unwrap()), ["gpt", "gemini", "haiku"]);
    assert_eq!(names(&chains.order("gemini", "", None).unwrap()), ["gemini", "sonnet", "gpt", "haiku"]);
}

#[test]
fn upgrading_goes_on_with_the_dearer_tiers_at_the_end() {
    let config = ChainsConfig { upgrade: true, ..ChainsConfig::default() };
    let fast = chains(&config).order("fast", "", None).unwrap();
    assert_eq!(names(&fast), ["haiku", "sonnet", "gpt", "gemini", "opus", "gpt-pro"]);
}

#[test]
fn a_restricted_model_is_asked_only_by_a_call_that_names_it() {
    let chains = chains(&ChainsConfig::default());
    assert!(!names(&chains.order("premium", "", None).unwrap()).contains(&"secret"));
    let named = chains.order("secret", "", None).unwrap();
    assert_eq!(names(&named)[..2], ["secret", "opus"]);
}

#[test]
fn nuclear_models_come_last_and_only_when_switched_on() {
    let config = ChainsConfig::default().with_chain("two", ChainConfig::new(["opus", "haiku"]));
    assert!(!names(&chains(&config).order("two", "", None).unwrap()).contains(&"anything"));
    let config = config.with_nuclear();
    assert_eq!(names(&chains(&config).order("two", "", None).unwrap()), ["opus", "haiku", "anything"]);
    assert_eq!(names(&chains(&config).order("fast", "", None).unwrap()), ["haiku", "anything"]);
}

#[test]
fn the_last_resort_costs_no_more_than_where_the_call_started() {
    let config = ChainsConfig::default().with_tier("nuclear", ["gpt"]).with_nuclear();
    assert_eq!(names(&chains(&config).order("fast", "", None).unwrap()), ["haiku"]);
    let config = ChainsConfig { descend: false, ..config };
    assert_eq!(names(&chains(&config).order("premium", "", None).unwrap()), ["opus", "gpt-pro", "gpt"]);
}

#[test]
fn the_call_then_the_task_then_the_agent_then_the_default_say_which_chain() {
    let config = ChainsConfig::default()
        .with_chain("careful", ChainConfig::new(["opus"]))
        .with_chain("quick", ChainConfig::new(["haiku"]))
        .with_agent("lead", "careful")
        .with_task("title", "quick")
        .with_default("standard");
    let chains = chains(&config);
    let first = |name: &str, agent: &str, task| chains.order(name, agent, task).unwrap()[0].name.to_string();
    assert_eq!(first("", "lead", Some("title")), "haiku");
    assert_eq!(first("", "lead", Some("other")), "opus");
    assert_eq!(first("", "lead", None), "opus");
    assert_eq!(first("", "coder", None), "sonnet");
    assert_eq!(first("premium", "coder", Some("title")), "opus");
    assert_eq!(first("gpt", "lead", Some("title")), "gpt");
}

#[test]
fn a_named_model_outside_the_agents_chain_goes_on_with_the_chain() {
    let config = ChainsConfig::default()
        .with_chain("two", ChainConfig::new(["opus", "sonnet"]))
        .with_agent("lead", "two");
    let chains = chains(&config);
    assert_eq!(names(&chains.order("gemini", "lead", None).unwrap()), ["gemini", "sonnet"]);
}

#[test]
fn a_chain_goes_on_with_another_and_with_a_tier_and_names_each_model_once() {
    let config = ChainsConfig::default()
        .with_chain("a", ChainConfig::new(["gpt-pro", "gemini"]).then("b"))
        .with_chain("b", ChainConfig::new(["gemini"]).then("standard"));
    let order = chains(&config).order("a", "", None).unwrap();
    assert_eq!(names(&order), ["gpt-pro", "gemini", "sonnet", "gpt", "haiku"]);
}

#[test]
fn a_name_that_is_nothing_is_an_error_that_says_so() {
    let chains = chains(&ChainsConfig::default());
    let error = chains.order("gtp", "", None).unwrap_err();
    assert!(error.to_string().starts_with("`gtp` is not a model"));
    let call = |model: &str| {
        let request = ModelRequest { model: model.to_owned(), ..ModelRequest::default() };
        Call::new(HookContext::new("s", "a").into(), request, OpId(1))
    };
    assert_eq!(chains.for_call(&call("")).unwrap_err().kind(), ErrorKind::NoModel);
    assert_eq!(names(&chains.for_call(&call("fast")).unwrap()), ["haiku"]);
}

#[test]
fn a_model_of_another_catalog_that_a_host_chose_stands_alone() {
    let mut call = Call::new(HookContext::new("s", "a").into(), ModelRequest::default(), OpId(1));
    call.model = Some(Model::new("stranger", "x", Tier::Fast).into());
    assert_eq!(names(&chains(&ChainsConfig::default()).for_call(&call).unwrap()), ["stranger"]);
}

#[test]
fn an_empty_list_is_refused() {
    refused(&ChainsConfig::default().with_tier::<String>("fast", []), "tiers.fast", &ChainFault::Empty);
    let chain = ChainsConfig::default().with_chain("a", ChainConfig::default());
    refused(&chain, "chains.a.models", &ChainFault::Empty);
}

#[test]
fn a_list_of_which_the_rules_leave_nothing_is_refused() {
    let chain = ChainsConfig::default().with_chain("a", ChainConfig::new(["secret"]));
    refused(&chain, "chains.a.models", &ChainFault::NothingLeft);
}

#[test]
fn unknown_names_are_refused_where_they_stand() {
    let config = ChainsConfig::default();
    let unknown = |name: &str| ChainFault::UnknownChain(name.to_owned());
    refused(
        &config.clone().with_tier("fast", ["haiku", "haikuu"]),
        "tiers.fast[1]",
        &ChainFault::UnknownModel("haikuu".to_owned()),
    );
    refused(
        &config.clone().with_tier("turbo", ["haiku"]),
        "tiers.turbo",
        &ChainFault::UnknownTier("turbo".to_owned()),
    );
    refused(&config.clone().with_agent("lead", "careful"), "agents.lead", &unknown("careful"));
    refused(&config.clone().with_task("title", "quick"), "tasks.title", &unknown("quick"));
    refused(&config.clone().with_default("x"), "default", &unknown("x"));
    let chain = ChainConfig::new(["opus"]).then("nowhere");
    refused(&config.with_chain("a", chain), "chains.a.then", &unknown("nowhere"));
}

#[test]
fn a_model_twice_in_one_list_is_refused() {
    let config = ChainsConfig::default().with_tier("fast", ["haiku", "haiku"]);
    refused(&config, "tiers.fast[1]", &ChainFault::Twice("haiku".to_owned()));
}

#[test]
fn a_cycle_is_refused_with_its_way() {
    let config = ChainsConfig::default()
        .with_chain("a", ChainConfig::new(["opus"]).then("b"))
        .with_chain("b", ChainConfig::new(["gpt"]).then("a"));
    let way = ["a", "b", "a"].map(str::to_owned).to_vec();
    refused(&config, "chains.b.then", &ChainFault::Cycle(way));
    let config = ChainsConfig::default().with_chain("a", ChainConfig::new(["opus"]).then("a"));
    refused(&config, "chains.a.then", &ChainFault::Cycle(vec!["a".to_owned(), "a".to_owned()]));
}

#[test]
fn a_list_that_goes_upwards_is_refused_unless_it_says_so() {
    let upwards = ChainFault::Upwards { model: "opus".to_owned(), tier: Tier::Premium, below: Tier::Fast };
    refused(&cheap_first(), "chains.odd.models[1]", &upwards);
    let allowed = ChainsConfig::default().with_chain("odd", ChainConfig::new(["haiku", "opus"]).upgrading());
    assert_eq!(names(&chains(&allowed).order("odd", "", None).unwrap()), ["haiku", "opus"]);
    let above = ChainFault::Upwards { model: "opus".to_owned(), tier: Tier::Premium, below: Tier::Fast };
    refused(&ChainsConfig::default().with_tier("fast", ["opus"]), "tiers.fast[0]", &above);
}

#[test]
fn nuclear_without_a_model_is_refused() {
    let catalog = Catalog::new([Model::new("haiku", "anthropic", Tier::Fast)]).unwrap();
    let error = Chains::new(&catalog, &ChainsConfig::default().with_nuclear()).unwrap_err();
    assert_eq!((error.path.as_str(), error.fault), ("nuclear", ChainFault::NuclearWithoutModels));
}

#[test]
fn a_chain_named_like_a_tier_or_a_model_is_refused() {
    let one = || ChainConfig::new(["haiku"]);
    let tier = ChainFault::NameOfTier("fast".to_owned());
    refused(&ChainsConfig::default().with_chain("fast", one()), "chains.fast", &tier);
    let model = ChainFault::NameOfModel("opus".to_owned());
    refused(&ChainsConfig::default().with_chain("opus", one()), "chains.opus", &model);
}

#[test]
fn a_chain_given_to_an_agent_that_has_no_model_is_refused() {
    let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)]).unwrap();
    let error = Chains::new(&catalog, &ChainsConfig::default().with_agent("a", "fast")).unwrap_err();
    assert_eq!((error.path.as_str(), error.fault), ("agents.a", ChainFault::Empty));
}

#[test]
fn the_configuration_is_read_strictly() {
    let text = r#"{"tiers": {"fast": ["haiku"]}, "chains": {"a": {"models": ["opus"], "then": "fast"}}, "nuclear": true}"#;
    let config: ChainsConfig = serde_json::from_str(text).unwrap();
    assert!(config.descend && config.nuclear);
    assert!(serde_json::from_str::<ChainsConfig>(r#"{"tier": {}}"#).is_err());
    assert!(serde_json::from_str::<ChainsConfig>(r#"{"chains": {"a": {"model": []}}}"#).is_err());
}

fn any_catalog() -> impl Strategy<Value = Catalog> {
    let tier = prop::sample::select(vec![Tier::Premium, Tier::Standard, Tier::Fast, Tier::Nuclear]);
    let model = (tier, prop::option::of(0..20u64), any::<bool>());
    prop::collection::vec(model, 1..10).prop_map(|models| {
        let models = models.into_iter().enumerate().map(|(index, (tier, price, restricted))| {
            let mut model = Model::new(format!("m{index}"), "p", tier);
            model.price = price.map(|it| Price { input: MicroUsd(it), output: MicroUsd(it) });
            model.restricted = restricted;
            model
        });
        Catalog::new(models).unwrap()
    })
}

proptest! {
    #[test]
    fn no_order_goes_up_repeats_a_model_or_has_one_that_is_passed_over(
        catalog in any_catalog(), descend in any::<bool>(), nuclear in any::<bool>(),
    ) {
        let config = ChainsConfig { descend, nuclear, ..ChainsConfig::default() };
        let Ok(chains) = Chains::new(&catalog, &config) else { return Ok(()) };
        for start in catalog.models() {
            let order = chains.order(&start.name, "", None).unwrap();
            prop_assert_eq!(&order[0], start);
            for (place, model) in order.iter().enumerate().skip(1) {
                prop_assert!(!order[..place].contains(model));
                prop_assert!(!model.restricted);
                prop_assert!(nuclear || model.tier != Tier::Nuclear);
                prop_assert!(model.tier <= start.tier);
                // Within the list of its own tier the written order counts.
                prop_assert!(model.tier == start.tier || !costs_more(model, start));
            }
        }
    }
}

#[test]
fn more_than_can_be_worked_out_is_refused_at_once() {
    let models = |count: usize| {
        let model = |name: usize| Model::new(name.to_string(), "p", Tier::Standard);
        Catalog::new((0..count).map(model)).unwrap()
    };
    let error = Chains::new(&models(10_000), &ChainsConfig::default()).unwrap_err();
    assert_eq!((error.path.as_str(), error.fault), ("chains", ChainFault::TooLarge(10_000, 20_000)));
    let mut config = ChainsConfig::default();
    for place in 0..1_001 {
        let chain =
            ChainConfig { models: vec!["0".into()], then: Some(format!("c{}", place + 1)), upgrade: false };
        config.chains.insert(format!("c{place}"), chain);
    }
    let error = Chains::new(&models(1), &config).unwrap_err();
    assert_eq!((error.path.as_str(), error.fault), ("chains", ChainFault::TooManyChains(1_001, 1_000)));
    config.chains.pop_last();
    config
        .chains
        .values_mut()
        .for_each(|chain| chain.then = chain.then.take().filter(|then| then != "c1001"));
    let known = config.chains.keys().cloned().collect::<Vec<_>>();
    config
        .chains
        .values_mut()
        .for_each(|chain| chain.then = chain.then.take().filter(|then| known.contains(then)));
    assert_eq!(Chains::new(&models(1), &config).unwrap().order("c0", "", None).unwrap().len(), 1);
}
