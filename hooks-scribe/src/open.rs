//! Running calls without ids that began in this process.

use std::collections::VecDeque;

use hooks_core::HookContext;

/// Limit on these calls. Beyond it the oldest is dropped; its end is then matched with the note of its
/// beginning, like that of a call that began in another process.
pub(super) const MOST: usize = 4_096;

/// Calls without ids, the oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(VecDeque<OpenCall>);

#[derive(Debug)]
struct OpenCall {
    tenant: Option<String>,
    session: String,
    /// Key of the call's subject: session, agent, tool and arguments.
    about: String,
    key: String,
}

impl OpenCalls {
    /// Adds a call with the subject `about`.
    pub(super) fn begin(&mut self, context: &HookContext, about: String, key: String) {
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        let (tenant, session) = (context.tenant.clone(), context.session_id.clone());
        self.0.push_back(OpenCall { tenant, session, about, key });
    }

    /// Removes the oldest call with the subject `about`, and returns its key.
    pub(super) fn end(&mut self, about: &str) -> Option<String> {
        let at = self.0.iter().position(|call| call.about == about)?;
        self.0.remove(at).map(|call| call.key)
    }

    /// Removes the call with this key, which will not run.
    pub(super) fn forget(&mut self, key: &str) {
        self.0.retain(|call| call.key != key);
    }

    /// Removes the calls of a session that ended.
    pub(super) fn end_session(&mut self, context: &HookContext) {
        self.0.retain(|call| call.session != context.session_id || call.tenant != context.tenant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_never_end_make_room_for_others() {
        let mut open = OpenCalls::default();
        let context = |session: usize| HookContext::new(format!("s{session}"), "a");
        for number in 0..3 * MOST {
            // The same call over and over, and another one for each session.
            open.begin(&context(0), "again".into(), format!("again {number}"));
            open.begin(&context(number), format!("about {number}"), format!("key {number}"));
        }
        assert_eq!(open.0.len(), MOST);
        assert_eq!(open.end("again"), Some(format!("again {}", 5 * MOST / 2)), "the oldest that is known");
        assert_eq!(open.end("about 0"), None);
        let last = 3 * MOST - 1;
        assert_eq!(open.end(&format!("about {last}")), Some(format!("key {last}")));
        open.end_session(&context(0));
        assert!(open.0.len() < MOST / 2 && open.end("again").is_none());
        open.forget(&format!("key {}", last - 1));
        assert_eq!(open.end(&format!("about {}", last - 1)), None);
    }
}
