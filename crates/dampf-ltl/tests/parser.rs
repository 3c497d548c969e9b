//! Formulas from text: spellings, precedences, the extent of propositions, and every error once.

use dampf_ltl::{Reading, is_read_differently, parse, parse_as};

/// The formula with the texts of its propositions, and with all parentheses.
fn shown(text: &str) -> String {
    let parsed = parse(text).unwrap_or_else(|diagnostic| panic!("{text}: {diagnostic}"));
    parsed.formula.show(&|number| parsed.propositions[number as usize].text.clone())
}

fn propositions(text: &str) -> Vec<String> {
    let parsed = parse(text).unwrap_or_else(|diagnostic| panic!("{text}: {diagnostic}"));
    parsed.propositions.into_iter().map(|proposition| proposition.text).collect()
}

#[test]
fn every_spelling_of_an_operator_is_read() {
    for (operator, spellings) in [
        ("&&", &["&&", "/\\", "and"][..]),
        ("||", &["||", "\\/", "or"]),
        ("->", &["->", "implies", "imply"]),
        ("<->", &["<->", "equivalent"]),
        ("U", &["U", "until", "stronguntil"]),
        ("W", &["W", "weakuntil"]),
        ("V", &["V", "R", "release"]),
    ] {
        for spelling in spellings {
            assert_eq!(shown(&format!("p {spelling} q")), format!("p {operator} q"));
        }
    }
    for (operator, spellings) in
        [("[] ", &["[]", "always"][..]), ("<> ", &["<>", "eventually"]), ("X ", &["X", "next"]), ("!", &["!", "not"])]
    {
        for spelling in spellings {
            assert_eq!(shown(&format!("{spelling} p")), format!("{operator}p"));
        }
    }
    assert_eq!(shown("true U false"), "true U false");
    assert_eq!(shown("[]<>p&&q->r"), "(([] (<> p)) && q) -> r");
}

#[test]
fn operators_group_as_in_blocks_of_spin() {
    for (text, grouped) in [
        ("p U q U r", "(p U q) U r"),
        ("p -> q -> r", "(p -> q) -> r"),
        ("p <-> q -> r", "(p <-> q) -> r"),
        ("p -> q <-> r", "(p -> q) <-> r"),
        ("p && q || r", "(p && q) || r"),
        ("p || q && r", "p || (q && r)"),
        ("[] p U q", "([] p) U q"),
        ("!p U q && r", "((!p) U q) && r"),
        ("X p U q", "(X p) U q"),
        ("p U ! q V r", "(p U (!q)) V r"),
        ("p W q U r", "(p W q) U r"),
        ("p -> q || r", "p -> (q || r)"),
        ("<> p && [] q", "(<> p) && ([] q)"),
        ("! [] ! p", "!([] (!p))"),
        ("!!p", "!(!p)"),
    ] {
        assert_eq!(shown(text), grouped, "{text}");
    }
}

#[test]
fn behind_the_option_boolean_operators_are_on_one_level() {
    let option = |text: &str| parse_as(text, Reading::Option).expect(text).formula.to_string();
    assert_eq!(option("p || q && r"), "(p0 || p1) && p2");
    assert_eq!(option("p -> q || r"), "(p0 -> p1) || p2");
    assert_eq!(option("[] (p || q && r)"), "[] (p0 || (p1 && p2))", "SPIN leaves this group to Promela");
    assert_eq!(option("[] (p || q && <> r)"), "[] ((p0 || p1) && (<> p2))");
    assert!(is_read_differently("p || q && r") && !is_read_differently("p U q && r"));
}

#[test]
fn expressions_of_the_model_are_propositions() {
    for text in [
        "(x + 1) > 3",
        "P[1]@cs",
        "Proc:x == 2",
        "Proc[pid]:x == 2",
        "c?[msg]",
        "c ?? [msg, 1]",
        "len(q) > 1",
        "a.b[i] == 0",
        "x<3",
        "x<-1",
        "x >= -y",
        "x<<2 != y>>1",
        "(p && q) == r",
        "a & b | c ^ ~d",
        "-x < 3",
        "((x)) == 1",
        "list.next == 0",
        "P@U",
        "!x == 3",
        "!(x) == 3",
        "true == x",
        "R",
        "R == 1",
        "(int) x == 1",
        "ns::value == 'x'",
        "c_expr { now.x > 1 }",
        "np_",
        "_nr_pr > 2",
        "x % 2 == 0",
        "enabled(1)",
        "(x > 0 -> 1 : 0) == 1",
    ] {
        assert_eq!(propositions(text), [text], "{text}");
        assert_eq!(propositions(&format!("[] ({text})")), [text], "{text}");
        assert_eq!(propositions(&format!("q2 U {text} && <> {text}")), ["q2", text], "{text}");
    }
    assert_eq!(shown("[] x == 3 && ! a[1] -> b.c U (d)"), "(([] x == 3) && (!a[1])) -> (b.c U d)");
    assert_eq!(shown("!c?[msg]"), "!c?[msg]");
    assert_eq!(propositions("!c?[msg]"), ["c?[msg]"]);
    assert_eq!(propositions("p U R"), ["p", "R"]);
    assert_eq!(propositions("R R R"), ["R"]);
}

