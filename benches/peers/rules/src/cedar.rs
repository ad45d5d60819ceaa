//! cedar-policy: one `forbid` per folder beside one `permit`.

use std::str::FromStr;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request, RestrictedExpression,
};

use crate::{Engine, Error};

/// One `forbid` per folder.
pub fn engine(rules: usize) -> Result<Engine, Error> {
    let mut text = "permit(principal, action, resource);\n".to_owned();
    for place in 0..rules {
        text.push_str(&format!(
            "forbid(principal, action == Action::\"edit\", resource) when {{ context.path like \"packages/package-{place}/*\" }};\n"
        ));
    }
    let policies = PolicySet::from_str(&text)?;
    let principal = EntityUid::from_str("Agent::\"agent\"")?;
    let action = EntityUid::from_str("Action::\"edit\"")?;
    let resource = EntityUid::from_str("Tool::\"edit\"")?;
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    Ok(Box::new(move |path| {
        let path = RestrictedExpression::new_string(path.to_owned());
        let request = Context::from_pairs([("path".to_owned(), path)]).ok().and_then(|context| {
            Request::new(principal.clone(), action.clone(), resource.clone(), context, None).ok()
        });
        request.is_some_and(|request| {
            authorizer.is_authorized(&request, &policies, &entities).decision() == Decision::Allow
        })
    }))
}
