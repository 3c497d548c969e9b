//! The functions of the C and C++ libraries whose work the checker does itself.
//!
//! A thread that arrives at one of these symbols has not called a function: it is about to perform an operation on a lock, a
//! thread or the heap. Functions that are not listed run as they are, on the machine, down to their system calls.

/// A width of an atomic operation, in bytes, and what it does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atomic {
    Load,
    Store,
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    /// The expected value is in memory.
    CompareExchange,
    /// The expected value is an argument, and the old value is returned.
    CompareValue,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hook {
    Main,
    MutexInit,
    MutexDestroy,
    MutexLock,
    MutexTrylock,
    MutexTimedlock,
    MutexUnlock,
    ConditionInit,
    ConditionDestroy,
    ConditionWait,
    ConditionTimedwait,
    ConditionSignal,
    ConditionBroadcast,
    RwlockInit,
    RwlockDestroy,
    ReadLock,
    ReadTrylock,
    ReadTimedlock,
    WriteLock,
    WriteTrylock,
    WriteTimedlock,
    RwlockUnlock,
    SpinInit,
    SpinDestroy,
    SpinLock,
    SpinTrylock,
    SpinUnlock,
    SemaphoreInit,
    SemaphoreDestroy,
    SemaphoreWait,
    SemaphoreTrywait,
    SemaphoreTimedwait,
    SemaphorePost,
    SemaphoreValue,
    BarrierInit,
    BarrierDestroy,
    BarrierWait,
    ThreadCreate,
    ThreadJoin,
    ThreadTryjoin,
    ThreadTimedjoin,
    ThreadJoinC11,
    ThreadDetach,
    ThreadExit,
    ThreadSelf,
    /// A wish about a thread that changes nothing of what it does.
    Ignored,
    /// The unwinder looks for a function's description: the library would first sort all descriptions there are.
    FindDescription,
    Malloc,
    /// Aligned to pages.
    PageMalloc,
    Calloc,
    Realloc,
    Memalign,
    PosixMemalign,
    UsableSize,
    Free,
    New,
    NewArray,
    NewAligned,
    NewArrayAligned,
    Delete,
    DeleteArray,
    AssertFail,
    ReachError,
    VerifierAssert,
    Abort,
    Assume,
    BeginAtomic,
    EndAtomic,
    /// A function of the program's begins whose body is an atomic section.
    EnterAtomic,
    /// It returns.
    LeaveAtomic,
    Choose,
    /// Any value of so many bits, signed or not.
    Nondeterministic(u8, bool),
    /// Any value of so many bits, signed or not: more than can be tried.
    Sampled(u8, bool),
    LockVariable,
    UnlockVariable,
    Atomic(Atomic, u8),
    /// A read of so many bytes that the compiler announced and left out.
    UnmadeRead(u8),
    Undefined,
    /// Known, and not modelled.
    Refused,
}

/// How many argument registers an operation looks at; the others are dead when a thread stands before it.
impl Hook {
    pub fn arity(self) -> usize {
        match self {
            Hook::Main
            | Hook::ThreadCreate
            | Hook::AssertFail
            | Hook::Undefined
            | Hook::Refused
            | Hook::ThreadTimedjoin
            | Hook::Atomic(..) => 8,
            Hook::BeginAtomic
            | Hook::EndAtomic
            | Hook::Nondeterministic(..)
            | Hook::Sampled(..)
            | Hook::Abort
            | Hook::Ignored
            | Hook::ThreadSelf => 0,
            Hook::PosixMemalign | Hook::SemaphoreInit | Hook::BarrierInit => 4,
            Hook::FindDescription
            | Hook::MutexInit
            | Hook::ConditionWait
            | Hook::ConditionTimedwait
            | Hook::SemaphoreValue
            | Hook::ThreadJoin
            | Hook::ThreadTryjoin
            | Hook::ThreadJoinC11
            | Hook::Calloc
            | Hook::Realloc
            | Hook::Memalign
            | Hook::Choose
            | Hook::LockVariable
            | Hook::UnlockVariable
            | Hook::NewAligned
            | Hook::NewArrayAligned => 2,
            _ => 1,
        }
    }
}

