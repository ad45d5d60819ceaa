//! Description of a machine and its user.

/// Describes a machine and its user. Unknown facts are left out of outputs.
pub trait Machine: Send + Sync {
    /// Returns an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the user of the machine.
    fn user(&self) -> Option<User>;

    /// Returns the name of the machine in the network.
    fn host_name(&self) -> Option<String>;

    /// Returns the operating system, as Rust names it (`linux`, `macos`, `windows`).
    fn operating_system(&self) -> &'static str {
        std::env::consts::OS
    }

    /// Returns the processor architecture, as Rust names it (`x86_64`, `aarch64`).
    fn architecture(&self) -> &'static str {
        std::env::consts::ARCH
    }

    /// Returns the current offset of local time from UTC, in minutes.
    fn minutes_ahead_of_utc(&self) -> i32 {
        0
    }
}

/// User of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Login name.
    pub name: String,
    /// Full name; often empty.
    pub full_name: String,
}

/// A machine without any known facts.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownMachine;

impl Machine for UnknownMachine {
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn user(&self) -> Option<User> {
        None
    }

    fn host_name(&self) -> Option<String> {
        None
    }
}
