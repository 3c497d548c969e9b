//! A tree as a text in which everything is explicit: every operator in parentheses, every separator in its place.

use dampf_promela::ast::*;
use std::fmt::Write;

pub fn model(model: &Model) -> String {
    let mut out = String::new();
    for one in &model.units {
        unit(one, &mut out);
    }
    out
}

fn unit(unit: &Unit, out: &mut String) {
    match unit {
        Unit::Mtype(mtype) => {
            let kind = mtype.kind.as_ref().map(|kind| format!(":{}", kind.text)).unwrap_or_default();
            let _ = writeln!(out, "mtype{kind} = {{ {} }}", names(&mtype.names));
        }
        Unit::Typedef(typedef) => {
            let _ = writeln!(out, "typedef {} {{ {} }}", typedef.name.text, declarations(&typedef.fields));
        }
        Unit::Variables(variables) => {
            let _ = writeln!(out, "{}", declarations(variables));
        }
        Unit::Proctype(proctype) => self::proctype(proctype, out),
        Unit::Never(automaton) => self::automaton("never", automaton, out),
        Unit::Trace { is_negated, body } => {
            self::automaton(if *is_negated { "notrace" } else { "trace" }, body, out);
        }
        Unit::Ltl(ltl) => {
            let _ = writeln!(out, "ltl{} {{ {} }}", optional_name(ltl.name.as_ref()), ltl.formula);
        }
    }
}

fn proctype(proctype: &Proctype, out: &mut String) {
    if let Some(active) = &proctype.active {
        let _ = write!(out, "active[{}] ", active.as_ref().map_or("1".to_owned(), expr));
    }
    let word = if proctype.is_deterministic { "D_proctype" } else { "proctype" };
    let _ = write!(out, "{word} {}({})", proctype.name.text, declarations(&proctype.parameters));
    if let Some(priority) = &proctype.priority {
        let _ = write!(out, " priority {}", expr(priority));
    }
    if let Some(provided) = &proctype.provided {
        let _ = write!(out, " provided {}", expr(provided));
    }
    let _ = writeln!(out, " {{\n{}}}", statements(&proctype.body, 1));
}

fn automaton(word: &str, automaton: &Automaton, out: &mut String) {
    let name = optional_name(automaton.name.as_ref());
    let _ = writeln!(out, "{word}{name} {{\n{}}}", statements(&automaton.body, 1));
}

fn optional_name(name: Option<&Name>) -> String {
    name.map(|name| format!(" {}", name.text)).unwrap_or_default()
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn declarations(declarations: &[Declaration]) -> String {
    declarations.iter().map(declaration).collect::<Vec<_>>().join("; ")
}

fn declaration(declaration: &Declaration) -> String {
    let mut out = match declaration.visibility {
        Visibility::Plain => String::new(),
        other => format!("{other:?} ").to_lowercase(),
    };
    let _ = write!(out, "{} {}", ty(&declaration.ty), declaration.name.text);
    if let Some(size) = &declaration.array {
        let _ = write!(out, "[{}]", expr(size));
    }
    match &declaration.initial {
        None => {}
        Some(Initial::Value(value)) => out += &format!(" = {}", expr(value)),
        Some(Initial::List(values)) => out += &format!(" = {{ {} }}", exprs(values)),
        Some(Initial::Channel { capacity, fields, .. }) => {
            let fields: Vec<String> = fields.iter().map(|(field, _)| ty(field)).collect();
            out += &format!(" = [{}] of {{ {} }}", expr(capacity), fields.join(", "));
        }
    }
    out
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Unsigned(width) => format!("unsigned:{}", expr(width)),
        Type::Mtype(Some(kind)) => format!("mtype:{}", kind.text),
        Type::Mtype(None) => "mtype".to_owned(),
        Type::Record(name) => name.text.clone(),
        simple => format!("{simple:?}").to_lowercase(),
    }
}

pub fn statements(statements: &[Statement], depth: usize) -> String {
    statements.iter().map(|one| format!("{}{};\n", "  ".repeat(depth), statement(one, depth))).collect()
}

fn statement(statement: &Statement, depth: usize) -> String {
    let labels: String = statement.labels.iter().map(|label| format!("{}: ", label.text)).collect();
    format!("{labels}{}", kind(&statement.kind, depth))
}