impl Hook {
    /// Whether the code at the hook is the program's own, not that of a function whose work is done for it.
    pub fn is_in_function(self) -> bool {
        matches!(self, Hook::Main | Hook::UnmadeRead(_) | Hook::EnterAtomic | Hook::LeaveAtomic)
    }

    /// Whether an operation changes nothing in its object.
    pub fn only_reads(self) -> bool {
        matches!(self, Hook::Atomic(Atomic::Load, _) | Hook::UnmadeRead(_) | Hook::SemaphoreValue)
    }

    /// Whether an operation does nothing but let others go on who wait for a lock.
    pub fn is_release(self) -> bool {
        matches!(self, Hook::MutexUnlock | Hook::RwlockUnlock | Hook::SpinUnlock | Hook::SemaphorePost)
    }

    /// Whether an operation can tell that a lock is held without waiting for it.
    pub fn observes_locks(self) -> bool {
        use Hook::*;
        let tries = matches!(
            self,
            MutexTrylock | MutexTimedlock | ReadTrylock | ReadTimedlock | WriteTrylock | WriteTimedlock | SpinTrylock
        );
        let destroys = matches!(self, MutexDestroy | RwlockDestroy | SpinDestroy | MutexInit | RwlockInit | SpinInit);
        tries || destroys || matches!(self, SemaphoreTrywait | SemaphoreTimedwait | SemaphoreValue | SemaphoreInit)
    }
}

