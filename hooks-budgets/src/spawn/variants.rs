//! Variants that are tried out on a share of the children.

use hooks_core::PolicyErrors;
use hooks_core::state::OpId;

use super::child_request::ChildRequest;
use super::config::{VariantConfig, VariantsConfig};
use super::names::Names;

/// All trials, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Variants(Vec<Trial>);

#[derive(Clone, Debug)]
struct Trial {
    name: String,
    agents: Names,
    split: Vec<VariantConfig>,
}

impl Variants {
    pub(super) fn compile(trials: &[VariantsConfig], errors: &mut PolicyErrors) -> Self {
        let mut known: Vec<&str> = Vec::new();
        for (index, trial) in trials.iter().enumerate() {
            let field = format!("spawn.variants[{index}]");
            if trial.name.trim().is_empty() || known.contains(&trial.name.as_str()) {
                let hint = "give each trial a name of its own: children are shared out by it";
                errors.push(format!("{field}.name"), "it is empty, or another trial's", hint);
            }
            known.push(&trial.name);
            let sum = trial.split.iter().fold(0u64, |sum, variant| sum.saturating_add(variant.share));
            if sum != 100 {
                let problem = format!("the shares make {sum}");
                errors.push(format!("{field}.split"), problem, "let them make 100");
            }
            for (at, variant) in trial.split.iter().enumerate() {
                let field = format!("{field}.split[{at}]");
                let twice =
                    trial.split.iter().filter(|other| other.name.trim() == variant.name.trim()).count() > 1;
                if variant.name.trim().is_empty() || twice {
                    let hint = "give each configuration a name of its own: it is recorded with the child";
                    errors.push(format!("{field}.name"), "it is empty, or another one's", hint);
                }
                if variant.share == 0 {
                    errors.push(
                        format!("{field}.share"),
                        "no child would have it",
                        "write 1 to 100, or leave it out",
                    );
                }
            }
        }
        Self(
            trials
                .iter()
                .enumerate()
                .map(|(index, trial)| Trial {
                    name: trial.name.clone(),
                    agents: Names::compile(&trial.agents, &format!("spawn.variants[{index}].agents"), errors),
                    split: trial.split.clone(),
                })
                .collect(),
        )
    }

    /// Returns the variant of a child: of the first trial that its agent takes part in, by its id. The same
    /// id gets the same variant in every process; without ids, the children of one agent in one session get
    /// the same one.
    pub(super) fn variant_for(&self, request: &ChildRequest, session: &str) -> Option<&VariantConfig> {
        let trial = self.0.iter().find(|trial| trial.agents.covers(Some(&request.agent)))?;
        let hash = match (&request.child, &request.call) {
            (Some(id), _) | (None, Some(id)) => OpId::from_parts(&["variant", &trial.name, id]),
            (None, None) => OpId::from_parts(&["variant", &trial.name, session, &request.agent]),
        };
        let mut left = mixed(hash) % 100;
        trial.split.iter().find(|variant| {
            let is_it = left < variant.share;
            left = left.saturating_sub(variant.share);
            is_it
        })
    }
}

/// Spreads similar ids over all numbers (the finalizer of splitmix64).
fn mixed(OpId(hash): OpId) -> u64 {
    let [upper, lower] = [hash >> 64, hash & u128::from(u64::MAX)];
    let mut bits = u64::try_from(upper ^ lower).unwrap_or_default();
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(shares: [u64; 2]) -> (Variants, PolicyErrors) {
        let split = ["old", "new"].into_iter().zip(shares);
        let split =
            split.map(|(name, share)| VariantConfig { name: name.into(), share, ..Default::default() });
        let trial = VariantsConfig { name: "t".into(), agents: vec!["back*".into()], split: split.collect() };
        let mut errors = PolicyErrors::default();
        (Variants::compile(&[trial], &mut errors), errors)
    }

    #[test]
    fn children_are_shared_out_as_the_shares_say() {
        let (variants, errors) = variants([90, 10]);
        assert!(errors.is_empty());
        let of = |number: u32| {
            let request = ChildRequest {
                agent: "backend".into(),
                child: Some(format!("c{number}")),
                ..ChildRequest::default()
            };
            variants.variant_for(&request, "s").map(|variant| variant.name.clone())
        };
        let new = (0..10_000).filter(|number| of(*number).as_deref() == Some("new")).count();
        assert!((900..1_100).contains(&new), "{new} of 10000");
        assert_eq!(of(7), of(7));
        let other = ChildRequest { agent: "frontend".into(), ..ChildRequest::default() };
        assert!(variants.variant_for(&other, "s").is_none());
    }

    #[test]
    fn shares_that_make_no_hundred_are_refused() {
        for shares in [[0, 100], [50, 40], [u64::MAX, 1]] {
            assert!(!variants(shares).1.is_empty(), "{shares:?}");
        }
    }
}
