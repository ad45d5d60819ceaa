//! What a chain was at some time, written down where its writer cannot change it, and signed.
//!
//! A [`Checkpoint`] is a [`Note`] (C2SP signed-note and tlog-checkpoint): a text that a person reads, and lines below it
//! that say who vouches for it.
//!
//! ```text
//! example.com/build7/w0                                the name of the log, and the chain
//! 1024                                                 how many records
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=         the root of the tree over them (RFC 6962)
//!
//! — example.com/build7 Az3grlgtzPICa5OS8npVmf1M...     by which key: 4 bytes of its id, and the signature
//! ```
//!
//! | line by | made with | whom it holds against |
//! | --- | --- | --- |
//! | nobody | [`sum`], which anybody can compute | nobody who can write where it is kept |
//! | [`EvolvingKey`] | a key of which the one before is erased | who takes the machine *later*, also where it is kept there |
//! | [`SigningKey`] | Ed25519 | who has not the key; anybody can check it |
//!
//! A [`Fleet`] is one note over all chains of one or many logs. [`CheckpointWriter`] writes notes, [`verify`] compares logs with them.
//! Nobody vouches for a chain that is not what its last checkpoint says it was: that is [`PutBack`].

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
pub use self::collect::{Collected, Said, collect};
pub use self::evolve::{EvolvingKey, FirstKey};
pub use self::file::{ENDING, Piece, Pieces};
pub use self::fleet::{Fleet, Head};
pub use self::heads::heads;
pub use self::key::{KeyError, SigningKey, Verifier, is_name, sum};
pub use self::keys::Keys;
pub use self::note::{Note, Signature};
pub use self::put_back::PutBack;
pub use self::state::{StateError, begin};
pub use self::verify::{LogPlace, Outcome, verify};
pub use self::writer::{CheckpointWriter, Checkpoints, Signer};
#[doc(no_inline)]
pub use zeroize::Zeroizing;

/// What stands for the name of a log whose checkpoints nobody signs.
pub const UNNAMED: &str = "audit";

#[cfg(test)]
mod tests;
