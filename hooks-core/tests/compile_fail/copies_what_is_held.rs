//! A decision owns reservations: a copy would give them back twice.

use hooks_core::Decision;
use hooks_core::event::PreToolUse;

fn main() {
    let decision = Decision::<PreToolUse>::allow();
    drop((decision.clone(), decision));
}
