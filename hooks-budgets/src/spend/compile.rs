//! Compiles the configured budget into counters and prices; all errors are reported at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use hooks_core::PolicyErrors;
use hooks_core::event::MicroUsd;
use hooks_core::state::{MAX_AMOUNT, REMEMBERED};
use hooks_core::time::Timestamp;
use hooks_facts::names::{all_folded, folded};

use super::config::{
    ModelPriceConfig, SpendBudgetConfig, SpendHoldConfig, SpendLevel, SpendLimitConfig, SpendThresholdsConfig,
};
use super::limit::SpendLimit;
use super::price::{Listed, ModelPrice, PriceTable};
use super::rules::{HoldRules, Rules, Thresholds};

/// Section of the budget in the configuration.
const SECTION: &str = "budget";

/// Compiles `config` and adds its errors to `errors`.
pub(super) fn compile(config: &SpendBudgetConfig, errors: &mut PolicyErrors) -> Rules {
    let mut compiler = Compiler { errors };
    let roles = compiler.roles(&config.roles);
    let limits = compiler.limits(config);
    let prices = compiler.prices(config);
    let cheaper = compiler.cheaper(&config.cheaper);
    let thresholds = compiler.thresholds(&config.thresholds);
    let hold = compiler.hold(&config.hold);
    Rules { limits, prices, roles, cheaper, thresholds, hold }
}

impl PriceTable {
    /// Returns the prices of a budget, without those that have errors.
    ///
    /// ```
    /// use hooks_budgets::spend::{PriceTable, SpendBudgetConfig};
    /// use hooks_core::time::Timestamp;
    /// use serde_json::json;
    ///
    /// let config: SpendBudgetConfig =
    ///     serde_json::from_value(json!({"prices": [{"model": "small", "input": 3, "output": 15}]}))?;
    /// let table = PriceTable::from_config(&config);
    /// assert_eq!(table.get("small", Timestamp(0)).map(|listed| listed.price.input), Some(3_000_000));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn from_config(config: &SpendBudgetConfig) -> Self {
        Compiler { errors: &mut PolicyErrors::default() }.prices(config)
    }
}

struct Compiler<'e> {
    errors: &'e mut PolicyErrors,
}

