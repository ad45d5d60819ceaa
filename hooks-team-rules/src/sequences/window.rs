//! Number of calls in a window that moves with time, in constant memory.
//!
//! Up to [`SLOTS`] calls are kept one by one, so that small limits are exact. For a larger limit, a slot holds several calls
//! and leaves the window with the last of them: the count is never too small, and too large by less than one slot at each
//! end.

/// Number of slots of a full window.
const SLOTS: u64 = 32;

/// Calls in a window, in the order of their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Window(pub(super) Vec<Slot>);

/// Calls that leave the window together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Time of the last call, in milliseconds.
    pub(super) time: u64,
    pub(super) calls: u64,
}

impl Window {
    /// Returns the number of calls less than `length` ago.
    pub(super) fn count(&self, now: u64, length: u64) -> u64 {
        let inside = self.0.iter().filter(|slot| now.saturating_sub(slot.time) < length);
        inside.fold(0, |sum, slot| sum.saturating_add(slot.calls))
    }

    /// Adds a call to a window that is full with `most` calls.
    pub(super) fn add(&mut self, now: u64, length: u64, most: u64) {
        self.0.retain(|slot| now.saturating_sub(slot.time) < length);
        let size = most.div_ceil(SLOTS).max(1);
        match self.0.last_mut().filter(|slot| slot.calls < size) {
            Some(slot) => *slot = Slot { time: now, calls: slot.calls + 1 },
            None => self.0.push(Slot { time: now, calls: 1 }),
        }
        // Calls beyond the limit, which the user approved, replace the oldest.
        let room = usize::try_from(SLOTS + 1).unwrap_or(usize::MAX);
        let over = self.0.len().saturating_sub(room);
        self.0.drain(..over);
    }

    /// Removes a call that was added at `time` and did not run.
    pub(super) fn remove(&mut self, time: u64) {
        let Some(at) = self.0.iter().position(|slot| slot.time >= time) else { return };
        let Some(slot) = self.0.get_mut(at) else { return };
        slot.calls = slot.calls.saturating_sub(1);
        if slot.calls == 0 {
            self.0.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn small_windows_are_exact_and_large_ones_never_count_too_few(
            steps in prop::collection::vec(0..400u64, 1..400),
            most in prop_oneof![1..=32u64, 33..=500u64],
            length in 1..2_000u64,
        ) {
            let (mut window, mut times, mut now) = (Window::default(), Vec::new(), 1_000u64);
            for step in steps {
                now += step;
                let exact = times.iter().filter(|time| now - **time < length).count() as u64;
                let counted = window.count(now, length);
                prop_assert!(counted >= exact);
                prop_assert!(counted <= exact + 2 * most.div_ceil(SLOTS).saturating_sub(1));
                if counted < most {
                    window.add(now, length, most);
                    times.push(now);
                }
                prop_assert!(window.0.len() <= 33);
            }
        }
    }

    #[test]
    fn a_call_that_did_not_run_is_removed() {
        let mut window = Window::default();
        for now in [10, 20, 30] {
            window.add(now, 100, 5);
        }
        window.remove(20);
        assert_eq!(window.0.iter().map(|slot| slot.time).collect::<Vec<_>>(), [10, 30]);
        window.remove(40);
        assert_eq!(window.count(50, 100), 2);
    }
}
