//! The scripts. Each operation is one script, composed of shared parts, and one atomic step of the server.

/// A table of scripts, each with its parts in order.
macro_rules! scripts {
    ($($(#[$doc:meta])* $name:ident: $($part:literal)+;)+) => {
        /// A script that the server runs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Script {
            $($(#[$doc])* $name,)+
        }

        impl Script {
            /// All scripts, in the order of their numbers.
            pub(super) const ALL: [Self; [$(Self::$name),+].len()] = [$(Self::$name),+];

            /// Source text of the script.
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
    /// Expires the reservations whose holders are lost.
    Expire: "time" "counters" "holds" "expire";
    /// Restores data that the server lost.
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
    /// Returns the identity of the store.
    Hello: "hello";
    /// Records that the store replaces a lost one.
    Accept: "accept";
}
