//! What lies in a queue becomes text in files of the team.

use super::Team;
use crate::error::TeamError;
use crate::folder::{Left, Place, Spool, Writer};
use crate::moves::{self, Intent, Parts, Source, block};
use crate::name::Name;
use crate::text::Document;

/// Text for one file, made of what was left in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The file whose end it is added to.
    pub target: Place,
    /// What the file begins with if it is not there.
    pub title: String,
    /// What is added; nothing where this is empty.
    pub text: String,
    /// What it was made of, which goes.
    pub from: Vec<Left>,
}

/// What became of a queue.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Unloaded {
    /// How many deliveries were made.
    pub delivered: usize,
    /// Why others could not be made. What they are made of stays in the queue.
    pub problems: Vec<TeamError>,
}

impl Team {
    /// The queue called `kind`.
    pub fn spool(&self, kind: &Name) -> Spool {
        Spool::new(&self.folder, kind)
    }

    /// Delivers what lies in `spool`. `plan` sees it all, the oldest first, while nobody else delivers; what it names
    /// in no delivery stays. Each delivery is a move, written down first: what is delivered is in the file once, and no
    /// longer in the queue, whenever the process is killed. One that cannot be made keeps no other.
    ///
    /// # Errors
    /// Those of `plan`, the queue cannot be read, or a delivery can be neither made nor given up. What was begun is
    /// finished by the next change.
    pub fn unload<F>(&self, spool: &Spool, plan: F) -> Result<Unloaded, TeamError>
    where
        F: FnOnce(Vec<Left>) -> Result<Vec<Delivery>, TeamError>,
    {
        // Nobody waits for the lock where there is nothing to do.
        if spool.is_empty()? && !self.folder.exists(&Place::known(moves::UNDER_WAY))? {
            return Ok(Unloaded::default());
        }
        let writer = self.writer()?;
        let mut unloaded = Unloaded::default();
        for delivery in plan(spool.read()?)? {
            match self.deliver(&writer, delivery) {
                Ok(()) => unloaded.delivered += 1,
                // The next one would take its place.
                Err(error) if self.folder.exists(&Place::known(moves::UNDER_WAY))? => return Err(error),
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

    /// Sets aside what somebody left in a queue and nobody shall deliver, with the reason `why`, for a person to look at.
    ///
    /// # Errors
    /// It cannot be written, or not be taken away.
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
            let (target, title) = (Place::known("log/a.md"), "# Log".to_owned());
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
                let text = team(&disk).folder().read(&Place::known("log/a.md")).unwrap().unwrap();
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
