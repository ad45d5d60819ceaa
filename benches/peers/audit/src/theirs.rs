//! agentmesh: its audit logger, with the arguments as part of the action.

use agentmesh::audit::AuditLogger;

use crate::Error;

pub const AGENT: &str = "backend";
pub const PATH: &str = "src/server/routes/orders.rs";
pub const CONTENT: &str = "pub fn list() -> Vec<Order> { store().all() }";
/// How many entries it keeps unless told.
pub const LIMIT: u32 = 100_000;

/// A logger, and what is done.
pub struct Theirs {
    logger: AuditLogger,
    action: String,
}

impl Theirs {
    /// One that is empty.
    pub fn new() -> Self {
        let action = format!("write_file {{\"path\":\"{PATH}\",\"content\":\"{CONTENT}\"}}");
        Self { logger: AuditLogger::new(), action }
    }

    /// One that keeps as many as it does.
    pub fn full() -> Self {
        let full = Self::new();
        for _ in 0..LIMIT {
            full.logger.log(AGENT, &full.action, "allow");
        }
        full
    }

    /// Puts the event down `count` times.
    pub fn put(&self, count: u32) -> Result<(), Error> {
        for _ in 0..count {
            self.logger.log(AGENT, &self.action, "allow");
        }
        Ok(())
    }

    /// Verifies what it keeps.
    pub fn verify(&self) -> Result<(), Error> {
        if self.logger.verify() { Ok(()) } else { Err("its log is not as it was written".into()) }
    }

    /// How many entries it keeps.
    pub fn kept(&self) -> usize {
        self.logger.entries().len()
    }
}
