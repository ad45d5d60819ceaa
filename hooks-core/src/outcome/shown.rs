//! The text of a decision for the agent.

use std::borrow::Cow;

use crate::verdict::{Reason, Strength};

/// Length in bytes up to which further reasons are added to a text.
const LONG_TEXT: usize = 2_000;

/// The text for the agent of all `reasons` that argue for `strength`: each text once, texts of the operator
/// first. `None` if there is no such reason. Reasons that make the text too long are counted.
pub(super) fn text_for_agent(reasons: &[Reason], strength: Strength) -> Option<String> {
    let winning = || reasons.iter().filter(|reason| reason.argues_for(strength));
    let own = winning().filter(|reason| reason.by_operator);
    let in_order = own.chain(winning().filter(|reason| !reason.by_operator));
    let mut distinct: Vec<Cow<'_, str>> = Vec::new();
    for text in in_order.map(Reason::for_agent) {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    let mut length = 0_usize;
    let fitting = distinct.iter().take_while(|text| {
        length = length.saturating_add(text.len());
        length <= LONG_TEXT
    });
    // The first text is shown in any case.
    let shown = fitting.count().max(1);
    let left_out = distinct.len().saturating_sub(shown);
    let mut texts = distinct.into_iter().take(shown);
    let mut all = texts.next()?.into_owned();
    for text in texts {
        end_sentence(&mut all);
        all.push_str("Also: ");
        all.push_str(&text);
    }
    if left_out > 0 {
        end_sentence(&mut all);
        all.push_str(&format!("Further reasons: {left_out}"));
    }
    Some(all)
}

fn end_sentence(text: &mut String) {
    text.push_str(if text.ends_with(['.', '!', '?']) { " " } else { ". " });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::verdict::Verdict;

    fn reasons() -> impl Strategy<Value = Vec<Reason>> {
        let reason = ("[a-c]{1,2}", 0..4_usize, any::<bool>(), 0..3_u8, 1..300_usize);
        let reason = reason.prop_map(|(text, strength, own, advice, times)| {
            let reason = Reason::new("policy", "rule", format!("<{}>", text.repeat(times)));
            let reason = reason.unless("REMEDY");
            let reason = if advice == 0 { reason.instead("do this") } else { reason };
            let reason = if own { reason.by_operator() } else { reason };
            let verdict = match strength {
                0 | 1 => Verdict::deny(reason),
                2 => Verdict::ask(reason),
                _ => Verdict::allow(reason),
            };
            verdict.reasons()[0].clone()
        });
        prop::collection::vec(reason, 0..12)
    }

    proptest! {
        #[test]
        fn each_winning_reason_is_shown_once_or_counted(reasons in reasons()) {
            let text = text_for_agent(&reasons, Strength::Deny);
            let winning: Vec<_> = reasons.iter().filter(|reason| reason.strength == Strength::Deny).collect();
            prop_assert_eq!(text.is_some(), !winning.is_empty());
            let text = text.unwrap_or_default();
            prop_assert!(!text.contains("REMEDY"));
            let mut distinct: Vec<_> = winning.iter().map(|reason| reason.for_agent()).collect();
            distinct.sort();
            distinct.dedup();
            let (shown, left_out) = match text.split_once("Further reasons: ") {
                Some((shown, count)) => (shown, count.parse().unwrap()),
                None => (&*text, 0_usize),
            };
            let is_shown = |it: &&Cow<'_, str>| shown.split("Also: ").any(|one| one.trim_end_matches([' ', '.']) == &***it);
            prop_assert_eq!(distinct.iter().filter(is_shown).count() + left_out, distinct.len(), "{}", text);
            prop_assert_eq!(shown.split("Also: ").count() + left_out, distinct.len().max(1));
            let longest = distinct.iter().map(|text| text.len()).max().unwrap_or_default();
            prop_assert!(text.len() <= longest + 2 * LONG_TEXT);
            if let Some(own) = winning.iter().find(|reason| reason.by_operator) {
                prop_assert!(text.starts_with(&*own.for_agent()));
            }
        }
    }
}
