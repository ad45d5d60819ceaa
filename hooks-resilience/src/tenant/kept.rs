//! Values for each tenant. Only the most recently used ones are kept, so that names without end do not fill
//! the memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Values for each tenant.
#[derive(Debug)]
pub(crate) struct Kept<T>(Mutex<State<T>>);

#[derive(Debug)]
struct State<T> {
    by_name: HashMap<Arc<str>, Entry<T>>,
    /// Number of requests so far.
    turns: u64,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    /// Number of the last request for this entry.
    turn: u64,
}

/// The most tenants that are kept. The health record of a few dozen models takes some ten kilobytes, so all
/// records together are about as large as one conversation.
const MOST: usize = 1_024;

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(State { by_name: HashMap::new(), turns: 0 }))
    }
}

impl<T: Clone> Kept<T> {
    /// The value for `name`, created if necessary.
    ///
    /// # Errors
    /// Returns the error of `make`; then nothing is kept.
    pub(crate) fn get_or_make<E>(&self, name: &str, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.turns = state.turns.saturating_add(1);
        let turn = state.turns;
        if let Some(entry) = state.by_name.get_mut(name) {
            entry.turn = turn;
            return Ok(entry.value.clone());
        }
        let value = make()?;
        if state.by_name.len() >= MOST
            && let Some(oldest) = oldest(&state.by_name)
        {
            state.by_name.remove(&oldest);
        }
        state.by_name.insert(name.into(), Entry { value: value.clone(), turn });
        Ok(value)
    }
}

fn oldest<T>(by_name: &HashMap<Arc<str>, Entry<T>>) -> Option<Arc<str>> {
    by_name.iter().min_by_key(|(_, entry)| entry.turn).map(|(name, _)| Arc::clone(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_came_last_are_kept() {
        let kept = Kept::default();
        let mut made = 0;
        let mut ask = |name: &str| {
            let make = || {
                made += 1;
                Ok::<_, ()>(())
            };
            kept.get_or_make(name, make).unwrap();
            made
        };
        for name in 0..MOST + 10 {
            ask(&name.to_string());
            ask("0");
        }
        assert_eq!(ask("0"), MOST + 10, "the first came again and again");
        assert_eq!((ask("1"), kept.0.lock().unwrap().by_name.len()), (MOST + 11, MOST));
    }
}
