//! Z3 as a judge of entailments, loaded when the program runs.
//!
//! The library is opened by name (`libz3.so.4` of Debian's `libz3-4`, or `libz3.so`) the first time somebody asks for
//! it, and the few functions of its C interface that are needed are declared here by hand. So Dampf builds without Z3,
//! without its headers and without libclang, and uses it where it is installed.
//!
//! Each transition has a solver that stays warm: predicates and negated predicates are switched on by assumptions.
//! Limits are Z3's own resource units and never clocks. A question that a warm solver gives up on is asked again in a
//! fresh context with a larger limit. Only whether something follows is taken from Z3: no models, no cores, no
//! proofs.

use crate::abstraction::Abstraction;
use crate::formula::Formula;
use crate::linear::{Constraint, Relation, Symbol};
use crate::solver::{PostAnswer, PostQuestion, Solver, Truth};
use crate::system::{Sort, System, TransitionId};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

type Pointer = *mut c_void;

/// What Z3 spends on a question before it gives up, in its own units: first, and when asked afresh.
const RESOURCES_WARM: c_uint = 3_000_000;
const RESOURCES_FRESH: c_uint = 30_000_000;

/// The functions of the C interface that are used.
struct Functions {
    mk_config: unsafe extern "C" fn() -> Pointer,
    del_config: unsafe extern "C" fn(Pointer),
    mk_context: unsafe extern "C" fn(Pointer) -> Pointer,
    del_context: unsafe extern "C" fn(Pointer),
    set_error_handler: unsafe extern "C" fn(Pointer, Option<unsafe extern "C" fn(Pointer, c_int)>),
    mk_int_symbol: unsafe extern "C" fn(Pointer, c_int) -> Pointer,
    mk_int_sort: unsafe extern "C" fn(Pointer) -> Pointer,
    mk_real_sort: unsafe extern "C" fn(Pointer) -> Pointer,
    mk_bool_sort: unsafe extern "C" fn(Pointer) -> Pointer,
    mk_const: unsafe extern "C" fn(Pointer, Pointer, Pointer) -> Pointer,
    mk_numeral: unsafe extern "C" fn(Pointer, *const c_char, Pointer) -> Pointer,
    mk_int2real: unsafe extern "C" fn(Pointer, Pointer) -> Pointer,
    mk_add: unsafe extern "C" fn(Pointer, c_uint, *const Pointer) -> Pointer,
    mk_mul: unsafe extern "C" fn(Pointer, c_uint, *const Pointer) -> Pointer,
    mk_le: unsafe extern "C" fn(Pointer, Pointer, Pointer) -> Pointer,
    mk_lt: unsafe extern "C" fn(Pointer, Pointer, Pointer) -> Pointer,
    mk_eq: unsafe extern "C" fn(Pointer, Pointer, Pointer) -> Pointer,
    mk_and: unsafe extern "C" fn(Pointer, c_uint, *const Pointer) -> Pointer,
    mk_or: unsafe extern "C" fn(Pointer, c_uint, *const Pointer) -> Pointer,
    mk_implies: unsafe extern "C" fn(Pointer, Pointer, Pointer) -> Pointer,
    mk_not: unsafe extern "C" fn(Pointer, Pointer) -> Pointer,
    mk_simple_solver: unsafe extern "C" fn(Pointer) -> Pointer,
    solver_inc_ref: unsafe extern "C" fn(Pointer, Pointer),
    solver_dec_ref: unsafe extern "C" fn(Pointer, Pointer),
    solver_assert: unsafe extern "C" fn(Pointer, Pointer, Pointer),
    solver_check_assumptions: unsafe extern "C" fn(Pointer, Pointer, c_uint, *const Pointer) -> c_int,
    mk_params: unsafe extern "C" fn(Pointer) -> Pointer,
    params_inc_ref: unsafe extern "C" fn(Pointer, Pointer),
    params_dec_ref: unsafe extern "C" fn(Pointer, Pointer),
    params_set_uint: unsafe extern "C" fn(Pointer, Pointer, Pointer, c_uint),
    mk_string_symbol: unsafe extern "C" fn(Pointer, *const c_char) -> Pointer,
    solver_set_params: unsafe extern "C" fn(Pointer, Pointer, Pointer),
    get_error_code: unsafe extern "C" fn(Pointer) -> c_int,
}

fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(load).as_ref()
}

