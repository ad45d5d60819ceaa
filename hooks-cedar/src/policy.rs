//! The policy: a call is judged by the engine of Cedar.

use std::fmt;
use std::sync::Arc;

use cedar_policy::{AuthorizationError, Authorizer, Decision, PolicyId, Response};
use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, Policy, PolicyLayer, Reason, ReasonKind, Verdict};
use hooks_facts::calls::CallReader;

use crate::config::{CedarConfig, DefaultAnswer};
use crate::error::{CedarError, CedarErrors};
use crate::request::Types;
use crate::set::Policies;

const NAME: &str = "cedar";

/// Bytes of the stack on which policies are read; memory is taken as far as it is used.
const STACK: usize = 1 << 30;

/// Judges calls by a set of Cedar policies; see the [crate](crate) for an example. Clones share the set.
#[derive(Clone)]
pub struct CedarPolicy(Arc<Compiled>);

/// A set of Cedar policies in front of an inner hook.
pub type CedarLayer = PolicyLayer<CedarPolicy>;

struct Compiled {
    policies: Policies,
    types: Types,
    reader: CallReader,
    default: DefaultAnswer,
    authorizer: Authorizer,
}

impl CedarPolicy {
    /// Parses the policies and validates them against the schema, strictly.
    ///
    /// # Errors
    /// Returns all errors of the texts, with their places: what cannot be parsed, templates, duplicate ids; then all
    /// differences from the schema, such as the name of a tool that does not exist.
    pub fn new(config: &CedarConfig, reader: &CallReader) -> Result<Self, CedarErrors> {
        if let Some(errors) = CedarErrors::of_depth(config) {
            return Err(errors);
        }
        // The parser calls itself for what is nested, and a process that overflows its stack gives no answer.
        let compiled = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.spawn_scoped(scope, || Self::compiled(config, reader)).ok()?;
            thread.join().ok()
        });
        compiled
            .unwrap_or_else(|| Err(CedarErrors::of_config(config, "there is no thread to read the policies")))
    }

    fn compiled(config: &CedarConfig, reader: &CallReader) -> Result<Self, CedarErrors> {
        let types = Types::new().map_err(|error| {
            let first = config.files.first().cloned();
            CedarErrors(first.iter().map(|file| CedarError::new(file, &*error)).collect())
        })?;
        let policies = Policies::new(config, &types, reader.table())?;
        let (reader, default) = (reader.clone(), config.default);
        Ok(Self(Arc::new(Compiled { policies, types, reader, default, authorizer: Authorizer::new() })))
    }

    /// Wraps the policies in a layer.
    pub fn layer(self) -> CedarLayer {
        PolicyLayer::new(self)
    }
}

impl Compiled {
    /// The verdict for an answer of Cedar.
    fn verdict(&self, answer: &Response) -> Verdict {
        let failed = answer.diagnostics().errors().map(|error| match error {
            AuthorizationError::PolicyEvaluationError(error) => (error.policy_id(), failure(error)),
        });
        let forbids = answer.diagnostics().reason().filter(|_| answer.decision() == Decision::Deny);
        let mut reasons: Vec<_> = failed.chain(forbids.map(|id| (id, self.forbidden(id)))).collect();
        // Cedar keeps them without an order, and a policy is pure.
        reasons.sort_by_key(|(id, _)| self.policies.named(id).map(|named| named.order));
        if reasons.is_empty() && answer.decision() == Decision::Deny && self.default == DefaultAnswer::Deny {
            let reason = Reason::new(NAME, "default", "no policy permits this call");
            return Verdict::deny(reason.unless("add a policy that permits it, or write `default: none`"));
        }
        let mut verdict = Verdict::NO_OPINION;
        reasons.into_iter().for_each(|(_, reason)| verdict.merge(Verdict::deny(reason)));
        verdict
    }

    fn forbidden(&self, id: &PolicyId) -> Reason {
        match self.policies.named(id).and_then(|named| named.reason.clone()) {
            Some(text) => Reason::new(NAME, id.to_string(), text).by_operator(),
            None => Reason::new(NAME, id.to_string(), format!("the policy `{id}` forbids this call")),
        }
    }
}

fn failure(error: &cedar_policy::authorization_errors::PolicyEvaluationError) -> Reason {
    let id = error.policy_id();
    let message = format!("the policy `{id}` cannot be evaluated: {}", error.inner());
    let mut reason = Reason::new(NAME, id.to_string(), message);
    reason.kind = ReasonKind::Failure;
    reason.unless("guard the attribute with `has`, or correct the policy")
}

impl Policy<PreToolUse> for CedarPolicy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let own = &*self.0;
        match own.types.request(request, &own.reader) {
            Ok((request, entities)) => {
                own.verdict(&own.authorizer.is_authorized(&request, &own.policies.set, &entities))
            }
            Err(problem) => {
                let mut reason = Reason::new(NAME, "request", problem);
                reason.kind = ReasonKind::Failure;
                Verdict::deny(reason)
            }
        }
    }
}

impl fmt::Debug for CedarPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies = self.0.policies.set.num_of_policies();
        f.debug_struct("CedarPolicy").field("policies", &policies).finish_non_exhaustive()
    }
}
