//! Reports tenants that sections name although the configuration does not serve them: the section would never
//! apply to them.

use super::error::Mistakes;
use super::prune::Pruned;
use super::tenant::{OTHERS, Tenancy};
use super::tree::{Kind, Node};
use super::words::quoted;
use super::{cache, metrics, notices, scribe, sinks};

/// Reports each tenant that a section names and `tenancy` does not serve.
pub(super) fn check(tenancy: &Tenancy, tree: &Pruned, mistakes: &mut Mistakes) {
    for key in [cache::KEY, metrics::KEY, scribe::KEY, notices::KEY] {
        if let Some(section) = tree.root.get(key) {
            named(section, key, tenancy, tree, mistakes);
        }
    }
    if let Some(Kind::List(all)) = tree.root.get(sinks::KEY).map(|node| &node.kind) {
        for (at, sink) in all.iter().enumerate() {
            named(sink, &format!("{}[{at}]", sinks::KEY), tenancy, tree, mistakes);
        }
    }
}

/// Reports the tenants of one section, which is at `path`.
fn named(section: &Node, path: &str, tenancy: &Tenancy, tree: &Pruned, mistakes: &mut Mistakes) {
    let Some(Kind::List(names)) = section.get(OTHERS).map(|node| &node.kind) else { return };
    for (at, node) in names.iter().enumerate() {
        if let Kind::Text(name) = &node.kind
            && !tenancy.serves(name)
        {
            let path = tree.path_before(&format!("{path}.{OTHERS}[{at}]"));
            let problem = format!("{} is not a tenant of this configuration", quoted(name));
            let hint = "list it in `tenants` at the top, or leave it out here";
            mistakes.add_with_hint(&node.place, path, problem, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::Config;

    #[test]
    fn only_tenants_that_are_served_may_be_named() {
        let text = "
version: 1
tenant: acme
tenants: [globex]
audit: {}
metrics: { tenants: [acme, initech] }
scribe: { tenants: [globex] }
sinks:
  - { name: a, tenants: [acme, umbrella], webhook: { url: \"http://x\" } }
";
        let errors = Config::parse(text, "hooks.yaml").unwrap_err();
        // A program that is built without a sink reports that, too.
        let errors = errors.errors().iter().map(ToString::to_string);
        let errors: Vec<_> = errors.filter(|error| error.contains("tenants")).collect();
        let [metrics, sink] = &errors[..] else { panic!("{errors:?}") };
        assert!(metrics.contains("metrics.tenants[1]: `initech` is not a tenant"), "{metrics}");
        assert!(sink.contains("sinks[0].tenants[1]: `umbrella` is not a tenant"), "{sink}");
        // Without the key `tenant`, all tenants are served.
        assert!(Config::parse("version: 1\nmetrics: { tenants: [acme] }", "hooks.yaml").is_ok());
    }
}