fn load() -> Option<Functions> {
    // SAFETY: loading Z3 runs its static initialisers, which have no requirements.
    let library = ["libz3.so.4", "libz3.so", "libz3.dylib"]
        .iter()
        .find_map(|name| unsafe { libloading::Library::new(*name).ok() })?;
    // The functions are used until the program ends.
    let library: &'static libloading::Library = Box::leak(Box::new(library));
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the types of the fields are those that z3_api.h declares; they have not changed in Z3 4.
            *unsafe { library.get($name) }.ok()?
        };
    }
    Some(Functions {
        mk_config: function!(b"Z3_mk_config"),
        del_config: function!(b"Z3_del_config"),
        mk_context: function!(b"Z3_mk_context"),
        del_context: function!(b"Z3_del_context"),
        set_error_handler: function!(b"Z3_set_error_handler"),
        mk_int_symbol: function!(b"Z3_mk_int_symbol"),
        mk_int_sort: function!(b"Z3_mk_int_sort"),
        mk_real_sort: function!(b"Z3_mk_real_sort"),
        mk_bool_sort: function!(b"Z3_mk_bool_sort"),
        mk_const: function!(b"Z3_mk_const"),
        mk_numeral: function!(b"Z3_mk_numeral"),
        mk_int2real: function!(b"Z3_mk_int2real"),
        mk_add: function!(b"Z3_mk_add"),
        mk_mul: function!(b"Z3_mk_mul"),
        mk_le: function!(b"Z3_mk_le"),
        mk_lt: function!(b"Z3_mk_lt"),
        mk_eq: function!(b"Z3_mk_eq"),
        mk_and: function!(b"Z3_mk_and"),
        mk_or: function!(b"Z3_mk_or"),
        mk_implies: function!(b"Z3_mk_implies"),
        mk_not: function!(b"Z3_mk_not"),
        mk_simple_solver: function!(b"Z3_mk_simple_solver"),
        solver_inc_ref: function!(b"Z3_solver_inc_ref"),
        solver_dec_ref: function!(b"Z3_solver_dec_ref"),
        solver_assert: function!(b"Z3_solver_assert"),
        solver_check_assumptions: function!(b"Z3_solver_check_assumptions"),
        mk_params: function!(b"Z3_mk_params"),
        params_inc_ref: function!(b"Z3_params_inc_ref"),
        params_dec_ref: function!(b"Z3_params_dec_ref"),
        params_set_uint: function!(b"Z3_params_set_uint"),
        mk_string_symbol: function!(b"Z3_mk_string_symbol"),
        solver_set_params: function!(b"Z3_solver_set_params"),
        get_error_code: function!(b"Z3_get_error_code"),
    })
}

/// Whether Z3 is installed.
pub fn is_available() -> bool {
    functions().is_some()
}

/// A context of Z3. Expressions live as long as it does.
struct Context {
    z3: &'static Functions,
    context: Pointer,
}

// SAFETY: a context may be used by any thread, one at a time, and it is owned by one solver here.
unsafe impl Send for Context {}

impl Context {
    fn new(z3: &'static Functions) -> Context {
        // SAFETY: the configuration is used for one context and then deleted, as the interface asks.
        let context = unsafe {
            let config = (z3.mk_config)();
            let context = (z3.mk_context)(config);
            (z3.del_config)(config);
            // Errors are looked up, and do not end the program.
            (z3.set_error_handler)(context, None);
            context
        };
        Context { z3, context }
    }

    fn constant(&self, number: u32, sort: Option<Sort>) -> Pointer {
        // SAFETY: symbol and sort belong to this context.
        unsafe {
            let sort = match sort {
                None => (self.z3.mk_bool_sort)(self.context),
                Some(Sort::Real) => (self.z3.mk_real_sort)(self.context),
                Some(_) => (self.z3.mk_int_sort)(self.context),
            };
            (self.z3.mk_const)(self.context, (self.z3.mk_int_symbol)(self.context, number as c_int), sort)
        }
    }

    fn numeral(&self, value: i128, is_real: bool) -> Pointer {
        let text = CString::new(value.to_string()).expect("digits");
        // SAFETY: the text ends with a zero byte and outlives the call.
        unsafe {
            let sort = if is_real { (self.z3.mk_real_sort)(self.context) } else { (self.z3.mk_int_sort)(self.context) };
            (self.z3.mk_numeral)(self.context, text.as_ptr(), sort)
        }
    }

    fn formula(&self, formula: &Formula, symbol: &dyn Fn(Symbol) -> (Pointer, Sort)) -> Pointer {
        let parts =
            |parts: &[Formula]| -> Vec<Pointer> { parts.iter().map(|part| self.formula(part, symbol)).collect() };
        // SAFETY: all expressions belong to this context, and the slices outlive the calls.
        unsafe {
            match formula {
                Formula::Atom(constraint) => self.constraint(constraint, symbol),
                Formula::True => (self.z3.mk_and)(self.context, 0, std::ptr::null()),
                Formula::False => (self.z3.mk_or)(self.context, 0, std::ptr::null()),
                Formula::And(inner) => {
                    let parts = parts(inner);
                    (self.z3.mk_and)(self.context, parts.len() as c_uint, parts.as_ptr())
                }
                Formula::Or(inner) => {
                    let parts = parts(inner);
                    (self.z3.mk_or)(self.context, parts.len() as c_uint, parts.as_ptr())
                }
            }
        }
    }

