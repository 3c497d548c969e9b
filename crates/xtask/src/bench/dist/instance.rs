//! The models of `bench/dist.tsv`.

use crate::Failure;
use crate::bench::subject::rows;
use crate::workspace::Workspace;
use std::path::PathBuf;

/// A model with its constants.
#[derive(Debug)]
pub struct Instance {
    pub name: String,
    pub model: PathBuf,
    /// Constants of the model: `N=4`.
    pub definitions: Vec<String>,
    pub states: u64,
    /// By what the partition by sections goes.
    pub section: String,
    /// For queues that grow to a limit.
    pub limit: u64,
    /// Whether queues and partitions are compared on it.
    pub is_compared: bool,
    /// Small, and measured only where that is asked for.
    is_quick: bool,
}

/// The rows that are named, or else all small or all large ones.
pub fn chosen(workspace: &Workspace, quick: bool, names: &[String]) -> Result<Vec<Instance>, Failure> {
    let mut instances = all(workspace)?;
    if let Some(unknown) = names.iter().find(|name| !instances.iter().any(|instance| instance.name == **name)) {
        return Err(format!("there is no {unknown} in bench/dist.tsv"));
    }
    instances.retain(
        |instance| {
            if names.is_empty() { instance.is_quick == quick } else { names.contains(&instance.name) }
        },
    );
    Ok(instances)
}

fn all(workspace: &Workspace) -> Result<Vec<Instance>, Failure> {
    let table = rows(&workspace.root.join("bench/dist.tsv"))?;
    table.iter().map(|row| instance(workspace, row).ok_or(format!("bench/dist.tsv: {}", row.join(" ")))).collect()
}

fn instance(workspace: &Workspace, row: &[String]) -> Option<Instance> {
    let [name, model, definitions, states, section, limit, compared, size] = row else { return None };
    Some(Instance {
        name: name.clone(),
        model: workspace.root.join("models/dmc").join(model),
        definitions: definitions.split_whitespace().map(str::to_owned).collect(),
        states: states.parse().ok()?,
        section: section.clone(),
        limit: limit.parse().ok()?,
        is_compared: compared == "yes",
        is_quick: size == "quick",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_can_be_read() {
        let workspace = Workspace::of_this_crate();
        let instances = all(&workspace).expect("every row is an instance");
        assert!(instances.iter().all(|instance| instance.model.is_file()), "{instances:?}");
        let large = chosen(&workspace, false, &[]).expect("there are some");
        let names: Vec<&str> = large.iter().map(|instance| instance.name.as_str()).collect();
        assert_eq!(names, ["LP6", "BA5", "AD8", "LF7", "HA15", "FI6", "EL3"]);
        assert!(
            chosen(&workspace, true, &[]).expect("there are some").iter().all(|instance| instance.states < 1_000_000)
        );
        assert!(chosen(&workspace, false, &["XY1".to_owned()]).is_err());
    }
}