impl Compiler<'_> {
    fn limits(&mut self, config: &SpendBudgetConfig) -> Vec<SpendLimit> {
        let mut seen = BTreeSet::new();
        let mut limits = Vec::new();
        for (index, limit) in config.limits.iter().enumerate() {
            let field = format!("limits[{index}]");
            let compiled = self.limit(&field, index, limit);
            self.names(&field, limit, &config.roles);
            if !seen.insert((compiled.level, compiled.window, compiled.named.clone())) {
                self.say(
                    &field,
                    "this limit stands in the list already",
                    "give all its amounts in one entry",
                );
            }
            limits.push(compiled);
        }
        limits
    }

    fn limit(&mut self, field: &str, index: usize, limit: &SpendLimitConfig) -> SpendLimit {
        if limit.usd.is_none() && limit.tokens.is_none() {
            self.say(field, "it limits nothing", "give it `usd`, `tokens` or both");
        }
        let usd = limit.usd.and_then(|dollars| self.dollars(&format!("{field}.usd"), dollars));
        self.countable(&format!("{field}.tokens"), limit.tokens);
        let named = all_folded(&limit.named);
        SpendLimit {
            index,
            level: limit.of,
            window: limit.per,
            named,
            usd: usd.map(|MicroUsd(micros)| micros),
            tokens: limit.tokens,
        }
    }

    fn names(&mut self, field: &str, limit: &SpendLimitConfig, roles: &BTreeMap<String, Vec<String>>) {
        for (place, name) in limit.named.iter().enumerate() {
            let field = format!("{field}.named[{place}]");
            if name.trim().is_empty() {
                self.say(
                    &field,
                    "the name is empty",
                    "write the name that the limit is for, or leave it out",
                );
            } else if limit.of == SpendLevel::Team {
                let hint = "leave `named` out: a team is that of the tenant";
                self.say(&field, "a limit of the team cannot have names", hint);
            } else if limit.of == SpendLevel::Role && !roles.keys().any(|role| same(role, name)) {
                let hint = "list its agents in `budget.roles`";
                self.say(&field, &format!("there is no role `{name}`"), hint);
            }
        }
        if limit.of == SpendLevel::Role && roles.is_empty() && limit.named.is_empty() {
            self.say(&format!("{field}.of"), "there are no roles", "list them in `budget.roles`");
        }
    }

    fn prices(&mut self, config: &SpendBudgetConfig) -> PriceTable {
        let mut table = PriceTable::default();
        for (index, entry) in config.prices.iter().enumerate() {
            let field = format!("prices[{index}]");
            let Some((since, listed)) = self.price(&field, entry) else { continue };
            if !table.enter(&entry.model, since, listed) {
                let problem = format!("`{}` has a price from that day on already", entry.model);
                self.say(&field, &problem, "give each day one price");
            }
        }
        if let Some(ceiling) = config.price_ceiling {
            let input = self.dollars("price_ceiling.input", ceiling.input);
            let output = self.dollars("price_ceiling.output", ceiling.output);
            table.set_ceiling(input.zip(output).map(|(input, output)| ModelPrice::new(input.0, output.0)));
        }
        table
    }

    fn price(&mut self, field: &str, entry: &ModelPriceConfig) -> Option<(Timestamp, Listed)> {
        let before = entry.model.strip_suffix('*').unwrap_or(&entry.model);
        if before.contains('*') || entry.model.trim().is_empty() {
            let hint = "write the name of a model; one `*` may stand at its end";
            self.say(&format!("{field}.model"), &format!("`{}` names no model", entry.model), hint);
            return None;
        }
        let since = match &entry.from {
            None => Some(Timestamp(0)),
            Some(day) => {
                let since = day_of(day);
                if since.is_none() {
                    let problem = format!("`{day}` is not a day");
                    self.say(&format!("{field}.from"), &problem, "write it as `2026-01-31`");
                }
                since
            }
        };
        if entry.most_output_tokens == Some(0) {
            let hint = "leave it out where it is not known";
            self.say(&format!("{field}.most_output_tokens"), "a model that answers nothing", hint);
        }
        self.countable(&format!("{field}.most_output_tokens"), entry.most_output_tokens);
        let mut amount = |name: &str, dollars: f64| self.dollars(&format!("{field}.{name}"), dollars);
        let (input, output) = (amount("input", entry.input), amount("output", entry.output));
        let cached = entry.cached.map_or(input, |dollars| amount("cached", dollars));
        let reasoning = entry.reasoning.map_or(output, |dollars| amount("reasoning", dollars));
        let price =
            ModelPrice { input: input?.0, output: output?.0, cached: cached?.0, reasoning: reasoning?.0 };
        Some((since?, Listed { price, most_output_tokens: entry.most_output_tokens }))
    }

    fn roles(&mut self, roles: &BTreeMap<String, Vec<String>>) -> HashMap<String, Vec<String>> {
        let mut of_agent: HashMap<String, Vec<String>> = HashMap::new();
        let mut seen = BTreeSet::new();
        for (role, agents) in roles {
            let name = folded(role).into_owned();
            if name.trim().is_empty() || !seen.insert(name.clone()) {
                let problem = format!("`{role}` is empty, or stands here twice");
                self.say(&format!("roles.{role}"), &problem, "give each role a name of its own");
            }
            for (place, agent) in agents.iter().enumerate() {
                if agent.trim().is_empty() {
                    let hint = "name an agent, or leave it out";
                    self.say(&format!("roles.{role}[{place}]"), "the name is empty", hint);
                }
                let roles = of_agent.entry(folded(agent).into_owned()).or_default();
                if !roles.contains(&name) {
                    roles.push(name.clone());
                }
            }
        }
        of_agent
    }

    fn cheaper(&mut self, cheaper: &BTreeMap<String, String>) -> HashMap<String, String> {
        for (model, instead) in cheaper {
            if model == instead || model.trim().is_empty() || instead.trim().is_empty() {
                let problem = format!("`{instead}` in place of `{model}` changes nothing");
                self.say(&format!("cheaper.{model}"), &problem, "name another model, or leave it out");
            }
        }
        cheaper.iter().map(|(model, instead)| (model.clone(), instead.clone())).collect()
    }

    fn thresholds(&mut self, config: &SpendThresholdsConfig) -> Thresholds {
        let SpendThresholdsConfig { warn, cheaper, ask, pause_spawns } = *config;
        let named = [("warn", warn), ("cheaper", cheaper), ("ask", ask), ("pause_spawns", pause_spawns)];
        for (name, percent) in named {
            if percent > 100 {
                let problem = format!("{percent} is more than 100 percent");
                self.say(&format!("thresholds.{name}"), &problem, "write 100 to switch it off");
            }
        }
        Thresholds { warn, cheaper, ask, pause_spawns }
    }

    fn hold(&mut self, config: &SpendHoldConfig) -> HoldRules {
        if config.output_tokens == 0 {
            let hint = "write how many tokens of an answer are held at a time, such as 4000";
            self.say("hold.output_tokens", "nothing would be held for an answer", hint);
        }
        let expires = Duration::from_secs(config.expires_seconds);
        if config.expires_seconds == 0 || expires > REMEMBERED {
            let problem = format!("{} seconds are 0, or more than a day", config.expires_seconds);
            let hint = "write more than the longest call takes, such as 900";
            self.say("hold.expires_seconds", &problem, hint);
        }
        if config.most_output_tokens == Some(0) {
            let hint = "leave it out where it is not known";
            self.say("hold.most_output_tokens", "models that answer nothing", hint);
        }
        self.countable("hold.output_tokens", Some(config.output_tokens));
        self.countable("hold.most_output_tokens", config.most_output_tokens);
        let SpendHoldConfig { output_tokens: step, most_output_tokens: most, worst_case, unanswered, .. } =
            *config;
        HoldRules { step, most, worst_case, expires, unanswered }
    }

    /// Rejects more tokens than a store can count.
    fn countable(&mut self, field: &str, tokens: Option<u64>) {
        if tokens.is_some_and(|tokens| tokens > MAX_AMOUNT) {
            let hint = format!("write at most {MAX_AMOUNT}");
            self.say(field, "more tokens than can be counted", &hint);
        }
    }

    /// Converts dollars to millionths of a dollar, exactly as written.
    fn dollars(&mut self, field: &str, dollars: f64) -> Option<MicroUsd> {
        let micros = (dollars * 1e6).round();
        #[expect(clippy::cast_precision_loss, reason = "2^53 - 1 is exact")]
        let most = MAX_AMOUNT as f64;
        let problem = if dollars.is_nan() || dollars < 0.0 {
            "it is not an amount from 0"
        } else if micros > most {
            "it is more than can be counted"
        } else if (micros / 1e6 - dollars).abs() > dollars * 1e-12 {
            "it has parts of a millionth of a dollar"
        } else {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it was held against 0 and 2^53 - 1"
            )]
            return Some(MicroUsd(micros as u64));
        };
        self.say(field, &format!("`{dollars}`: {problem}"), "write US dollars, such as 25 or 0.075");
        None
    }

    fn say(&mut self, field: &str, problem: &str, hint: &str) {
        self.errors.push(format!("{SECTION}.{field}"), problem, hint);
    }
}

