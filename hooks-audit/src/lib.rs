//! Everything on the record: an append-only log that anybody can check, and what is fed from it.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`aside`] | work that nobody waits for, and layers that do it beside an inner hook |
//! | [`notice`] | tells an agent that another one wrote what its charter covers |
//! | [`scribe`] | keeps a team's folder in order while agents write there |
//! | [`touched`] | which files a call writes, by every way there is to them |

pub mod aside;
pub mod notice;
pub mod scribe;
pub mod touched;
