//! `add_date`: today's date.

use hooks_core::time::Timestamp;

use super::{BuiltinError, Call, InstructionContext, Output, World};

/// Adds the date in the machine's time zone.
pub(super) fn add_date(_call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let ahead = i64::from(world.machine.minutes_ahead_of_utc()).saturating_mul(60_000);
    let now = Timestamp(world.clock.now().0.saturating_add_signed(ahead));
    let date: String = now.to_string().chars().take_while(|c| *c != 'T').collect();
    let text = InstructionContext {
        key: "core/date".to_owned(),
        label: "date".to_owned(),
        content: format!("Today's date: {date}"),
        changed_content: format!("Today's date is now: {date}"),
        ..InstructionContext::default()
    };
    Ok(Output::instructions("turn_start", vec![text]))
}
