//! The service `payments.Payments` and its messages.

/// A payment to make.
#[derive(Clone, PartialEq, prost::Message)]
#[cfg_attr(feature = "governed", derive(serde::Serialize, serde::Deserialize))]
pub struct Payment {
    /// The person who gets it.
    #[prost(string, tag = "1")]
    pub to: String,
    /// The amount.
    #[prost(uint64, tag = "2")]
    pub cents: u64,
}

/// A payment was made.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct Receipt {
    /// The amount.
    #[prost(uint64, tag = "1")]
    pub cents: u64,
}

mod generated {
    include!(concat!(env!("OUT_DIR"), "/payments.Payments.rs"));
}

pub use generated::{payments_client, payments_server};
