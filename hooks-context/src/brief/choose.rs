//! Chooses the entries of a briefing.

use std::collections::HashSet;

use hooks_conversation::Tokenizer;
use hooks_team::Digest;

use super::{LeftOut, Loaded, PREFACE, Part};
use crate::budget::{Share, shares};
use crate::source::Item;

/// Tokens of the separator between two entries.
const BETWEEN: u64 = 1;

/// The chosen entries of all parts.
pub(super) struct Choice<'a> {
    parts: Vec<Chosen<'a>>,
}

/// Candidates and chosen entries of one part.
struct Chosen<'a> {
    weight: u32,
    /// The heading, in tokens.
    heading: u64,
    /// Entries that may be chosen, the most relevant first. Entries that the model knows, or that an earlier
    /// part has, are not among them.
    items: Vec<Candidate<'a>>,
    /// Number of entries that the source itself left out.
    more: usize,
}

struct Candidate<'a> {
    item: &'a Item,
    cost: u64,
    is_chosen: bool,
}

impl<'a> Choice<'a> {
    pub(super) fn new(
        parts: &'a [Part],
        budget: u64,
        tokenizer: &dyn Tokenizer,
        known: Option<&HashSet<Digest>>,
    ) -> Self {
        let mut choice = Self { parts: candidates(parts, budget, tokenizer, known) };
        let line = LeftOut::most(parts).line(true).map_or(0, |line| tokenizer.count(&line) + BETWEEN);
        let preface = if known.is_none() { tokenizer.count(PREFACE) + BETWEEN } else { 0 };
        let room = budget.saturating_sub(line.saturating_add(preface));
        let wanted: Vec<_> =
            choice.parts.iter().map(|part| Share { wants: part.wants(), weight: part.weight }).collect();
        let mut left = room;
        for (part, share) in choice.parts.iter_mut().zip(shares(&wanted, room)) {
            left = left.saturating_sub(part.fill(share));
        }
        // The rest of the budget goes to the parts with the largest weight.
        for at in by_weight(&choice.parts) {
            if let Some(part) = choice.parts.get_mut(at) {
                let used = part.used();
                left = left.saturating_sub(part.fill(used.saturating_add(left)).saturating_sub(used));
            }
        }
        choice
    }

    /// Returns the chosen entries of part `at`, the most relevant first.
    pub(super) fn of_part(&self, at: usize) -> Vec<&'a Item> {
        let part = self.parts.get(at).map(|part| part.items.as_slice()).unwrap_or_default();
        part.iter().filter(|one| one.is_chosen).map(|one| one.item).collect()
    }

    /// Returns the number of entries of part `at` that are left out.
    pub(super) fn left_out(&self, at: usize) -> usize {
        self.parts.get(at).map_or(0, |part| {
            let open = part.items.iter().filter(|one| !one.is_chosen).count();
            part.more.saturating_add(open)
        })
    }

    /// Removes the least relevant entry of the part with the smallest weight. If no entry is left, clears the
    /// counts of left-out entries. Returns whether anything was removed.
    pub(super) fn drop_one(&mut self) -> bool {
        for at in by_weight(&self.parts).into_iter().rev() {
            let items = self.parts.get_mut(at).map(|part| part.items.as_mut_slice()).unwrap_or_default();
            if let Some(last) = items.iter_mut().rev().find(|one| one.is_chosen) {
                last.is_chosen = false;
                return true;
            }
        }
        // If no entry is chosen, the text still has the line about left-out entries.
        let had_more = self.parts.iter().any(|part| part.more > 0 || !part.items.is_empty());
        for part in &mut self.parts {
            part.more = 0;
            part.items.clear();
        }
        had_more
    }
}

impl Chosen<'_> {
    fn wants(&self) -> u64 {
        if self.items.is_empty() {
            0
        } else {
            self.items.iter().fold(self.heading, |sum, one| sum.saturating_add(one.cost))
        }
    }

    fn used(&self) -> u64 {
        let mut chosen = self.items.iter().filter(|one| one.is_chosen).peekable();
        if chosen.peek().is_none() {
            return 0;
        }
        chosen.fold(self.heading, |sum, one| sum.saturating_add(one.cost))
    }

    /// Chooses further entries while the part stays within `share`. Returns the tokens that the part uses.
    fn fill(&mut self, share: u64) -> u64 {
        let mut used = self.used();
        for one in self.items.iter_mut().filter(|one| !one.is_chosen) {
            let heading = if used == 0 { self.heading } else { 0 };
            let more = used.saturating_add(heading).saturating_add(one.cost);
            if more <= share {
                (one.is_chosen, used) = (true, more);
            }
        }
        used
    }
}

/// Collects the entries that may be chosen. If two parts have the same entry, the part with the larger weight
/// gets it.
fn candidates<'a>(
    parts: &'a [Part],
    budget: u64,
    tokenizer: &dyn Tokenizer,
    known: Option<&HashSet<Digest>>,
) -> Vec<Chosen<'a>> {
    let mut seen = HashSet::new();
    let mut chosen: Vec<_> = parts
        .iter()
        .map(|part| Chosen { weight: part.weight, heading: 0, items: Vec::new(), more: 0 })
        .collect();
    for at in by_weight(&chosen) {
        let (Some(Part { loaded: Loaded::Section(section), .. }), Some(chosen)) =
            (parts.get(at), chosen.get_mut(at))
        else {
            continue;
        };
        chosen.more = section.more;
        if !section.title.is_empty() {
            chosen.heading = tokenizer.count(&format!("## {}", section.title)).saturating_add(2 * BETWEEN);
        }
        let mut sum = 0_u64;
        for item in &section.items {
            if known.is_some_and(|known| known.contains(&item.digest)) || !seen.insert(item.digest) {
                continue;
            }
            // Entries beyond twice the budget are not counted: they cannot be chosen, and cannot change a
            // share.
            let cost = match sum > budget.saturating_mul(2) {
                true => u64::MAX,
                false => tokenizer.count(&item.text).saturating_add(BETWEEN),
            };
            sum = sum.saturating_add(cost);
            chosen.items.push(Candidate { item, cost, is_chosen: false });
        }
    }
    chosen
}

/// Returns the indices of the parts, the largest weight first.
fn by_weight(parts: &[Chosen<'_>]) -> Vec<usize> {
    let mut order: Vec<_> = (0..parts.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(parts.get(*at).map(|part| part.weight)));
    order
}
