//! Constants that are given from outside.
//!
//! They are written into the text. That way the text says what was checked, and whoever reads it again, to
//! understand an expression over the model's names, learns the same values.

use crate::ast::{Declaration, DeclarationKind};
use crate::mistake::{Mistake, locate_all};
use crate::parser::parse_model;
use crate::symbols::listed;
use dampf_core::{Diagnostic, Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn apply(source: Arc<Source>, overrides: &[(String, i64)]) -> Result<Arc<Source>, Vec<Diagnostic>> {
    if overrides.is_empty() {
        return Ok(source);
    }
    let model = parse_model(&source).map_err(|mistakes| locate_all(mistakes, &source))?;
    let constants: Vec<&Declaration> =
        model.declarations.iter().filter(|declaration| is_constant(declaration)).collect();
    let mut mistakes = Vec::new();
    let mut replacements = BTreeMap::new();
    for (name, value) in overrides {
        let declared = constants.iter().find(|constant| constant.name.text == *name);
        match (declared.and_then(|constant| constant.initial.as_ref()), i32::try_from(*value)) {
            (Some(initial), Ok(value)) => {
                replacements.insert(initial.span(), value);
            }
            (Some(initial), Err(_)) => {
                let message = format!("the value {value} for `{name}` does not fit into 32 bits");
                mistakes.push(Mistake::new(initial.span(), message, "cannot be set to that"));
            }
            (None, _) => mistakes.push(unknown(name, model.name.span, &constants)),
        }
    }
    if !mistakes.is_empty() {
        return Err(locate_all(mistakes, &source));
    }
    let mut text = source.text.clone();
    for (span, value) in replacements.iter().rev() {
        text.replace_range(span.start as usize..span.end as usize, &value.to_string());
    }
    Ok(Source::new(source.path.clone(), text))
}

fn is_constant(declaration: &Declaration) -> bool {
    matches!(declaration.kind, DeclarationKind::Constant)
}

fn unknown(name: &str, model: Span, constants: &[&Declaration]) -> Mistake {
    let mistake = Mistake::new(model, format!("the model has no constant `{name}` to be set"), "this model");
    let names: Vec<String> = constants.iter().map(|constant| constant.name.text.clone()).collect();
    match names.as_slice() {
        [] => mistake.help("only a `const` can be set, and this model has none"),
        names => mistake.help(format!("its constants are {}", listed(names))),
    }
}