const NAMES: &[(&str, Hook)] = &[
    ("pthread_mutex_init", Hook::MutexInit),
    ("pthread_mutex_destroy", Hook::MutexDestroy),
    ("pthread_mutex_lock", Hook::MutexLock),
    ("pthread_mutex_trylock", Hook::MutexTrylock),
    ("pthread_mutex_timedlock", Hook::MutexTimedlock),
    ("pthread_mutex_clocklock", Hook::MutexTimedlock),
    ("pthread_mutex_unlock", Hook::MutexUnlock),
    ("pthread_cond_init", Hook::ConditionInit),
    ("pthread_cond_destroy", Hook::ConditionDestroy),
    ("pthread_cond_wait", Hook::ConditionWait),
    ("pthread_cond_timedwait", Hook::ConditionTimedwait),
    ("pthread_cond_clockwait", Hook::ConditionTimedwait),
    ("pthread_cond_signal", Hook::ConditionSignal),
    ("pthread_cond_broadcast", Hook::ConditionBroadcast),
    ("pthread_rwlock_init", Hook::RwlockInit),
    ("pthread_rwlock_destroy", Hook::RwlockDestroy),
    ("pthread_rwlock_rdlock", Hook::ReadLock),
    ("pthread_rwlock_tryrdlock", Hook::ReadTrylock),
    ("pthread_rwlock_timedrdlock", Hook::ReadTimedlock),
    ("pthread_rwlock_clockrdlock", Hook::ReadTimedlock),
    ("pthread_rwlock_wrlock", Hook::WriteLock),
    ("pthread_rwlock_trywrlock", Hook::WriteTrylock),
    ("pthread_rwlock_timedwrlock", Hook::WriteTimedlock),
    ("pthread_rwlock_clockwrlock", Hook::WriteTimedlock),
    ("pthread_rwlock_unlock", Hook::RwlockUnlock),
    ("pthread_spin_init", Hook::SpinInit),
    ("pthread_spin_destroy", Hook::SpinDestroy),
    ("pthread_spin_lock", Hook::SpinLock),
    ("pthread_spin_trylock", Hook::SpinTrylock),
    ("pthread_spin_unlock", Hook::SpinUnlock),
    ("sem_init", Hook::SemaphoreInit),
    ("sem_destroy", Hook::SemaphoreDestroy),
    ("sem_wait", Hook::SemaphoreWait),
    ("sem_trywait", Hook::SemaphoreTrywait),
    ("sem_timedwait", Hook::SemaphoreTimedwait),
    ("sem_clockwait", Hook::SemaphoreTimedwait),
    ("sem_post", Hook::SemaphorePost),
    ("sem_getvalue", Hook::SemaphoreValue),
    ("pthread_barrier_init", Hook::BarrierInit),
    ("pthread_barrier_destroy", Hook::BarrierDestroy),
    ("pthread_barrier_wait", Hook::BarrierWait),
    ("pthread_create", Hook::ThreadCreate),
    ("__pthread_create_2_1", Hook::ThreadCreate),
    ("pthread_join", Hook::ThreadJoin),
    ("pthread_tryjoin_np", Hook::ThreadTryjoin),
    ("pthread_timedjoin_np", Hook::ThreadTimedjoin),
    ("pthread_clockjoin_np", Hook::ThreadTimedjoin),
    ("thrd_join", Hook::ThreadJoinC11),
    ("pthread_detach", Hook::ThreadDetach),
    ("thrd_detach", Hook::ThreadDetach),
    ("pthread_exit", Hook::ThreadExit),
    ("thrd_exit", Hook::ThreadExit),
    ("_Unwind_Find_FDE", Hook::FindDescription),
    ("pthread_setname_np", Hook::Ignored),
    ("pthread_setschedparam", Hook::Ignored),
    ("pthread_setschedprio", Hook::Ignored),
    ("pthread_setaffinity_np", Hook::Ignored),
    ("pthread_self", Hook::ThreadSelf),
    ("thrd_current", Hook::ThreadSelf),
    ("malloc", Hook::Malloc),
    ("valloc", Hook::PageMalloc),
    ("pvalloc", Hook::PageMalloc),
    ("calloc", Hook::Calloc),
    ("realloc", Hook::Realloc),
    ("memalign", Hook::Memalign),
    ("aligned_alloc", Hook::Memalign),
    ("posix_memalign", Hook::PosixMemalign),
    ("malloc_usable_size", Hook::UsableSize),
    ("free", Hook::Free),
    ("cfree", Hook::Free),
    ("_Znwm", Hook::New),
    ("_ZnwmRKSt9nothrow_t", Hook::New),
    ("_Znam", Hook::NewArray),
    ("_ZnamRKSt9nothrow_t", Hook::NewArray),
    ("_ZnwmSt11align_val_t", Hook::NewAligned),
    ("_ZnwmSt11align_val_tRKSt9nothrow_t", Hook::NewAligned),
    ("_ZnamSt11align_val_t", Hook::NewArrayAligned),
    ("_ZnamSt11align_val_tRKSt9nothrow_t", Hook::NewArrayAligned),
    ("_ZdlPv", Hook::Delete),
    ("_ZdlPvm", Hook::Delete),
    ("_ZdlPvRKSt9nothrow_t", Hook::Delete),
    ("_ZdlPvSt11align_val_t", Hook::Delete),
    ("_ZdlPvmSt11align_val_t", Hook::Delete),
    ("_ZdaPv", Hook::DeleteArray),
    ("_ZdaPvm", Hook::DeleteArray),
    ("_ZdaPvRKSt9nothrow_t", Hook::DeleteArray),
    ("_ZdaPvSt11align_val_t", Hook::DeleteArray),
    ("_ZdaPvmSt11align_val_t", Hook::DeleteArray),
    ("__assert_fail", Hook::AssertFail),
    ("__dampf_assert_fail", Hook::AssertFail),
    ("reach_error", Hook::ReachError),
    ("__VERIFIER_error", Hook::ReachError),
    ("__VERIFIER_assert", Hook::VerifierAssert),
    ("abort", Hook::Abort),
    ("__VERIFIER_assume", Hook::Assume),
    ("assume_abort_if_not", Hook::Assume),
    ("__VERIFIER_atomic_begin", Hook::BeginAtomic),
    ("__VERIFIER_atomic_end", Hook::EndAtomic),
    ("__dampf_begin_atomic", Hook::BeginAtomic),
    ("__dampf_end_atomic", Hook::EndAtomic),
    ("__dampf_choose", Hook::Choose),
    ("__dampf_lock", Hook::LockVariable),
    ("__dampf_unlock", Hook::UnlockVariable),
    ("pthread_cancel", Hook::Refused),
    ("pthread_kill", Hook::Refused),
    ("pthread_getattr_np", Hook::Refused),
];

