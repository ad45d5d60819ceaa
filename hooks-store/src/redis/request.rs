//! Arguments of operations, in the form that the scripts read.

use std::time::Duration;

use hooks_core::state::{LATEST, MAX_AMOUNT, Op, OpId, Scope, ScopeKind, pace_in_micros};
use redis::Cmd;

use super::scripts::Script;
use super::window;

/// Returns the script of an operation; `None` if there is no script.
pub(super) fn script_of(op: &Op) -> Option<Script> {
    Some(match op {
        Op::Reserve { .. } => Script::Reserve,
        Op::Lease { .. } => Script::Lease,
        Op::Extend { .. } => Script::Extend,
        Op::Settle { .. } | Op::Release { .. } => Script::Settle,
        Op::Used { .. } => Script::Used,
        Op::Correct { .. } => Script::Correct,
        Op::Pace { .. } => Script::Pace,
        Op::Put { .. } => Script::Put,
        Op::CompareAndSet { .. } => Script::CompareAndSet,
        Op::Get { .. } => Script::Get,
        Op::Insert { .. } => Script::Insert,
        Op::Update { .. } => Script::Update,
        Op::Remove { .. } => Script::Remove,
        Op::Members { .. } => Script::Members,
        Op::Changes { .. } => Script::Changes,
        Op::Counters { .. } => Script::Counters,
        Op::Now => Script::Now,
        _ => return None,
    })
}

/// Adds the arguments of an operation, in the order in which its script reads them.
pub(super) fn write(command: &mut Cmd, op: &Op) {
    match op {
        Op::Reserve { id, scopes, amount, ttl } => {
            command.arg(id_text(*id)).arg(counted(*amount)).arg(millis(*ttl));
            write_scopes(command, scopes);
        }
        Op::Lease { id, scopes, least, most, share, ttl } => {
            command.arg(id_text(*id)).arg(counted(*least)).arg(counted(*most)).arg(*share).arg(millis(*ttl));
            write_scopes(command, scopes);
        }
        Op::Extend { id, to, ttl } => {
            command.arg(id_text(*id)).arg(counted(*to)).arg(millis(*ttl));
        }
        Op::Settle { id, actual } => {
            command.arg(id_text(*id)).arg((*actual).min(MAX_AMOUNT));
        }
        Op::Release { id } => {
            command.arg(id_text(*id)).arg(0);
        }
        Op::Used { key, window } => {
            command.arg(window::to_text(*window)).arg(key.as_str());
        }
        Op::Correct { id, key, window, spent } => {
            command.arg(id_text(*id)).arg(window::to_text(*window)).arg(key.as_str()).arg(counted(*spent));
        }
        Op::Pace { key, cost, interval, burst } => {
            let (added, ahead) = pace_in_micros(*cost, *interval, *burst);
            command.arg(key.as_str()).arg(added).arg(ahead);
        }
        Op::Put { key, value, ttl } => {
            command.arg(key.as_str()).arg(&**value);
            write_ttl(command, *ttl);
        }
        Op::CompareAndSet { id, key, revision, value, ttl } => {
            command.arg(id_text(*id)).arg(key.as_str()).arg(counted(*revision)).arg(&**value);
            write_ttl(command, *ttl);
        }
        Op::Get { key } => {
            command.arg(key.as_str());
        }
        Op::Insert { id, set, name, note, ttl } => {
            command.arg(id_text(*id)).arg(set.as_str()).arg(&**name).arg(&**note);
            write_ttl(command, *ttl);
        }
        Op::Update { id, set, note, ttl } => {
            command.arg(id_text(*id)).arg(set.as_str());
            write_ttl(command, *ttl);
            if let Some(note) = note {
                command.arg(&**note);
            }
        }
        Op::Remove { id, set } => {
            command.arg(id_text(*id)).arg(set.as_str());
        }
        Op::Members { set } => {
            command.arg(set.as_str());
        }
        Op::Changes { below, after } => {
            command.arg(below.as_str()).arg(counted(*after));
        }
        Op::Counters { below } => {
            command.arg(below.as_str());
        }
        // `Now` needs no argument. An operation without a script is never sent.
        _ => {}
    }
}

/// Formats an id as text of fixed length, so that texts sort like the numbers.
pub(super) fn id_text(id: OpId) -> String {
    format!("{:032x}", id.0)
}

/// Returns `s` for spent amounts, `p` for places.
pub(super) fn kind_text(kind: ScopeKind) -> &'static str {
    match kind {
        ScopeKind::Spent => "s",
        ScopeKind::Places => "p",
    }
}

/// Limits an amount to the range that a script counts exactly. An amount above [`MAX_AMOUNT`] stays so far
/// above it that no limit can fit it.
fn counted(amount: u64) -> u64 {
    amount.min((MAX_AMOUNT + 1) * 2)
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).min(LATEST.0)
}

fn write_ttl(command: &mut Cmd, ttl: Option<Duration>) {
    match ttl {
        Some(ttl) => command.arg(millis(ttl)),
        None => command.arg(""),
    };
}

fn write_scopes(command: &mut Cmd, scopes: &[Scope]) {
    for scope in scopes {
        command.arg(kind_text(scope.kind)).arg(scope.limit);
        command.arg(window::to_text(scope.window)).arg(scope.key.as_str());
    }
}
