//! Accessors of a service that wraps another one.

/// Writes `get_ref`, `get_mut` and `into_inner` in the `impl` of a service. The arguments are the field of
/// the inner service, its type, and its description in words. If a part of the service must be renewed when
/// the inner service is changed, that part and its renewing method come last.
///
/// For the crates of this workspace only; it may change in any release.
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
