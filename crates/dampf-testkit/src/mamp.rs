//! The multiagent manufacturing problem (thesis, section 5.5): random instances, and what a schedule of one has to be.
//!
//! `models/plan/mamp.cc` reads instances as [`Instance::to_text`] writes them: numbers, in lines for people.

use crate::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Agents have this share of all resources in their capabilities, on average.
const CAPABILITY_PERCENT: u64 = 65;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    pub duration: u64,
    pub required: BTreeSet<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    pub resources: u32,
    /// Of each agent.
    pub capabilities: Vec<BTreeSet<u32>>,
    /// Jobs count from 1: the first is job 1.
    pub jobs: Vec<Job>,
}

/// How large a random instance is. Each job requires up to a tenth of the resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstanceSize {
    pub agents: u32,
    pub jobs: u32,
    pub resources: u32,
    pub duration_min: u64,
    pub duration_max: u64,
}

impl InstanceSize {
    /// As in the experiments of the thesis: a hundred resources, and jobs of 10 to 100 steps.
    pub fn of_thesis(agents: u32, jobs: u32) -> InstanceSize {
        InstanceSize { agents, jobs, resources: 100, duration_min: 10, duration_max: 100 }
    }
}

/// A job that an agent did: when it began, and when it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Done {
    pub job: u32,
    pub from: u64,
    pub to: u64,
}

impl Instance {
    /// An instance from a seed, in which somebody is able to do each job.
    pub fn random(size: InstanceSize, seed: u64) -> Instance {
        let mut random = Random::new(seed);
        let able = |random: &mut Random| -> BTreeSet<u32> {
            (0..size.resources).filter(|_| random.below(100) < CAPABILITY_PERCENT).collect()
        };
        let mut capabilities: Vec<BTreeSet<u32>> = (0..size.agents).map(|_| able(&mut random)).collect();
        let mut jobs = Vec::new();
        for _ in 0..size.jobs {
            let duration = size.duration_min + random.below(size.duration_max - size.duration_min + 1);
            let count = 1 + random.below(u64::from(size.resources / 10).max(1)) as usize;
            let mut required = BTreeSet::new();
            while required.len() < count {
                required.insert(random.below(u64::from(size.resources)) as u32);
            }
            if !capabilities.iter().any(|able| required.is_subset(able)) {
                let agent = random.below(u64::from(size.agents)) as usize;
                capabilities[agent].extend(&required);
            }
            jobs.push(Job { duration, required });
        }
        Instance { resources: size.resources, capabilities, jobs }
    }

    pub fn to_text(&self) -> String {
        let listed = |set: &BTreeSet<u32>| {
            let mut line = set.len().to_string();
            set.iter().for_each(|resource| write!(line, " {resource}").expect("a string takes what is written"));
            line
        };
        let mut lines = vec![format!("{} {} {}", self.capabilities.len(), self.jobs.len(), self.resources)];
        lines.extend(self.capabilities.iter().map(listed));
        lines.extend(self.jobs.iter().map(|job| format!("{} {}", job.duration, listed(&job.required))));
        lines.join("\n") + "\n"
    }