fn kind(kind: &StatementKind, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let block = |word: &str, body: &[Statement]| format!("{word}{{\n{}{indent}}}", statements(body, depth + 1));
    let options = |open: &str, options: &[Vec<Statement>], close: &str| {
        let options: String = options.iter().map(|one| format!("{indent}::\n{}", statements(one, depth + 1))).collect();
        format!("{open}\n{options}{indent}{close}")
    };
    match kind {
        StatementKind::Variables(variables) => declarations(variables),
        StatementKind::Condition(condition) => expr(condition),
        StatementKind::Else => "else".to_owned(),
        StatementKind::Skip => "skip".to_owned(),
        StatementKind::Assign { target, value } => format!("{} = {}", reference(target), expr(value)),
        StatementKind::Increment(target) => format!("{}++", reference(target)),
        StatementKind::Decrement(target) => format!("{}--", reference(target)),
        StatementKind::Assert(condition) => format!("assert {}", expr(condition)),
        StatementKind::Printf { format, arguments } => format!("printf {format:?} {}", exprs(arguments)),
        StatementKind::Printm(value) => format!("printm {}", expr(value)),
        StatementKind::Goto(label) => format!("goto {}", label.text),
        StatementKind::Break => "break".to_owned(),
        StatementKind::If(list) => options("if", list, "fi"),
        StatementKind::Do(list) => options("do", list, "od"),
        StatementKind::For { variable, range, body } => {
            let range = match &**range {
                ForRange::Values(first, last) => format!(": {} .. {}", expr(first), expr(last)),
                ForRange::In(array) => format!("in {}", reference(array)),
            };
            block(&format!("for ({} {range}) ", reference(variable)), body)
        }
        StatementKind::Select { variable, first, last, is_plain } => {
            let how = if *is_plain { "" } else { " counting" };
            format!("select{how} ({} : {} .. {})", reference(variable), expr(first), expr(last))
        }
        StatementKind::Atomic(body) => block("atomic ", body),
        StatementKind::DStep(body) => block("d_step ", body),
        StatementKind::Block(body) => block("", body),
        StatementKind::Unless { main, escape } => {
            format!("({} unless {})", statement(main, depth), statement(escape, depth))
        }
        StatementKind::Send { channel, values, is_sorted } => {
            format!("{} {} {}", reference(channel), if *is_sorted { "!!" } else { "!" }, exprs(values))
        }
        StatementKind::Receive { channel, arguments, is_random, is_copy } => {
            let arguments = self::arguments(arguments);
            let arguments = if *is_copy { format!("<{arguments}>") } else { arguments };
            format!("{} {} {arguments}", reference(channel), if *is_random { "??" } else { "?" })
        }
        StatementKind::Exclusive { channels, receives } => {
            let channels: Vec<String> = channels.iter().map(reference).collect();
            format!("{} {}", if *receives { "xr" } else { "xs" }, channels.join(", "))
        }
        StatementKind::SetPriority { process, priority } => {
            format!("set_priority({}, {})", expr(process), expr(priority))
        }
    }
}

fn arguments(arguments: &[Argument]) -> String {
    let argument = |argument: &Argument| match argument {
        Argument::Reference(variable) => reference(variable),
        Argument::Constant(value) => expr(value),
        Argument::Eval(value, _) => format!("eval({})", expr(value)),
    };
    arguments.iter().map(argument).collect::<Vec<_>>().join(", ")
}

fn reference(reference: &Reference) -> String {
    let part = |part: &Part| match &part.index {
        Some(index) => format!("{}[{}]", part.name.text, expr(index)),
        None => part.name.text.clone(),
    };
    reference.parts.iter().map(part).collect::<Vec<_>>().join(".")
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn process(proctype: &Name, process: Option<&Expr>) -> String {
    format!("{}{}", proctype.text, process.map(|process| format!("[{}]", expr(process))).unwrap_or_default())
}

pub fn expr(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Reference(variable) => reference(variable),
        ExprKind::Unary(operator, operand) => {
            let operator = match operator {
                Unary::Negate => "-",
                Unary::BitNot => "~",
                Unary::Not => "!",
            };
            format!("({operator}{})", self::expr(operand))
        }
        ExprKind::Binary(operator, left, right) => {
            format!("({} {} {})", self::expr(left), binary(*operator), self::expr(right))
        }
        ExprKind::Conditional(condition, first, second) => {
            format!("({} -> {} : {})", self::expr(condition), self::expr(first), self::expr(second))
        }
        ExprKind::Run { proctype, arguments, priority } => {
            let priority = priority.as_ref().map(|priority| format!(" priority {}", self::expr(priority)));
            format!("run {}({}){}", proctype.text, exprs(arguments), priority.unwrap_or_default())
        }
        ExprKind::Channel(query, channel) => format!("{query:?}({})", reference(channel)),
        ExprKind::Poll { channel, arguments, is_random } => {
            format!("{}{}[{}]", reference(channel), if *is_random { "??" } else { "?" }, self::arguments(arguments))
        }
        ExprKind::Enabled(process) => format!("enabled({})", self::expr(process)),
        ExprKind::PcValue(process) => format!("pc_value({})", self::expr(process)),
        ExprKind::GetPriority(process) => format!("get_priority({})", self::expr(process)),
        ExprKind::Timeout => "timeout".to_owned(),
        ExprKind::NonProgress => "np_".to_owned(),
        ExprKind::AtLabel { proctype, process: number, label } => {
            format!("{}@{}", process(proctype, number.as_deref()), label.text)
        }
        ExprKind::RemoteVariable { proctype, process: number, variable } => {
            format!("{}:{}", process(proctype, number.as_deref()), reference(variable))
        }
    }
}

fn binary(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}