fn same(one: &str, other: &str) -> bool {
    folded(one) == folded(other)
}

/// Returns the start of a day that is written as `2026-01-31`, in UTC.
fn day_of(text: &str) -> Option<Timestamp> {
    format!("{text}T00:00:00Z").parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn errors(config: serde_json::Value) -> Vec<String> {
        let mut errors = PolicyErrors::default();
        let _rules = compile(&serde_json::from_value(config).unwrap(), &mut errors);
        errors.into_iter().map(|error| error.to_string()).collect()
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(day_of("2026-01-31").unwrap().to_string(), "2026-01-31T00:00:00.000Z");
        assert_eq!(day_of("2024-02-29").unwrap().to_string(), "2024-02-29T00:00:00.000Z");
        for nonsense in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-1-1",
            "2026-01-00",
            "1969-01-01",
            "+026-01-01",
            "2026-01-01-01",
            "",
            "today",
        ] {
            assert_eq!(day_of(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn nonsense_is_refused_and_never_no_limit() {
        for (config, wanted) in [
            (json!({"limits": [{"of": "team", "per": "day"}]}), "`budget.limits[0]`: it limits nothing"),
            (json!({"limits": [{"of": "team", "per": "day", "usd": -1}]}), "not an amount from 0"),
            (json!({"limits": [{"of": "team", "per": "day", "usd": 1e300}]}), "more than can be counted"),
            (json!({"limits": [{"of": "team", "per": "day", "usd": 0.000_000_1}]}), "parts of a millionth"),
            (
                json!({"limits": [{"of": "team", "per": "day", "tokens": u64::MAX}]}),
                "`budget.limits[0].tokens`",
            ),
            (json!({"limits": [{"of": "role", "per": "day", "usd": 1}]}), "there are no roles"),
            (json!({"limits": [{"of": "role", "named": ["x"], "per": "day", "usd": 1}]}), "no role `x`"),
            (
                json!({"limits": [{"of": "team", "named": ["x"], "per": "day", "usd": 1}]}),
                "of the team cannot have names",
            ),
            (
                json!({"limits": [{"of": "agent", "named": [" "], "per": "day", "usd": 1}]}),
                "the name is empty",
            ),
            (
                json!({"limits": [{"of": "team", "per": "day", "usd": 1}, {"of": "team", "per": "day", "tokens": 1}]}),
                "`budget.limits[1]`: this limit stands in the list already",
            ),
            (json!({"prices": [{"model": "a*b", "input": 1, "output": 1}]}), "`budget.prices[0].model`"),
            (json!({"prices": [{"model": "a", "input": -1, "output": 1}]}), "`budget.prices[0].input`"),
            (
                json!({"prices": [{"model": "a", "input": 1, "output": 1, "from": "soon"}]}),
                "`soon` is not a day",
            ),
            (
                json!({"prices": [{"model": "a", "input": 1, "output": 1}, {"model": "a", "input": 2, "output": 1}]}),
                "`budget.prices[1]`: `a` has a price from that day on already",
            ),
            (
                json!({"prices": [{"model": "a", "input": 1, "output": 1, "most_output_tokens": 0}]}),
                "answers nothing",
            ),
            (json!({"price_ceiling": {"input": 1, "output": -2}}), "`budget.price_ceiling.output`"),
            (json!({"thresholds": {"ask": 101}}), "`budget.thresholds.ask`"),
            (json!({"hold": {"output_tokens": 0}}), "`budget.hold.output_tokens`"),
            (json!({"hold": {"output_tokens": u64::MAX}}), "`budget.hold.output_tokens`"),
            (json!({"hold": {"most_output_tokens": 0}}), "`budget.hold.most_output_tokens`"),
            (json!({"hold": {"most_output_tokens": u64::MAX}}), "`budget.hold.most_output_tokens`"),
            (json!({"hold": {"expires_seconds": 0}}), "`budget.hold.expires_seconds`"),
            (json!({"hold": {"expires_seconds": 90_000}}), "`budget.hold.expires_seconds`"),
            (json!({"cheaper": {"a": "a"}}), "`budget.cheaper.a`"),
            (json!({"roles": {"A": [], "a": []}}), "`budget.roles.a`"),
        ] {
            let errors = errors(config.clone());
            assert_eq!(errors.len(), 1, "{config}: {errors:?}");
            assert!(errors[0].contains(wanted), "{config}: {errors:?}");
        }
    }

    proptest! {
        #[test]
        fn six_decimals_are_exact(micros in 0..=1_000_000_000_000_000u64) {
            let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
            let mut errors = PolicyErrors::default();
            let read = Compiler { errors: &mut errors }.dollars("x", text.parse().unwrap());
            prop_assert_eq!(read, Some(MicroUsd(micros)));
        }
    }
}
