//! C++ names as people write them.

use std::fmt;

use cpp_demangle::{BorrowedSymbol, DemangleOptions, DemangleWrite};

/// Names longer than this stay as they are: a name of a few bytes can unfold to one of gigabytes.
const NAME_LENGTH_MAX: usize = 4096;

/// A C++ symbol's name without parameters and return type (`queue<int>::push`), any other name unchanged.
pub fn demangle(name: &str) -> String {
    demangle_mangled(name).unwrap_or_else(|| name.to_owned())
}

/// The readable form of a name that is mangled and well formed.
pub(crate) fn demangle_mangled(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > NAME_LENGTH_MAX {
        return None;
    }
    let symbol = BorrowedSymbol::new(name.as_bytes()).ok()?;
    let options = DemangleOptions::new().no_params().no_return_type().hide_expression_literal_types();
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &options).ok()?;
    // The qualifiers of a member function belong to its parameters.
    let mut name = text.0.as_str();
    while let Some(shorter) = [" const", " volatile", " &&", " &"].iter().find_map(|word| name.strip_suffix(word)) {
        name = shorter;
    }
    // Which string type a name is about is no part of it.
    Some(without_parameters(&name.replace("[abi:cxx11]", "")))
}

/// Removes the parameters of functions that a name lies in: `next()::calls` becomes `next::calls`.
fn without_parameters(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut depth = 0i32;
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if letter == '('
            && depth == 0
            && let Some(end) = closing(rest)
            && rest[end..].trim_start_matches(" const").starts_with("::")
            && &rest[..end] != "(anonymous namespace)"
            && !result.ends_with("operator")
        {
            rest = rest[end..].trim_start_matches(" const");
            continue;
        }
        match letter {
            '<' | '{' => depth += 1,
            '>' | '}' => depth -= 1,
            _ => {}
        }
        result.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    result
}

/// The end of the parenthesis that the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (position, letter) in text.char_indices() {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(position + 1);
        }
    }
    None
}

struct Bounded(String);

impl DemangleWrite for Bounded {
    fn write_string(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > NAME_LENGTH_MAX {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn names_are_those_of_the_source() {
        for (mangled, readable) in [
            ("main", "main"),
            ("_start", "_start"),
            ("_Z7recursei", "recurse"),
            ("_ZN5store5QueueINS_4ItemELi4EE4pushES1_", "store::Queue<store::Item, 4>::push"),
            ("_ZZ4nextvE9own_calls", "next::own_calls"),
            ("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"),
            ("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move<int&>"),
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"),
            ("_ZNK4Base3getEv", "Base::get"),
            ("_Zbroken", "_Zbroken"),
        ] {
            assert_eq!(demangle(mangled), readable);
        }
    }
}
