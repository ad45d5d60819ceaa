//! Costs of starts, and their quantiles.

/// Cost of a start, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Time from start to end.
    pub(super) wall: f64,
    /// Processor time, including the programs that the program itself started.
    pub(super) cpu: f64,
}

/// Costs of many starts.
#[derive(Debug, Default)]
pub(super) struct Costs(Vec<Cost>);

impl Costs {
    pub(super) fn add(&mut self, costs: impl IntoIterator<Item = Cost>) {
        self.0.extend(costs);
    }

    /// Quantile of the costs, in percent; wall and processor time each for itself.
    pub(super) fn quantile(&self, percent: usize) -> Cost {
        let at = |of: fn(&Cost) -> f64| {
            let mut all: Vec<f64> = self.0.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            let place = (all.len() * percent / 100).min(all.len().saturating_sub(1));
            all.get(place).copied().unwrap_or_default()
        };
        Cost { wall: at(|cost| cost.wall), cpu: at(|cost| cost.cpu) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_costs() {
        let mut costs = Costs::default();
        costs.add((1..=100).rev().map(|wall| Cost { wall: f64::from(wall), cpu: 0.0 }));
        assert_eq!([0, 50, 99, 100].map(|percent| costs.quantile(percent).wall), [1.0, 51.0, 100.0, 100.0]);
        assert_eq!(Costs::default().quantile(50).wall, 0.0);
    }
}