    fn constraint(&self, constraint: &Constraint, symbol: &dyn Fn(Symbol) -> (Pointer, Sort)) -> Pointer {
        let sum = constraint.sum();
        let is_real = sum.terms().iter().any(|&(name, _)| symbol(name).1 == Sort::Real);
        let mut terms = vec![self.numeral(sum.constant_part(), is_real)];
        for &(name, factor) in sum.terms() {
            let (mut term, sort) = symbol(name);
            // SAFETY: all expressions belong to this context, and the array outlives the call.
            unsafe {
                if is_real && sort != Sort::Real {
                    term = (self.z3.mk_int2real)(self.context, term);
                }
                let product = [self.numeral(factor, is_real), term];
                terms.push((self.z3.mk_mul)(self.context, 2, product.as_ptr()));
            }
        }
        let zero = self.numeral(0, is_real);
        // SAFETY: as above.
        unsafe {
            let sum = (self.z3.mk_add)(self.context, terms.len() as c_uint, terms.as_ptr());
            match constraint.relation() {
                Relation::AtMost => (self.z3.mk_le)(self.context, sum, zero),
                Relation::Below => (self.z3.mk_lt)(self.context, sum, zero),
                Relation::Equal => (self.z3.mk_eq)(self.context, sum, zero),
            }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: nothing of the context is used afterwards.
        unsafe { (self.z3.del_context)(self.context) }
    }
}

/// A solver for one transition: its relation, and predicates behind switches.
struct Warm {
    solver: Pointer,
    symbols: HashMap<Symbol, (Pointer, Sort)>,
    before: HashMap<u32, Pointer>,
    after: HashMap<u32, Pointer>,
    next_switch: u32,
}

pub struct Z3Solver<'s> {
    z3: &'static Functions,
    system: &'s System,
    context: Context,
    warm: Vec<Option<Warm>>,
    checks: u64,
}

// SAFETY: the pointers of the warm solvers belong to the context, which may be used by any thread, one at a time.
unsafe impl Send for Z3Solver<'_> {}