    /// Reads what [`to_text`](Self::to_text) wrote.
    pub fn parse(text: &str) -> Result<Instance, String> {
        let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u32>());
        let mut number = || match numbers.next() {
            Some(Ok(number)) => Ok(number),
            Some(Err(error)) => Err(format!("the instance has something that is no number: {error}")),
            None => Err("the instance ends too early".to_owned()),
        };
        let (agents, jobs, resources) = (number()?, number()?, number()?);
        let set = |number: &mut dyn FnMut() -> Result<u32, String>| -> Result<BTreeSet<u32>, String> {
            let count = number()?;
            let set: BTreeSet<u32> = (0..count).map(|_| number()).collect::<Result<_, _>>()?;
            match set.iter().find(|&&resource| resource >= resources) {
                Some(resource) => Err(format!("there is no resource {resource}")),
                None => Ok(set),
            }
        };
        let capabilities = (0..agents).map(|_| set(&mut number)).collect::<Result<_, _>>()?;
        let job = |_| Ok(Job { duration: u64::from(number()?), required: set(&mut number)? });
        let jobs = (0..jobs).map(job).collect::<Result<_, String>>()?;
        Ok(Instance { resources, capabilities, jobs })
    }

    /// Checks what each agent did against the properties of a solution, which the thesis numbers i to v; the first that
    /// does not hold.
    pub fn check(&self, schedule: &[Vec<Done>]) -> Result<(), String> {
        if schedule.len() > self.capabilities.len() {
            return Err(format!("there are {} agents, and not {}", self.capabilities.len(), schedule.len()));
        }
        for (agent, done) in schedule.iter().enumerate() {
            self.check_agent(agent, done)?;
        }
        let all: Vec<(usize, Done)> =
            schedule.iter().enumerate().flat_map(|(agent, done)| done.iter().map(move |&done| (agent, done))).collect();
        for (number, &(agent, one)) in all.iter().enumerate() {
            for &(other_agent, other) in &all[number + 1..] {
                let is_shared = !self.required(one.job).is_disjoint(self.required(other.job));
                if agent != other_agent && is_shared && one.from < other.to && other.from < one.to {
                    return Err(format!("iii: jobs {} and {} use a resource at the same time", one.job, other.job));
                }
                if one.job == other.job {
                    return Err(format!("iv: job {} is done twice", one.job));
                }
            }
        }
        let is_done = |job: &u32| all.iter().any(|(_, done)| done.job == *job);
        match (1..=self.jobs.len() as u32).find(|job| !is_done(job)) {
            Some(job) => Err(format!("v: nobody does job {job}")),
            None => Ok(()),
        }
    }

    /// One thing after the other, each for as long as it takes, and nothing that the agent is not able to do.
    fn check_agent(&self, agent: usize, done: &[Done]) -> Result<(), String> {
        for (at, &Done { job, from, to }) in done.iter().enumerate() {
            if job == 0 || job as usize > self.jobs.len() {
                return Err(format!("agent {agent} does job {job}, which does not exist"));
            }
            let duration = self.jobs[job as usize - 1].duration;
            if to.checked_sub(from) != Some(duration) {
                return Err(format!("i: job {job} takes {duration} steps, and is done from {from} to {to}"));
            }
            if done.get(at + 1).is_some_and(|next| next.from < to) {
                return Err(format!("i: agent {agent} begins something else before job {job} is done"));
            }
            if !self.required(job).is_subset(&self.capabilities[agent]) {
                return Err(format!("ii: agent {agent} is not able to do job {job}"));
            }
        }
        Ok(())
    }

    fn required(&self, job: u32) -> &BTreeSet<u32> {
        &self.jobs[job as usize - 1].required
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the thesis, section 5.5.1.
    fn example() -> Instance {
        let job = |duration, required: [u32; 2]| Job { duration, required: required.into() };
        Instance {
            resources: 5,
            capabilities: vec![(0..5).collect(), (2..5).collect()],
            jobs: vec![job(2, [0, 1]), job(1, [2, 3]), job(1, [2, 4])],
        }
    }

    fn done(job: u32, from: u64, to: u64) -> Done {
        Done { job, from, to }
    }

    #[test]
    fn what_is_written_is_read() {
        for seed in 0..20 {
            let instance = Instance::random(InstanceSize::of_thesis(5, 10), seed);
            assert_eq!(Instance::parse(&instance.to_text()), Ok(instance.clone()), "seed {seed}");
            let able = |job: &Job| instance.capabilities.iter().any(|able| job.required.is_subset(able));
            assert!(instance.jobs.iter().all(able), "seed {seed}");
        }
        assert!(Instance::parse("1 1 5\n1 7\n3 1 0").is_err());
        assert!(Instance::parse("1 1 5\n1").is_err() && Instance::parse("x").is_err());
    }

    #[test]
    fn the_solutions_of_the_thesis_are_solutions() {
        let best = [vec![done(1, 0, 2)], vec![done(2, 0, 1), done(3, 1, 2)]];
        let worst = [vec![done(2, 0, 1), done(3, 1, 2), done(1, 2, 4)], vec![]];
        assert_eq!(example().check(&best), Ok(()));
        assert_eq!(example().check(&worst), Ok(()));
    }

    #[test]
    fn each_property_is_looked_at() {
        let wrong: [(&str, [Vec<Done>; 2]); 6] = [
            ("i:", [vec![done(1, 0, 3)], vec![]]),
            ("i:", [vec![done(1, 0, 2), done(2, 1, 2)], vec![]]),
            ("ii:", [vec![], vec![done(1, 0, 2)]]),
            ("iii:", [vec![done(2, 0, 1)], vec![done(3, 0, 1)]]),
            ("iv:", [vec![done(2, 0, 1)], vec![done(2, 1, 2)]]),
            ("v:", [vec![done(1, 0, 2)], vec![done(2, 0, 1)]]),
        ];
        for (property, schedule) in wrong {
            let found = example().check(&schedule).expect_err(property);
            assert!(found.starts_with(property), "{found} instead of {property}");
        }
        assert!(example().check(&[vec![done(9, 0, 1)]]).is_err());
        assert!(example().check(&[vec![], vec![], vec![]]).is_err());
    }
}
