//! The scripts: each operation is one, put together from what it needs, and one atomic step of the server.

/// A table of scripts, each with its parts in their order.
macro_rules! scripts {
    ($($(#[$doc:meta])* $name:ident: $($part:literal)+;)+) => {
        /// What the server runs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Script {
            $($(#[$doc])* $name,)+
        }

        impl Script {
            /// All of them, in the order of their places.
            pub(super) const ALL: [Self; [$(Self::$name),+].len()] = [$(Self::$name),+];

            /// What it does, for the server to keep.
            pub(super) const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($(include_str!(concat!("lua/", $part, ".lua"))),+),)+
                }
            }
        }
    };
}

scripts! {
    Reserve: "time" "due" "counters" "holds" "reserve";
    Lease: "time" "due" "counters" "holds" "lease";
    Extend: "time" "due" "counters" "holds" "extend";
    Settle: "time" "due" "counters" "holds" "settle";
    /// Takes for lost the holders whose time is up.
    Expire: "time" "counters" "holds" "expire";
    /// Brings back what the server forgot.
    Restore: "time" "due" "counters" "holds" "restore";
    Used: "time" "due" "counters" "used";
    Counters: "time" "due" "counters" "list";
    Correct: "time" "due" "counters" "past" "correct";
    Pace: "time" "due" "pace";
    Put: "time" "due" "revisions" "write" "put";
    CompareAndSet: "time" "due" "revisions" "values" "write" "compare_and_set";
    Get: "time" "due" "values" "get";
    Insert: "time" "due" "revisions" "past" "sets" "write_set" "insert";
    Update: "time" "due" "revisions" "sets" "write_set" "update";
    Remove: "time" "due" "revisions" "past" "sets" "write_set" "remove";
    Members: "time" "due" "sets" "members";
    Changes: "time" "due" "revisions" "values" "sets" "changes";
    Now: "time" "due" "now";
    /// Says which store this is.
    Hello: "hello";
    /// Says that the store stands in for another one, which is lost.
    Accept: "accept";
}
