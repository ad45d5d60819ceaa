//! Ceremonies that are held automatically.

use hooks_core::BoxError;
use hooks_team::files::{Ceremonies, Ceremony, CeremonyTime, CeremonyTrigger};
use hooks_team::folder::TeamPath;

use super::{Reading, Section, cut};
use crate::source::Item;

/// Returns the enabled ceremonies that do not wait for a request.
pub(super) fn section(from: &Reading<'_>) -> Result<Section, BoxError> {
    let place = TeamPath::new("ceremonies.md")?;
    let items = from.made(&place, |document| {
        let ceremonies = Ceremonies::new(document);
        let active = ceremonies.enabled().filter(|one| one.trigger != CeremonyTrigger::Manual);
        active.map(|ceremony| Item::new(&line(ceremony))).collect::<Vec<_>>()
    })?;
    Ok(Section::new("Ceremonies", items.to_vec()))
}

fn line(ceremony: &Ceremony) -> String {
    let mut text = format!("- {}", ceremony.name);
    match &ceremony.when {
        CeremonyTime::Before => text.push_str(", before work begins"),
        CeremonyTime::After => text.push_str(", after work ended"),
        CeremonyTime::Other(when) => text.push_str(&format!(", {when}")),
        _ => {}
    }
    let fields =
        [("if", &ceremony.condition), ("led by", &ceremony.facilitator), ("with", &ceremony.participants)];
    for (word, value) in fields {
        if !value.is_empty() {
            text.push_str(&format!("; {word} {value}"));
        }
    }
    cut(&text)
}
