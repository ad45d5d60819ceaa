//! Parsed and validated policies.

use std::collections::HashMap;

use cedar_policy::{Policy, PolicyId, PolicySet, Schema, ValidationMode, Validator};
use hooks_facts::tools::ToolTable;
use miette::Diagnostic;

use crate::config::{CedarConfig, CedarFile};
use crate::error::{CedarError, CedarErrors};
use crate::request::Types;
use crate::schema::schema_for;

/// The policies of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Policies {
    pub(crate) set: PolicySet,
    named: HashMap<PolicyId, Named>,
}

/// Facts about one policy.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Position among all policies.
    pub(crate) order: usize,
    /// Index of its file.
    file: usize,
    /// Text of `@reason`.
    pub(crate) reason: Option<String>,
}

impl Policies {
    /// Parses the policies and validates them.
    pub(crate) fn new(config: &CedarConfig, types: &Types, table: &ToolTable) -> Result<Self, CedarErrors> {
        let mut policies = Self { set: PolicySet::new(), named: HashMap::new() };
        let mut errors = Vec::new();
        for (index, file) in config.files.iter().enumerate() {
            policies.parse(index, file, &mut errors);
        }
        if errors.is_empty() {
            policies.validate(config, types, table, &mut errors);
        }
        if errors.is_empty() { Ok(policies) } else { Err(CedarErrors(errors)) }
    }

    /// Returns the facts about a policy of the set.
    pub(crate) fn named(&self, id: &PolicyId) -> Option<&Named> {
        self.named.get(id)
    }

    fn parse(&mut self, index: usize, file: &CedarFile, errors: &mut Vec<CedarError>) {
        let parsed: PolicySet = match file.text.parse() {
            Ok(parsed) => parsed,
            Err(parse_errors) => {
                let all: cedar_policy::ParseErrors = parse_errors;
                errors.extend(all.iter().map(|error| CedarError::new(file, error)));
                return;
            }
        };
        if parsed.templates().next().is_some() {
            let error =
                CedarError::at(file, file.text.find('?').unwrap_or(0), "a template has no effect by itself");
            errors.push(error.with_hint("write the principal or the resource in the place of the slot"));
        }
        let mut found: Vec<_> = parsed.policies().cloned().collect();
        found.sort_by_key(number);
        for policy in found {
            self.add(index, file, &policy, errors);
        }
    }

    fn add(&mut self, index: usize, file: &CedarFile, policy: &Policy, errors: &mut Vec<CedarError>) {
        let order = self.named.len();
        let own = policy.annotation("id").filter(|id| !id.is_empty()).map(str::to_owned);
        let id = PolicyId::new(own.clone().unwrap_or_else(|| format!("policy{order}")));
        let reason = policy.annotation("reason").filter(|reason| !reason.is_empty()).map(str::to_owned);
        if self.named.contains_key(&id) || self.set.add(policy.new_id(id.clone())).is_err() {
            let quoted = format!("\"{id}\"");
            let at = file.text.rfind(&quoted).unwrap_or(0);
            let error = CedarError::at(file, at, &format!("two policies have the id `{id}`"));
            errors.push(error.with_hint("give each a name of its own in `@id`"));
            return;
        }
        self.named.insert(id, Named { order, file: index, reason });
    }

    fn validate(&self, config: &CedarConfig, types: &Types, table: &ToolTable, errors: &mut Vec<CedarError>) {
        let schema = match &config.schema {
            Some(file) => file.clone(),
            None => {
                let literals: Vec<_> = self.set.policies().flat_map(Policy::entity_literals).collect();
                let named = literals.iter().filter_map(|literal| types.tool_of(literal));
                CedarFile::new("the schema of hooks", schema_for(named, table))
            }
        };
        let parsed = match Schema::from_cedarschema_str(&schema.text) {
            Ok((parsed, _)) => parsed,
            Err(error) => return errors.push(CedarError::new(&schema, &error)),
        };
        let result = Validator::new(parsed).validate(&self.set, ValidationMode::Strict);
        let mut found: Vec<_> = result
            .validation_errors()
            .filter_map(|error| {
                let named = self.named.get(error.policy_id())?;
                let file = config.files.get(named.file)?;
                Some((named.order, CedarError::new(file, error as &dyn Diagnostic)))
            })
            .collect();
        found.sort_by_key(|(order, error)| (*order, error.line, error.column, error.problem.clone()));
        errors.extend(found.into_iter().map(|(_, error)| error));
        if errors.is_empty() && !result.validation_passed() {
            errors.push(CedarError::at(&schema, 0, "the policies do not fit it"));
        }
    }
}

/// Number of a policy in its file: Cedar calls them `policy0`, `policy1`.
fn number(policy: &Policy) -> usize {
    let id = policy.id().to_string();
    id.trim_start_matches("policy").parse().unwrap_or(usize::MAX)
}
