//! Random functions with many locals, of which most are dead most of the time.
//!
//! They compute with arrays, structures, pointers to locals, recursion, loops, jumps and memory of the heap, and every
//! now and then they do something that other threads can notice. There a state is taken: whatever is still needed of
//! the frame has to be in it. Nothing in them is undefined: numbers are unsigned, and indices are cut.

use super::ThreadProgram;
use crate::random::Random;

const LOCALS: u64 = 6;

/// Writes the function of a number, which may call those before it.
pub fn write(program: &mut ThreadProgram, random: &mut Random, number: u64) {
    program.fixed(&format!("\nstatic unsigned f{number}(unsigned depth, unsigned v0, unsigned v1) {{"));
    program.fixed("    unsigned v2 = v0 + 1, v3 = v1 ^ 2, v4 = 3, v5 = depth;\n    unsigned a[4] = {v1, 1, v0, 2};");
    program.fixed("    struct triple t = {(int)(v0 & 7), (char)(v1 & 7), {5, 6}};\n    unsigned *p = &v2;");
    for _ in 0..3 + random.below(7) {
        let statement = statement(random, number);
        program.optional(&format!("    {statement}"));
    }
    let kept = [random.below(LOCALS), random.below(LOCALS)];
    program.fixed(&format!("    return v{} + 3 * v{} + a[{}] + *p;\n}}", kept[0], kept[1], random.below(4)));
}

/// A call of one of so many functions.
pub fn call(random: &mut Random, functions: u64) -> String {
    format!("f{}({}, {}, {})", random.below(functions), random.below(3), random.below(9), random.below(9))
}

fn variable(random: &mut Random) -> String {
    match random.below(10) {
        0 => format!("a[{}]", random.below(4)),
        1 => "a[v4 & 3]".to_owned(),
        2 => "*p".to_owned(),
        _ => format!("v{}", random.below(LOCALS)),
    }
}

fn value(random: &mut Random) -> String {
    match random.below(7) {
        0 => random.below(9).to_string(),
        1 => "(unsigned)t.first".to_owned(),
        2 => "(unsigned)t.third[v5 & 1]".to_owned(),
        _ => variable(random),
    }
}

fn expression(random: &mut Random) -> String {
    let (left, right) = (value(random), value(random));
    let operator = ["+", "-", "*", "^", "&", "|", "<", "=="][random.below(8) as usize];
    match random.below(5) {
        0 => format!("({left} {operator} {right}) * 3 + {}", value(random)),
        1 => format!("{left} >> ({right} & 3)"),
        2 => format!("{left} / ({right} | 1)"),
        _ => format!("{left} {operator} {right}"),
    }
}

/// Something that other threads can notice.
fn noticed(random: &mut Random) -> String {
    let flag = if random.one_in(2) { "x" } else { "y" };
    let result = variable(random);
    match random.below(5) {
        0 => format!("{flag} = (int)({} & 3);", value(random)),
        1 | 2 => format!("{result} += (unsigned){flag};"),
        3 => format!("pthread_mutex_lock(&m); under_m += (int)({} & 3); pthread_mutex_unlock(&m);", value(random)),
        _ => format!("{result} ^= (unsigned)atomic_fetch_add(&{flag}, 1);"),
    }
}

fn statement(random: &mut Random, number: u64) -> String {
    let (one, other) = (variable(random), variable(random));
    let given = expression(random);
    match random.below(20) {
        0..=2 => format!("{one} = {given};"),
        3..=6 => noticed(random),
        7 => format!("{one} = {given}; {} {other} += {one};", noticed(random)),
        8 => format!(
            "for (unsigned i = 0; i < ({one} & 3); i++) {{ {other} += i * {}; a[i] ^= {given}; }}",
            value(random)
        ),
        9 => format!(
            "switch ({one} & 3) {{ case 0: {other} += 1; break; case 1: {} case 2: {other} ^= {given}; break; default: v3 = 7; }}",
            noticed(random)
        ),
        10 => format!(
            "{{ __label__ again; unsigned rounds = 2; again: {one} += {given}; {} if (rounds-- > 0) goto again; {other} += rounds; }}",
            noticed(random)
        ),
        11 => format!("t = turned(t, (int)({one} & 7)); {other} += (unsigned)t.first;"),
        12 => format!("{one} = sum_of(3, (int)({other} & 7), t.first & 7, (int)({given} & 7));"),
        13 => format!("p = {};", ["&v0", "&v2", "&v5", "&a[1]", "a + (v3 & 3)"][random.below(5) as usize]),
        14 => format!(
            "{{ unsigned *block = malloc(8 + 4 * ({one} & 3)); block[1] = {given}; {} {other} += block[1]; free(block); }}",
            noticed(random)
        ),
        15 => format!(
            "{{ unsigned size = 1 + ({one} & 3), room[size]; for (unsigned i = 0; i < size; i++) room[i] = i + {given}; {} {other} ^= room[size - 1]; }}",
            noticed(random)
        ),
        16 => format!(
            "{{ char *room = alloca(8 + ({one} & 7)); memset(room, (int)({given} & 63), 8); {} {other} += (unsigned char)room[5]; }}",
            noticed(random)
        ),
        // What is not volatile must not change before the jump.
        17 => format!(
            "{{ jmp_buf place; volatile unsigned kept = {given}; if (setjmp(place) == 0) {{ kept = kept + 1; x = (int)(kept & 3); longjmp(place, 1); }} {other} += kept; }}"
        ),
        18 => format!("if (depth > 0) {one} += f{number}(depth - 1, {given}, {other});"),
        _ if number > 0 => {
            format!("{one} ^= f{}(depth & 1, {given}, {other});", random.below(number))
        }
        _ => format!("if ({given}) {{ {one} = {}; }} else {{ {other} = 5; {} }}", value(random), noticed(random)),
    }
}