/// The hook for a symbol.
pub fn by_name(name: &str) -> Option<Hook> {
    if let Some(operation) = name.strip_prefix("__tsan_atomic") {
        return atomic(operation);
    }
    if name.starts_with("__ubsan_handle_") {
        return Some(Hook::Undefined);
    }
    if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
        return Some(nondeterministic(kind));
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, hook)| hook)
}

/// Whether programs of the verification community define a function themselves that stands for an operation of ours.
pub fn is_conventional(name: &str) -> bool {
    let names =
        ["reach_error", "__VERIFIER_error", "assume_abort_if_not", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"];
    names.contains(&name)
}

/// Whether a function of the program's is one whose body is an atomic section, which the verification community tells by its name.
pub fn is_atomic_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && by_name(name).is_none()
}

/// Any value of a type, for what follows `__VERIFIER_nondet_`. `char` is unsigned on this machine.
fn nondeterministic(kind: &str) -> Hook {
    let (bits, signed) = match kind {
        "bool" | "_Bool" => (1, false),
        "char" | "uchar" | "unsigned_char" | "u8" => (8, false),
        "schar" | "s8" => (8, true),
        "short" | "s16" => (16, true),
        "ushort" | "unsigned_short" | "u16" => (16, false),
        "int" | "s32" => (32, true),
        "uint" | "unsigned" | "unsigned_int" | "u32" => (32, false),
        "long" | "longlong" | "loff_t" | "s64" => (64, true),
        "ulong" | "unsigned_long" | "ulonglong" | "size_t" | "sector_t" | "u64" => (64, false),
        _ => return Hook::Refused,
    };
    if bits <= 8 { Hook::Nondeterministic(bits, signed) } else { Hook::Sampled(bits, signed) }
}

/// Reads what follows `__tsan_atomic`: `32_load`, `8_fetch_add`, …
fn atomic(operation: &str) -> Option<Hook> {
    let (bits, operation) = operation.split_once('_')?;
    let bytes = match bits {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        "64" => 8,
        // Wider ones are done under a lock, by the library.
        _ => return None,
    };
    let atomic = match operation {
        "load" => Atomic::Load,
        "store" => Atomic::Store,
        "exchange" => Atomic::Exchange,
        "fetch_add" => Atomic::Add,
        "fetch_sub" => Atomic::Sub,
        "fetch_and" => Atomic::And,
        "fetch_or" => Atomic::Or,
        "fetch_xor" => Atomic::Xor,
        "fetch_nand" => Atomic::Nand,
        "compare_exchange_strong" | "compare_exchange_weak" => Atomic::CompareExchange,
        "compare_exchange_val" => Atomic::CompareValue,
        _ => return None,
    };
    Some(Hook::Atomic(atomic, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_hooked_once() {
        let mut names: Vec<_> = NAMES.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), NAMES.len());
        assert_eq!(by_name("__tsan_atomic32_fetch_add"), Some(Hook::Atomic(Atomic::Add, 4)));
        assert_eq!(by_name("__tsan_atomic_thread_fence"), None);
        assert_eq!(by_name("__tsan_atomic128_load"), None);
        assert_eq!(by_name("__ubsan_handle_add_overflow"), Some(Hook::Undefined));
        assert_eq!(by_name("printf"), None);
    }
}
