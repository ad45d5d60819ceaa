//! The layers as a host composes them, over a scripted client, in virtual time.
#![cfg(test)]

mod alert;
mod cancellation;
mod decision_table;
mod fallback;
mod hedge;
mod hostile;
mod polled_again;
mod readiness;
mod retry;
mod rig;
