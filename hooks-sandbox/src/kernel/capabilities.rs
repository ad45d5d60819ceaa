//! Capabilities: rights of the superuser, one by one.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
};

use crate::enforced::Held;

/// Whether this process may mount by its own right.
pub(super) fn may_mount() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

/// Keeps the right to mount for the next program that this process starts.
pub(super) fn keep_for_next() -> Result<(), rustix::io::Errno> {
    let wanted = CapabilitySet::SYS_ADMIN | CapabilitySet::DAC_OVERRIDE | CapabilitySet::SETPCAP;
    let sets = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: sets.inheritable | wanted, ..sets })?;
    wanted.iter().try_for_each(|one| configure_capability_in_ambient_set(one, true))
}

/// Gives up every capability, also those that a program could get when it starts.
pub(super) fn drop_all() -> Held {
    let mut kept = Vec::new();
    for one in CapabilitySet::all().iter() {
        // A capability that this kernel does not know cannot be held.
        if let Err(error) = remove_capability_from_bounding_set(one)
            && error != rustix::io::Errno::INVAL
        {
            kept.push(one);
        }
    }
    let none = CapabilitySet::empty();
    let dropped = clear_ambient_capability_set().and_then(|()| {
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
    });
    match dropped {
        Err(error) => Held::Refused(error.to_string()),
        // A user other than the superuser gets none from a program, as new privileges are refused.
        Ok(()) if kept.is_empty() || !rustix::process::geteuid().is_root() => Held::Fully,
        Ok(()) => Held::Partly("a program could get some again".to_owned()),
    }
}