#[test]
fn the_extent_of_a_proposition_can_be_forced() {
    assert_eq!(propositions("[] \"p->next == 0\""), ["p->next == 0"]);
    assert_eq!(propositions("[] {p->next == 0} && {x}"), ["p->next == 0", "x"]);
    assert_eq!(propositions("\"U\" U \"X\""), ["U", "X"]);
}

#[test]
fn white_space_does_not_make_a_proposition_another() {
    assert_eq!(propositions("x>3 && x > 3 && (x\n> 3) && \" x>3 \" && { x  > 3 }"), ["x>3"]);
    assert_eq!(propositions("(x + 1) > 3 && (x+1)>3"), ["(x + 1) > 3"]);
    assert_eq!(propositions("a - -b > 0 && a--b > 0").len(), 2);
    let parsed = parse("p U  x  >  3").expect("a formula");
    assert_eq!((parsed.propositions[1].span.start, parsed.propositions[1].span.end), (5, 12));
}

#[test]
fn every_error_says_what_and_where() {
    let deep = format!("{}p{}", "(".repeat(300), ")".repeat(300));
    let long = vec!["p"; 1200].join(" && ");
    let temporal = vec!["<> p"; 120].join(" && ");
    for (text, message) in [
        ("", "formula:1:1: there is no formula (an example: `[] (request -> <> reply)`)"),
        ("p U", "formula:1:3: nothing follows `U`"),
        ("[]", "formula:1:1: nothing follows `[]`"),
        ("p && && q", "formula:1:6: `&&` has no left operand (if `&&` is a name of the model, quote it: `\"&&\"`)"),
        ("U == 1", "formula:1:1: `U` has no left operand (if `U` is a name of the model, quote it: `\"U\"`)"),
        ("()", "formula:1:2: an operand is missing before `)`"),
        ("(p", "formula:1:1: `(` is never closed"),
        ("p)", "formula:1:2: there is no `(` for this"),
        ("(p]", "formula:1:1: `(` is closed by `]`"),
        ("\"p", "formula:1:1: a quoted proposition is never closed"),
        ("\" \"", "formula:1:1: a proposition has no text"),
        (
            "\"x\" > 3",
            "formula:1:1: an expression goes on behind a proposition (put all of the expression between the quotes)",
        ),
        ("p q", "formula:1:3: an operator is missing before `q`"),
        ("p; q", "formula:1:2: a formula has no `;` (write one formula, without declarations)"),
        (
            "x <> 3",
            "formula:1:3: `<>` stands inside an expression of the model \
             (inequality is `!=`; `<>` is `eventually` and needs an operator before it)",
        ),
        (
            "p [] q",
            "formula:1:3: `[]` stands inside an expression of the model \
             (`[]` is `always` and needs an operator before it; an index is missing if an array was meant)",
        ),
        (
            "(p U q) == r",
            "formula:1:4: `U` stands inside an expression of the model (temporal operators combine whole propositions; \
             quote the expression if a name of the model was meant)",
        ),
        (&deep, "formula:1:201: the formula is nested more than 200 deep"),
        (&long, "formula:1:5003: the formula has more than 1000 binary operators (check its parts one by one)"),
        (&temporal, "formula:1:1: the formula has 120 temporal operators, more than 100 (check its parts one by one)"),
    ] {
        assert_eq!(parse(text).expect_err(text).to_string(), message, "{text}");
    }
}

#[test]
fn no_text_makes_the_parser_panic() {
    let pieces =
        ["p", "U", "X", "[]", "<>", "(", ")", "!", "[", "]", "{", "}", "\"", "->", ".", "&&", "==", "R", "ü", " "];
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..8 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        for reading in [Reading::Block, Reading::Option] {
            if let Err(diagnostic) = parse_as(&text, reading) {
                assert!(diagnostic.span.end as usize <= text.len() && diagnostic.span.start <= diagnostic.span.end);
            }
        }
    }
}
