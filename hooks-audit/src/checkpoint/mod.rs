//! Signed statements about the state of a chain at some time, stored where the writer of the chain cannot
//! change them.
//!
//! A [`Checkpoint`] is a [`Note`] (C2SP signed-note and tlog-checkpoint): a text that a person can read, and
//! signature lines below it.
//!
//! ```text
//! example.com/build7/w0                                the name of the log, and the chain
//! 1024                                                 how many records
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=         the root of the tree over them (RFC 6962)
//!
//! — example.com/build7 Az3grlgtzPICa5OS8npVmf1M...     by which key: 4 bytes of its id, and the signature
//! ```
//!
//! | line by | made with | protects against |
//! | --- | --- | --- |
//! | no signer | [`sum`], which needs no key | accidental damage only |
//! | [`EvolvingKey`] | a key whose predecessor is erased | attackers who take the machine *later*, with its checkpoints |
//! | [`SigningKey`] | Ed25519 | attackers without the key; the public key checks it |
//!
//! A [`Fleet`] is one note over all chains of one or many logs. [`CheckpointWriter`] writes notes, [`verify`]
//! compares logs with them. No checkpoint is made of a chain that contradicts its last checkpoint; the error
//! is [`PutBack`].
//!
//! A checkpoint is signed, encoded and checked:
//!
//! ```
//! use hooks_audit::chain::Digest;
//! use hooks_audit::checkpoint::{Checkpoint, Note, SigningKey, Verifier, Zeroizing};
//!
//! // Take the 32 bytes from an unpredictable source.
//! let key = SigningKey::new("example.com/build7", &Zeroizing::new([3; 32]))?;
//! let text = Checkpoint::of_chain("example.com/build7", "w0", 1_024, Digest([9; 32])).to_string();
//! let note = Note { signatures: vec![key.sign(&text)], text };
//!
//! let verifier = Verifier::parse(&key.verifier().to_string())?;
//! let read = Note::parse(&note.to_string()).ok_or("not a note")?;
//! assert!(verifier.has_signed(&read.text, &read.signatures[0]));
//! assert!(!verifier.has_signed(&read.text.replace("1024", "1023"), &read.signatures[0]));
//! let checkpoint = Checkpoint::parse(&read.text).ok_or("not a checkpoint")?;
//! assert_eq!((checkpoint.chain(), checkpoint.size), (Some(("example.com/build7", "w0")), 1_024));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: a log writes signed checkpoints to another folder, and is compared with them later.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use hooks_audit::checkpoint::{self, Checkpoints, Keys, LogPlace, Signer, SigningKey, Zeroizing};
//! use hooks_audit::verify::Condition;
//! use hooks_audit::{Entry, Log, LogSettings, Record};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! let key = SigningKey::new("example.com/build7", &Zeroizing::new([3; 32]))?;
//! let mut keys = Keys::default();
//! keys.add(&key.verifier().to_string())?;
//!
//! let disk = Arc::new(FakeDisk::default().with_directory("/elsewhere"));
//! let mut settings = LogSettings::new([7; 32]);
//! let signer = Signer::Ed25519(Arc::new(key));
//! settings.checkpoints = Some(Checkpoints { folder: "/elsewhere".into(), signer });
//! let log = Log::open(disk.clone(), "/log", settings, Arc::new(StoppedClock(Timestamp(1))))?;
//! log.put_through(|| Entry::from(Record::new("stop", Timestamp(1))))?.wait()?;
//! log.close().wait()?;
//!
//! let check = |folder: &str| {
//!     let logs = [LogPlace { name: None, folder: folder.into() }];
//!     checkpoint::verify(&*disk, &logs, Path::new("/elsewhere"), &keys)
//! };
//! assert_eq!(check("/log")?.condition(), Condition::Clean);
//! assert_eq!(check("/removed")?.condition(), Condition::Mismatched);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod collect;
mod compare;
mod evolve;
mod file;
mod fleet;
mod heads;
mod key;
mod keys;
mod note;
mod put_back;
mod state;
mod verify;
mod writer;

pub use self::body::Checkpoint;
pub use self::collect::{CheckpointedChain, Collected, collect};
pub use self::evolve::{EvolvingKey, FirstKey};
pub use self::file::{ENDING, Piece, Pieces};
pub use self::fleet::{Fleet, Head};
pub use self::heads::heads;
pub use self::key::{KeyError, SigningKey, Verifier, is_name, sum};
pub use self::keys::Keys;
pub use self::note::{Note, Signature};
pub use self::put_back::PutBack;
pub use self::state::{StateError, begin};
pub use self::verify::{CheckpointReport, LogPlace, verify};
pub use self::writer::{CheckpointWriter, Checkpoints, Signer};
#[doc(no_inline)]
pub use zeroize::Zeroizing;

/// Name of the log in unsigned checkpoints.
pub const UNNAMED: &str = "audit";

#[cfg(test)]
mod tests;
