//! Sets of policies, which are policies themselves.

use std::sync::Arc;

use super::{Policy, Single};
use crate::event::Event;
use crate::request::{Evaluation, HookRequest};
use crate::verdict::Verdict;

/// Merges `verdicts` one by one. Stops when the strength cannot change any more, unless the request has
/// [`Evaluation::Everyone`].
#[inline]
pub(crate) fn judge_each<E: Event>(
    request: &HookRequest<E>,
    verdicts: impl Iterator<Item = Verdict>,
) -> Verdict {
    let mut merged = Verdict::NO_OPINION;
    for verdict in verdicts {
        merged.merge(verdict);
        if merged.is_final() && request.evaluation() == Evaluation::UntilDenied {
            break;
        }
    }
    merged
}

impl<E: Event, P: Policy<E>> Policy<E> for [P] {
    fn name(&self) -> &'static str {
        "policies"
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        judge_each(request, self.iter().map(|policy| policy.judge(request)))
    }

    fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
        self.iter().for_each(|policy| policy.each(see));
    }
}

/// Implements [`Policy`] for pointers to a policy.
macro_rules! through_pointer {
    ($( $({$($generics:tt)*})? $Pointer:ty ),*) => { $(
        impl<E: Event, $($($generics)*)?> Policy<E> for $Pointer {
            fn name(&self) -> &str {
                (**self).name()
            }

            #[inline]
            fn judge(&self, request: &HookRequest<E>) -> Verdict {
                (**self).judge(request)
            }

            fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
                (**self).each(see);
            }
        }
    )* };
}
through_pointer!({P: Policy<E> + ?Sized} Box<P>, {P: Policy<E> + ?Sized} Arc<P>, {P: Policy<E> + ?Sized} &P);

impl<E: Event, P: Policy<E>> Policy<E> for Vec<P> {
    fn name(&self) -> &'static str {
        "policies"
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        self.as_slice().judge(request)
    }

    fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
        self.as_slice().each(see);
    }
}

impl<E: Event, P: Policy<E>, const N: usize> Policy<E> for [P; N] {
    fn name(&self) -> &'static str {
        "policies"
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        self.as_slice().judge(request)
    }

    fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
        self.as_slice().each(see);
    }
}

macro_rules! tuples {
    ($($($P:ident)+;)+) => { $(
        impl<E: Event, $($P: Policy<E>),+> Policy<E> for ($($P,)+) {
            fn name(&self) -> &'static str {
                "policies"
            }

            #[inline]
            #[expect(non_snake_case, reason = "the type parameters name the elements too")]
            fn judge(&self, request: &HookRequest<E>) -> Verdict {
                let ($($P,)+) = self;
                let mut merged = Verdict::NO_OPINION;
                $(
                    if merged.is_final() && request.evaluation() == Evaluation::UntilDenied {
                        return merged;
                    }
                    merged.merge($P.judge(request));
                )+
                merged
            }

            #[expect(non_snake_case, reason = "the type parameters name the elements too")]
            fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
                let ($($P,)+) = self;
                $( $P.each(see); )+
            }
        }
    )+ };
}
tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D F;
    A B C D F G;
    A B C D F G H;
    A B C D F G H I;
    A B C D F G H I J;
    A B C D F G H I J K;
    A B C D F G H I J K L;
    A B C D F G H I J K L M;
}

impl<E: Event> Policy<E> for () {
    fn name(&self) -> &'static str {
        "policies"
    }

    fn judge(&self, _request: &HookRequest<E>) -> Verdict {
        Verdict::NO_OPINION
    }

    fn each(&self, _see: &mut dyn FnMut(Single<'_, E>)) {}
}
