//! The accessors of a service that is around another one.

/// Writes `get_ref`, `get_mut` and `into_inner`, in the `impl` of a service: which field holds the inner one, of what
/// type, and what it is in words. A part that has to begin anew when the inner service is changed is named last, with
/// the method that gives it anew.
///
/// For the crates of this workspace: no promise to others.
#[doc(hidden)]
#[macro_export]
macro_rules! inner_accessors {
    ($field:ident: $inner:ty, $what:literal) => {
        $crate::inner_accessors!(@fixed $field: $inner, $what);

        #[doc = concat!($what, ", to change.")]
        pub const fn get_mut(&mut self) -> &mut $inner {
            &mut self.$field
        }
    };
    ($field:ident: $inner:ty, $what:literal, renewing $part:ident by $renewed:ident) => {
        $crate::inner_accessors!(@fixed $field: $inner, $what);

        #[doc = concat!($what, ", to change.")]
        pub fn get_mut(&mut self) -> &mut $inner {
            self.$part = self.$part.$renewed();
            &mut self.$field
        }
    };
    (@fixed $field:ident: $inner:ty, $what:literal) => {
        #[doc = concat!($what, ".")]
        pub const fn get_ref(&self) -> &$inner {
            &self.$field
        }

        #[doc = concat!($what, " alone.")]
        pub fn into_inner(self) -> $inner {
            self.$field
        }
    };
}
