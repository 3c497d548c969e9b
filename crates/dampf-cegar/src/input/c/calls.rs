//! Calls: functions of the program, and those that checkers know.

use super::ast::{Expression, ExpressionKind};
use super::expression::Value;
use super::lower::Lowering;
use super::types::Type;
use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

/// What a function is known to do.
enum Known {
    /// The run has failed, whatever its body would do then.
    Fail,
    Assert,
    Assume,
    /// The run ends without failing.
    End,
    /// Any value of a type.
    Input(Type),
    /// Nothing that a program could see, but for a number as its result.
    Print,
}

fn known(name: &str) -> Option<Known> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" | "__assert_fail" | "__assert_rtn" => Known::Fail,
        "assert" | "__VERIFIER_assert" | "static_assert" => Known::Assert,
        "assume" | "__VERIFIER_assume" | "assume_abort_if_not" => Known::Assume,
        "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => Known::End,
        "printf" | "puts" | "putchar" => Known::Print,
        _ => Known::Input(input_type(name.strip_prefix("__VERIFIER_nondet_")?)?),
    })
}

fn input_type(suffix: &str) -> Option<Type> {
    let short = Type { is_signed: true, bits: 16 };
    Some(match suffix {
        "int" | "s32" => Type::INT,
        "uint" | "unsigned" | "unsigned_int" | "u32" => Type::INT.unsigned(),
        "long" | "longlong" | "long_long" | "s64" | "loff_t" => Type::LONG,
        "ulong" | "ulonglong" | "unsigned_long" | "size_t" | "u64" => Type::LONG.unsigned(),
        "char" | "schar" | "s8" => Type::CHAR,
        "uchar" | "unsigned_char" | "u8" => Type::CHAR.unsigned(),
        "short" | "s16" => short,
        "ushort" | "unsigned_short" | "u16" => short.unsigned(),
        "bool" | "_Bool" => Type::BOOLEAN,
        _ => return None,
    })
}

impl Lowering<'_> {
    /// `None` where the result is void.
    pub fn call(&mut self, name: &str, arguments: &[Expression], span: Span) -> Checked<Option<Value>> {
        let function = self.function(name);
        let known = known(name);
        // Programs bring bodies of their own for what checkers know; only failing is failing whatever they say.
        if let (Some(function), false) = (function, matches!(known, Some(Known::Fail))) {
            if function.parameters.len() != arguments.len() {
                let message = format!("`{name}` takes {} arguments", function.parameters.len());
                return Err(Problem::new(span, message, format!("{} are given", arguments.len())));
            }
            let mut variables = Vec::with_capacity(arguments.len());
            for (argument, (parameter, of)) in arguments.iter().zip(&function.parameters) {
                let value = self.value(argument)?;
                let id = self.parameter(parameter, *of);
                self.assign(id, value, argument.span)?;
                variables.push(id);
            }
            return self.inline(function, variables, span);
        }
        let Some(known) = known else {
            return Err(match self.external(name) {
                Some(_) => Problem::new(span, format!("the function `{name}` has no body"), "called here")
                    .help("define it, or use __VERIFIER_nondet_int() for an arbitrary number"),
                None => Problem::new(span, format!("unknown function `{name}`"), "declared nowhere"),
            });
        };
        match (known, arguments) {
            (Known::Fail, _) => {
                self.fail(span);
                Ok(None)
            }
            (Known::End, _) => {
                for argument in arguments {
                    self.effects(argument)?;
                }
                self.end_run(span);
                Ok(None)
            }
            (Known::Assert, [condition, ..]) => self.assert(condition).map(|()| None),
            (Known::Assume, [condition]) => self.assume(condition).map(|()| None),
            (Known::Input(of), []) => {
                let id = self.temporary(of, of.range());
                let text = self.source(span);
                self.step(Vec::new(), vec![id], span, text);
                Ok(Some(self.variable_value(id)))
            }
            (Known::Print, _) => {
                for argument in arguments {
                    if argument.kind != ExpressionKind::Text {
                        self.effects(argument)?;
                    }
                }
                let id = self.temporary(Type::INT, Type::INT.range());
                self.step(Vec::new(), vec![id], span, String::new());
                Ok(Some(self.variable_value(id)))
            }
            _ => Err(Problem::new(span, format!("`{name}` takes another number of arguments"), "called here")),
        }
    }
}
