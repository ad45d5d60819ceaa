//! The layers as a user composes them, over a scripted client, in virtual time.
#![cfg(test)]

mod decision_table;
mod rig;
