use std::future::ready;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::drivers::ModelRequest;
use hooks_core::state::{Memory, OpId};
use hooks_core::testing::VirtualTime;
use hooks_core::time::Clock;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::PerTenantLayer;
use crate::fixture::{at, catalog, health, world};
use crate::{
    AttemptConfig, AttemptLayer, BreakerLayer, Call, Catalog, Classified, ErrorKind, Health, ModelError,
    Needs, Readiness,
};

fn call_of(tenant: Option<&str>, catalog: &Catalog) -> Call {
    let mut context = HookContext::new("s", "lead");
    context.tenant = tenant.map(str::to_owned);
    let mut call = Call::new(Arc::new(context), ModelRequest::default(), OpId(1));
    call.model = catalog.models().first().cloned();
    call
}

/// A client that refuses the credentials of one tenant.
fn refuses(
    tenant: &'static str,
) -> impl Service<Call, Response = (), Error = ModelError, Future: Send> + Clone {
    service_fn(move |call: Call| {
        ready(match call.context().tenant.as_deref() == Some(tenant) {
            true => Err(ModelError::new(ErrorKind::Authentication, "invalid api key")),
            false => Ok(()),
        })
    })
}

#[test]
fn whose_key_is_wrong_is_nobody_elses_loss() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let world = world(&time);
    let attempt = AttemptLayer::new(world, AttemptConfig::default(), Classified).unwrap();
    let layer = PerTenantLayer::new(health(&catalog, &time), |health| {
        Ok::<_, ModelError>(BreakerLayer::new(health.clone()))
    });
    let stack = layer.layer(attempt.layer(refuses("acme")));
    let ask = |tenant| {
        let answer = time.block_on(stack.clone().oneshot(call_of(tenant, &catalog))).unwrap();
        answer.err().map(|error| error.kind())
    };
    assert_eq!(ask(Some("acme")), Some(ErrorKind::Authentication));
    assert_eq!(ask(Some("acme")), Some(ErrorKind::NotAdmitted));
    assert_eq!([ask(Some("initech")), ask(None)], [None, None]);
}

#[test]
fn a_tenant_is_known_to_its_fleet_by_its_own_name() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = Arc::new(Memory::new(Arc::new(time.clone())));
    let instance = || health(&catalog, &time).shared(Arc::<Memory>::clone(&store), "fleet");
    let (one, other) = (instance(), instance());
    let model = &catalog.models()[0];
    one.of_tenant(Some("acme")).cool_down_until(model, at(60), ErrorKind::RateLimited);
    let ready = |health: Health| health.readiness(model, &Needs::default(), time.tick());
    assert_eq!(ready(other.of_tenant(Some("acme"))), Readiness::At(at(60)));
    assert_eq!(ready(other.of_tenant(Some("initech"))), Readiness::Ready);
    assert_eq!(ready(other), Readiness::Ready);
    // The record of a tenant is the same each time, and its own record of that tenant is itself.
    let acme = one.of_tenant(Some("acme"));
    assert_eq!(ready(acme.of_tenant(Some("acme"))), Readiness::At(at(60)));
    assert_eq!(ready(acme.of_tenant(None)), Readiness::At(at(60)));
    assert_eq!(ready(acme.of_tenant(Some("initech"))), Readiness::Ready);
}
