//! Whether this process is one of several that a launcher started, as far as its environment tells.
//!
//! MPI itself could tell, but has to be initialised for that, which takes time, and ends the process where it is not
//! installed properly. So this comes first, and works in a build without MPI, which then can say what it lacks.

/// Variables in which launchers tell how many ranks there are: Open MPI, MPICH and Intel MPI, MVAPICH.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];

/// Set by launchers that tell a process its rank in this way and everything else through a library.
const RANK: &str = "PMIX_RANK";

/// Slurm's own count, which it also sets where nothing speaks MPI; so it counts only together with [`RANK`].
const SIZE_OF_STEP: &str = "SLURM_STEP_NUM_TASKS";

/// How many ranks the launcher (`mpirun`, `srun`) started, if a launcher started this process.
///
/// Some launchers tell the process its rank and not the number of ranks. Then two are assumed; MPI knows the number
/// once it is started.
pub fn ranks_of_environment() -> Option<u32> {
    ranks_of(|name| std::env::var(name).ok())
}

fn ranks_of(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
    let size = |name: &str| number(name).filter(|size| *size > 0);
    SIZES.iter().find_map(|name| size(name)).or_else(|| {
        number(RANK)?;
        Some(size(SIZE_OF_STEP).unwrap_or(2))
    })
}

#[cfg(test)]
mod tests {
    use super::ranks_of;

    fn ranks_with(variables: &[(&str, &str)]) -> Option<u32> {
        ranks_of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(ranks_with(&[]), None);
        assert_eq!(ranks_with(&[("OMPI_COMM_WORLD_SIZE", "3"), ("PMIX_RANK", "1")]), Some(3));
        assert_eq!(ranks_with(&[("PMI_SIZE", "16"), ("PMI_RANK", "0")]), Some(16));
        assert_eq!(ranks_with(&[("OMPI_COMM_WORLD_SIZE", "1")]), Some(1));
        assert_eq!(ranks_with(&[("PMIX_RANK", "0"), ("SLURM_STEP_NUM_TASKS", "64")]), Some(64));
        assert_eq!(ranks_with(&[("PMIX_RANK", "0")]), Some(2));
        assert_eq!(ranks_with(&[("SLURM_STEP_NUM_TASKS", "64")]), None, "a job, but nothing that speaks MPI");
    }

    #[test]
    fn nonsense_is_no_launcher() {
        assert_eq!(ranks_with(&[("OMPI_COMM_WORLD_SIZE", "many")]), None);
        assert_eq!(ranks_with(&[("OMPI_COMM_WORLD_SIZE", "0"), ("PMI_SIZE", "-1"), ("PMIX_RANK", "")]), None);
    }
}
