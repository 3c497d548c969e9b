//! Theorem 5.1, checked on every run: the value along the simulation is never below the value along the planned path.
//!
//! The theorem is about the agents: those that were given advice take it or something as good, and the value never
//! becomes less. So it may fail for a program, and then its agents lose what was planned for them.

/// How states of a simulation compare with the states of the paths that were planned for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dominance {
    /// States that were compared.
    pub compared: u64,
    /// The first that was below.
    pub below: Option<Below>,
}

/// A state of a simulation that is worse than planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Below {
    /// The parallel step behind which it is.
    pub step: u64,
    pub value: i64,
    pub planned: i64,
}

impl Dominance {
    /// Compares the state so many parallel steps behind a planning phase with the state so many steps along its path,
    /// as long as there is one.
    pub fn compare(&mut self, path_values: &[i64], steps: u64, step: u64, value: i64) {
        let Some(&planned) = usize::try_from(steps).ok().and_then(|at| path_values.get(at)) else { return };
        self.compared += 1;
        if value < planned && self.below.is_none() {
            self.below = Some(Below { step, value, planned });
        }
    }

    pub fn holds(&self) -> bool {
        self.below.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_state_below_its_path_is_kept() {
        let mut dominance = Dominance::default();
        let path = [3, 5, 9];
        for (steps, value) in [(0, 3), (1, 7), (2, 9), (3, 1)] {
            dominance.compare(&path, steps, 40 + steps, value);
        }
        assert!(dominance.holds() && dominance.compared == 3);
        dominance.compare(&path, 2, 50, 8);
        dominance.compare(&path, 1, 60, 0);
        assert_eq!(dominance.below, Some(Below { step: 50, value: 8, planned: 9 }));
    }
}
