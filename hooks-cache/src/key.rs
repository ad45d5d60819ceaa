//! Keys of cached results.

use hooks_core::HookContext;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::canonical::{feed, feed_text};

/// Tenant, session, folders, tool and arguments as one digest. SHA-256 makes equal digests of different calls
/// infeasible, by accident or on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// The key of a call; `None` where its arguments are nested too deep.
    pub(super) fn for_call(context: &HookContext, tool: &str, arguments: &Value) -> Option<Self> {
        let mut digest = Sha256::new();
        digest.update([u8::from(context.tenant.is_some())]);
        let texts = [context.tenant.as_deref().unwrap_or_default(), &context.session_id, tool];
        texts.into_iter().for_each(|text| feed_text(&mut digest, text.as_bytes()));
        for folder in [&*context.cwd, context.root()] {
            feed_text(&mut digest, folder.as_os_str().as_encoded_bytes());
        }
        feed(&mut digest, arguments).then(|| Self(digest.finalize().into()))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [first, second, ..] = self.0;
        write!(f, "Key({first:02x}{second:02x}..)")
    }
}
