//! A session that ends cannot be denied: there is no slot for policies on it.

use hooks_core::event::SessionEnd;
use hooks_core::{HookRequest, Hooks, Verdict, policy_fn};

fn main() {
    let policy = policy_fn("stays", |_: &HookRequest<SessionEnd>| Verdict::ALLOW);
    Hooks::builder().policy::<SessionEnd>(policy);
}
