//! The user's global variables: their values, and which parts of them differ between two states.

use crate::machine::Machine;
use crate::places::cut;
use crate::test_frameworks::is_frameworks_variable;
use crate::thread::Status;
use dampf_core::{Binding, Change};
use dampf_rv::debug::{TypeId, Variable};

/// Variables that are larger are not shown.
const VARIABLE_BYTES_MAX: u64 = 1 << 16;
/// Where more parts of a variable change, it is shown as a whole.
const CHANGES_MAX: usize = 16;
/// Arrays of characters up to this length are shown as text.
const TEXT_BYTES_MAX: u64 = 400;

/// Whether a variable belongs to the libraries, to our own headers or to a test framework.
pub fn is_librarys(name: &str) -> bool {
    ["std::", "__", "ICVMThread::", "IVMThread::"].iter().any(|prefix| name.starts_with(prefix))
        || is_frameworks_variable(name)
}

/// Whether a variable is the compiler's, for the text of a function's name.
pub fn is_functions_name(name: &str) -> bool {
    name.ends_with("::__PRETTY_FUNCTION__") || name.ends_with("::__func__")
}

impl Machine<'_> {
    /// The user's global variables with their values.
    pub fn global_bindings(&self) -> Vec<Binding> {
        let variables = self.shown_variables();
        let binding =
            |variable: &Variable| Binding { name: variable.name.clone(), value: self.variable_value(variable) };
        variables.map(binding).collect()
    }

    fn shown_variables(&self) -> impl Iterator<Item = &Variable> {
        let program = &self.system.program;
        program.debug.globals().iter().filter(|variable| {
            let is_hidden = is_functions_name(&variable.name) || is_librarys(&variable.name);
            let is_shown = !variable.thread_local && (1..=VARIABLE_BYTES_MAX).contains(&variable.size);
            is_shown && !is_hidden && program.globals.contains(&variable.address)
        })
    }

    fn variable_value(&self, variable: &Variable) -> String {
        self.value_text(variable.ty, variable.address, variable.size)
    }

    /// The value of an object of a type, in words if it is a lock.
    fn value_text(&self, ty: TypeId, address: u64, bytes: u64) -> String {
        let debug = &self.system.program.debug;
        let lock = self.lock_value(&debug.type_name(ty), address, bytes);
        lock.unwrap_or_else(|| cut(&debug.render(ty, &self.bytes_at(address, bytes))))
    }

    fn bytes_at(&self, address: u64, bytes: u64) -> Vec<u8> {
        let mut contents = vec![0; bytes as usize];
        self.memory.peek(address, &mut contents);
        contents
    }

    /// What threads wait on, which is in no variable's memory.
    fn waited_on(&self) -> Vec<Option<u64>> {
        let condition = |status: Status| match status {
            Status::OnCondition { condition, .. } => Some(condition),
            _ => None,
        };
        self.threads.iter().map(|thread| condition(thread.status)).collect()
    }

    /// The value of a lock, or of an array of locks, in words.
    fn lock_value(&self, type_name: &str, address: u64, bytes: u64) -> Option<String> {
        let element = type_name.split('[').next().unwrap_or(type_name).trim();
        let (size, value): (u64, &dyn Fn(u64) -> String) = match element {
            "pthread_mutex_t" | "std::mutex" | "mutex" | "std::recursive_mutex" | "mtx_t" => {
                (40, &|at| self.mutex_value(at))
            }
            "pthread_cond_t" | "std::condition_variable" | "condition_variable" | "cnd_t" => {
                (48, &|at| format!("{} waiting", self.threads.waiter_count(at)))
            }
            "sem_t" => (32, &|at| self.memory.peek_word(at).to_string()),
            _ => return None,
        };
        let count = (bytes / size).max(1);
        let mut values = (0..count).map(|number| value(address + number * size));
        if count == 1 && !type_name.contains('[') {
            values.next()
        } else {
            Some(format!("[{}]", values.collect::<Vec<_>>().join(", ")))
        }
    }

    fn mutex_value(&self, mutex: u64) -> String {
        self.mutex_owner(mutex).map_or("free".to_owned(), |owner| format!("held by {}", self.thread_name(owner)))
    }
}

/// The parts of the user's global variables that differ between two states.
pub fn changed_globals(before: &Machine<'_>, after: &Machine<'_>) -> Vec<Change> {
    let waits_differ = before.waited_on() != after.waited_on();
    let mut changes = Vec::new();
    for variable in before.shown_variables() {
        let parts = changed_parts(before, after, variable, waits_differ);
        match parts.len() {
            1..=CHANGES_MAX => changes.extend(parts),
            // What has no names inside is shown as a whole, if that shows a difference.
            _ => changes.extend(change(
                before,
                after,
                (&variable.name, "", variable.ty),
                variable.address,
                variable.size,
            )),
        }
    }
    changes
}

fn changed_parts(before: &Machine<'_>, after: &Machine<'_>, variable: &Variable, waits_differ: bool) -> Vec<Change> {
    let debug = &before.system.program.debug;
    let mut changes = Vec::new();
    debug.visit_parts(variable.ty, variable.size, |part| {
        let address = variable.address + part.offset;
        let differs = || before.bytes_at(address, part.bytes) != after.bytes_at(address, part.bytes);
        if part.is_reserved || changes.len() > CHANGES_MAX || !waits_differ && !differs() {
            return false;
        }
        let is_array = debug.type_name(part.ty).contains('[');
        let is_lock = || before.lock_value(&debug.type_name(part.ty), address, part.bytes).is_some();
        let is_text = || part.bytes <= TEXT_BYTES_MAX && debug.render(part.ty, &[]).starts_with('"');
        let is_shown = part.is_value || is_array && is_text() || !is_array && is_lock();
        if is_shown {
            changes.extend(change(before, after, (&variable.name, part.path, part.ty), address, part.bytes));
        }
        !is_shown
    });
    changes
}

/// The change of one part, if it shows.
fn change(
    before: &Machine<'_>,
    after: &Machine<'_>,
    (variable, path, ty): (&str, &str, TypeId),
    address: u64,
    bytes: u64,
) -> Option<Change> {
    let (former, latter) = (before.value_text(ty, address, bytes), after.value_text(ty, address, bytes));
    (former != latter).then(|| Change { name: format!("{variable}{path}"), before: former, after: latter })
}
