//! The digest of a call: two calls have the same one only if they do the same.

use hooks_core::HookRequest;
use hooks_core::event::PreToolUse;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Most levels of arguments. Calls with more have no digest.
const DEEPEST: usize = 200;

/// Version of the digest. A change of its input needs another one, so that old approvals end.
const VERSION: &str = "hooks-call-1";

/// Digest of a call. It depends on the tenant, the agent, the folders and the tool with all its arguments.
/// The session is left out: the call may be made again in another one. `None` if the arguments have too many
/// levels.
pub(super) fn digest(request: &HookRequest<PreToolUse>) -> Option<[u8; 32]> {
    let (context, call) = (request.context(), request.event());
    let mut hasher = Sha256::new();
    // A missing tenant differs from one without a name.
    let tenant = context.tenant.as_deref();
    hasher.update([u8::from(tenant.is_some())]);
    for part in [
        VERSION.as_bytes(),
        tenant.unwrap_or_default().as_bytes(),
        context.agent_name.as_bytes(),
        context.root().as_os_str().as_encoded_bytes(),
        context.cwd.as_os_str().as_encoded_bytes(),
        call.tool_name.as_bytes(),
    ] {
        text(&mut hasher, part);
    }
    value(&mut hasher, &call.tool_args, DEEPEST)?;
    Some(hasher.finalize().into())
}

/// Adds a value. Each kind has a mark and each part its length, so that different values never give the same
/// bytes. Keys are sorted.
fn value(hasher: &mut Sha256, of: &Value, levels: usize) -> Option<()> {
    let levels = levels.checked_sub(1)?;
    match of {
        Value::Null => hasher.update(b"n"),
        Value::Bool(is_true) => hasher.update(if *is_true { b"t" } else { b"f" }),
        Value::Number(number) => {
            hasher.update(b"d");
            text(hasher, number.to_string().as_bytes());
        }
        Value::String(string) => {
            hasher.update(b"s");
            text(hasher, string.as_bytes());
        }
        Value::Array(items) => {
            hasher.update(b"a");
            length(hasher, items.len());
            for item in items {
                value(hasher, item, levels)?;
            }
        }
        Value::Object(fields) => {
            hasher.update(b"o");
            length(hasher, fields.len());
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            for (name, field) in fields {
                text(hasher, name.as_bytes());
                value(hasher, field, levels)?;
            }
        }
    }
    Some(())
}

fn text(hasher: &mut Sha256, bytes: &[u8]) {
    length(hasher, bytes.len());
    hasher.update(bytes);
}

fn length(hasher: &mut Sha256, length: usize) {
    hasher.update(u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes());
}
