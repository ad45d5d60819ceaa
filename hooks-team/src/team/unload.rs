//! Delivers the entries of a queue to files of the team.

use super::Team;
use crate::error::TeamError;
use crate::folder::{Left, Spool, TeamPath, Writer};
use crate::moves::{self, Intent, Parts, Source, block};
use crate::name::Name;
use crate::text::Document;

/// Text for one file, made of entries of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// File to whose end the text is added.
    pub target: TeamPath,
    /// Title of the file, if it does not exist yet.
    pub title: String,
    /// Text to add; if it is empty, nothing is added.
    pub text: String,
    /// Entries from which the text was made; they are removed.
    pub from: Vec<Left>,
}

/// Result of a delivery.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Unloaded {
    /// Number of deliveries that were made.
    pub delivered: usize,
    /// Errors of the other deliveries. Their entries stay in the queue.
    pub problems: Vec<TeamError>,
}

impl Team {
    /// Returns the queue called `kind`.
    pub fn spool(&self, kind: &Name) -> Spool {
        Spool::new(&self.folder, kind)
    }

    /// Delivers the entries of `spool`. `plan` gets all entries, the oldest first, while no other process
    /// delivers; entries that it uses in no delivery stay. Each delivery is a move, which is stored first:
    /// even if the process is killed, the text is in the file exactly once and no longer in the queue. A
    /// delivery that fails does not stop the others.
    ///
    /// # Errors
    /// Returns the errors of `plan`; or an error if the queue cannot be read, or a delivery can be neither
    /// made nor cancelled. The next change finishes a move that was begun.
    pub fn unload<F>(&self, spool: &Spool, plan: F) -> Result<Unloaded, TeamError>
    where
        F: FnOnce(Vec<Left>) -> Result<Vec<Delivery>, TeamError>,
    {
        // If there is nothing to do, there is no wait for the lock.
        if spool.is_empty()? && !self.folder.exists(&TeamPath::known(moves::UNDER_WAY))? {
            return Ok(Unloaded::default());
        }
        let writer = self.writer()?;
        let mut unloaded = Unloaded::default();
        for delivery in plan(spool.read()?)? {
            match self.deliver(&writer, delivery) {
                Ok(()) => unloaded.delivered += 1,
                // A further delivery would overwrite the stored move.
                Err(error) if self.folder.exists(&TeamPath::known(moves::UNDER_WAY))? => return Err(error),
                Err(error) => unloaded.problems.push(error),
            }
        }
        Ok(unloaded)
    }

    fn deliver(&self, writer: &Writer<'_>, delivery: Delivery) -> Result<(), TeamError> {
        let Delivery { target, title, text, from } = delivery;
        let content = self.folder.read(&target)?.unwrap_or_default();
        let mut parts = Parts::default();
        if !text.trim().is_empty() {
            parts.add(None, false, &block(&Document::parse(&*content), text.as_bytes()));
        }
        let sources = from.iter().map(|left| Source::whole(&left.place, &left.bytes)).collect();
        moves::begin(writer, &Intent::new(&target, &content, &title, parts.finish(), sources)?)
    }

    /// Sets aside an entry that should not be delivered, with the reason `why`, so that the operator can
    /// inspect it.
    ///
    /// # Errors
    /// Returns an error if it cannot be written, or the entry cannot be removed.
    pub fn refuse(&self, left: &Left, why: &str) -> Result<(), TeamError> {
        let writer = self.writer()?;
        writer.set_aside("note", why, left.content())?;
        writer.remove(&left.place, &left.bytes).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::Environment;
    use hooks_core::testing::FakeDisk;
    use hooks_core::time::{SeededRandom, Timestamp};

    use super::*;

    fn team(disk: &FakeDisk) -> Team {
        let mut environment = Environment::detached();
        environment.random = Arc::new(SeededRandom::new(1));
        Team::new(Arc::new(disk.clone()), "/t", &environment)
    }

    fn deliver(team: &Team) -> Result<Unloaded, TeamError> {
        let spool = team.spool(&Name::new("queue").unwrap());
        team.unload(&spool, |left| {
            let lines = left.iter().map(|left| format!("- {}\n", String::from_utf8_lossy(left.content())));
            let (target, title) = (TeamPath::known("log/a.md"), "# Log".to_owned());
            Ok(vec![Delivery { target, title, text: lines.collect(), from: left.clone() }])
        })
    }

    #[test]
    fn everything_is_delivered_once_whenever_the_process_is_killed() {
        for cut_power in [false, true] {
            for at in 0.. {
                let disk = FakeDisk::default().with_directory("/t");
                let spool = team(&disk).spool(&Name::new("queue").unwrap());
                for number in 0..3 {
                    spool.leave(Timestamp(number), format!("note {number}").as_bytes()).unwrap();
                }
                disk.kill_at(at);
                let done = deliver(&team(&disk));
                if cut_power {
                    disk.lose_power();
                } else {
                    disk.restart();
                }
                deliver(&team(&disk)).unwrap();
                let text = team(&disk).folder().read(&TeamPath::known("log/a.md")).unwrap().unwrap();
                let text = String::from_utf8(text).unwrap();
                assert_eq!(text, "# Log\n\n- note 0\n- note 1\n- note 2\n", "killed at step {at}");
                assert!(spool.is_empty().unwrap());
                if done.is_ok() {
                    break;
                }
            }
        }
    }

    #[test]
    fn what_is_named_in_no_delivery_stays() {
        let disk = FakeDisk::default().with_directory("/t");
        let (team, name) = (team(&disk), Name::new("queue").unwrap());
        assert_eq!(team.unload(&team.spool(&name), |_| panic!("there is nothing")).unwrap().delivered, 0);
        team.spool(&name).leave(Timestamp(1), b"x").unwrap();
        assert_eq!(team.unload(&team.spool(&name), |_| Ok(Vec::new())).unwrap().delivered, 0);
        assert_eq!(team.spool(&name).read().unwrap().len(), 1);
    }
}
