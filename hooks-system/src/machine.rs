//! Names of this machine and its user.

use hooks_core::machine::{Machine, User};

/// This machine, as environment variables and system files describe it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemMachine;

impl Machine for SystemMachine {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn user(&self) -> Option<User> {
        let name = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| self.variable(name));
        let name = name.filter(|name| !name.is_empty()).or_else(own_name)?;
        let full_name = field_of(|fields| fields.first() == Some(&&*name), 4).unwrap_or_default();
        // The field has more parts than the name, separated by commas.
        let full_name = full_name.split(',').next().unwrap_or_default().to_owned();
        Some(User { name, full_name })
    }

    fn host_name(&self) -> Option<String> {
        let variable = || self.variable("HOSTNAME").or_else(|| self.variable("COMPUTERNAME"));
        kernel_host_name().or_else(variable).filter(|name| !name.is_empty())
    }
}

/// Name of the user ID that this process runs with.
fn own_name() -> Option<String> {
    #[cfg(unix)]
    {
        let number = rustix::process::getuid().as_raw().to_string();
        field_of(|fields| fields.get(2) == Some(&&*number), 0)
    }
    #[cfg(not(unix))]
    None
}

/// A field of the first line of `/etc/passwd` that `is_wanted` accepts.
fn field_of(is_wanted: impl Fn(&[&str]) -> bool, field: usize) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let fields: Vec<_> = line.split(':').collect();
        if !is_wanted(&fields) {
            return None;
        }
        fields.get(field).map(|text| (*text).to_owned())
    })
}

fn kernel_host_name() -> Option<String> {
    #[cfg(unix)]
    {
        rustix::system::uname().nodename().to_str().ok().map(str::to_owned)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_uses_this_machine() {
        assert!(SystemMachine.variable("PATH").is_some());
        if let Some(user) = SystemMachine.user() {
            assert!(!user.name.is_empty() && !user.full_name.contains(','));
        }
    }
}