impl<'s> Z3Solver<'s> {
    /// None if Z3 is not installed.
    pub fn new(system: &'s System) -> Option<Z3Solver<'s>> {
        let z3 = functions()?;
        let warm = system.transitions.iter().map(|_| None).collect();
        Some(Z3Solver { z3, system, context: Context::new(z3), warm, checks: 0 })
    }

    fn make_warm(&self, context: &Context, abstraction: &Abstraction, id: TransitionId, resources: c_uint) -> Warm {
        let transition = self.system.transition(id);
        let mut symbols = HashMap::new();
        let mut add = |symbol: Symbol, sort: Sort| {
            let constant = context.constant(symbols.len() as u32, Some(sort));
            symbols.insert(symbol, (constant, sort));
        };
        for (index, variable) in self.system.location(transition.from).variables.iter().enumerate() {
            add(Symbol::Before(index as u32), variable.sort);
        }
        for (index, variable) in self.system.location(transition.to).variables.iter().enumerate() {
            add(Symbol::After(index as u32), variable.sort);
        }
        for (index, &sort) in transition.auxiliaries.iter().enumerate() {
            add(Symbol::Auxiliary(index as u32), sort);
        }
        let relation = context.formula(&transition.relation, &|symbol| symbols[&symbol]);
        let fact = context.formula(abstraction.fact(transition.from), &|symbol| symbols[&symbol]);
        // SAFETY: everything belongs to the context; solver and parameters are counted while they are used.
        let solver = unsafe {
            let solver = (self.z3.mk_simple_solver)(context.context);
            (self.z3.solver_inc_ref)(context.context, solver);
            let parameters = (self.z3.mk_params)(context.context);
            (self.z3.params_inc_ref)(context.context, parameters);
            let limit = (self.z3.mk_string_symbol)(context.context, c"rlimit".as_ptr());
            (self.z3.params_set_uint)(context.context, parameters, limit, resources);
            (self.z3.solver_set_params)(context.context, solver, parameters);
            (self.z3.params_dec_ref)(context.context, parameters);
            (self.z3.solver_assert)(context.context, solver, relation);
            (self.z3.solver_assert)(context.context, solver, fact);
            solver
        };
        let next_switch = symbols.len() as u32;
        Warm { solver, symbols, before: HashMap::new(), after: HashMap::new(), next_switch }
    }

    /// A switch that turns a formula on.
    fn switch(&self, context: &Context, warm: &mut Warm, formula: Pointer) -> Pointer {
        let switch = context.constant(warm.next_switch, None);
        warm.next_switch += 1;
        // SAFETY: everything belongs to the context.
        unsafe {
            let implication = (self.z3.mk_implies)(context.context, switch, formula);
            (self.z3.solver_assert)(context.context, warm.solver, implication);
        }
        switch
    }

    fn before(
        &self,
        context: &Context,
        warm: &mut Warm,
        abstraction: &Abstraction,
        id: TransitionId,
        index: u32,
    ) -> Pointer {
        if let Some(&switch) = warm.before.get(&index) {
            return switch;
        }
        let predicate = &abstraction.predicates(self.system.transition(id).from)[index as usize];
        let formula = context.formula(predicate, &|symbol| warm.symbols[&symbol]);
        let switch = self.switch(context, warm, formula);
        warm.before.insert(index, switch);
        switch
    }

    fn after(
        &self,
        context: &Context,
        warm: &mut Warm,
        abstraction: &Abstraction,
        id: TransitionId,
        index: u32,
    ) -> Pointer {
        if let Some(&switch) = warm.after.get(&index) {
            return switch;
        }
        let predicate = &abstraction.predicates(self.system.transition(id).to)[index as usize];
        let after = |symbol: Symbol| match symbol {
            Symbol::Before(index) => warm.symbols[&Symbol::After(index)],
            other => unreachable!("{other:?} in a formula about one location"),
        };
        let formula = context.formula(predicate, &after);
        // SAFETY: the formula belongs to the context.
        let negated = unsafe { (self.z3.mk_not)(context.context, formula) };
        let switch = self.switch(context, warm, negated);
        warm.after.insert(index, switch);
        switch
    }

    /// Whether the cube and, if one is named, the negation of a predicate are impossible; none if Z3 gives up.
    fn is_impossible(
        &self,
        context: &Context,
        warm: &mut Warm,
        abstraction: &Abstraction,
        question: &PostQuestion<'_>,
        target: Option<u32>,
    ) -> Option<bool> {
        let id = question.transition;
        let mut assumptions: Vec<Pointer> =
            question.cube.iter().map(|index| self.before(context, warm, abstraction, id, index)).collect();
        assumptions.extend(target.map(|index| self.after(context, warm, abstraction, id, index)));
        // SAFETY: solver and assumptions belong to the context, and the slice outlives the call.
        let (answer, error) = unsafe {
            let count = assumptions.len() as c_uint;
            let answer = (self.z3.solver_check_assumptions)(context.context, warm.solver, count, assumptions.as_ptr());
            (answer, (self.z3.get_error_code)(context.context))
        };
        match (answer, error) {
            (1, 0) => Some(false),
            (-1, 0) => Some(true),
            _ => None,
        }
    }

    fn ask(
        &mut self,
        warm: &mut Warm,
        abstraction: &Abstraction,
        question: &PostQuestion<'_>,
        target: Option<u32>,
    ) -> Truth {
        self.checks += 1;
        let answer = self.is_impossible(&self.context, warm, abstraction, question, target).or_else(|| {
            let context = Context::new(self.z3);
            let mut fresh = self.make_warm(&context, abstraction, question.transition, RESOURCES_FRESH);
            let answer = self.is_impossible(&context, &mut fresh, abstraction, question, target);
            // SAFETY: the solver was counted when it was made, and is not used any more.
            unsafe { (self.z3.solver_dec_ref)(context.context, fresh.solver) };
            answer
        });
        match answer {
            Some(true) => Truth::Yes(question.cube.clone()),
            Some(false) => Truth::No,
            None => Truth::Unknown,
        }
    }
}

impl Solver for Z3Solver<'_> {
    fn post(&mut self, abstraction: &Abstraction, question: &PostQuestion<'_>) -> PostAnswer {
        let at = question.transition.0 as usize;
        let mut warm = self.warm[at]
            .take()
            .unwrap_or_else(|| self.make_warm(&self.context, abstraction, question.transition, RESOURCES_WARM));
        let mut answer = PostAnswer { impossible: Truth::Unknown, implied: Vec::new() };
        if question.asks_possible {
            answer.impossible = self.ask(&mut warm, abstraction, question, None);
        }
        if !matches!(answer.impossible, Truth::Yes(_)) {
            for &index in question.wanted {
                let truth = self.ask(&mut warm, abstraction, question, Some(index));
                answer.implied.push(truth);
            }
        }
        self.warm[at] = Some(warm);
        answer
    }

    fn forget(&mut self) {
        for warm in self.warm.iter_mut().filter_map(Option::take) {
            // SAFETY: the solver was counted when it was made, and is not used any more.
            unsafe { (self.z3.solver_dec_ref)(self.context.context, warm.solver) };
        }
    }

    fn checks(&self) -> u64 {
        self.checks
    }
}

impl Drop for Z3Solver<'_> {
    fn drop(&mut self) {
        self.forget();
    }
}
