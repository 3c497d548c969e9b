//! Damaged texts are refused or read, but never end in a panic, and never take long.

#[allow(dead_code)]
mod concrete;

use concrete::Chance;
use dampf_cegar::input::certificate::Certificate;
use dampf_cegar::input::{Language, armc, c, horn};
use dampf_core::Source;
use std::time::{Duration, Instant};

const CLAUSES: &str = "(set-logic HORN)
(declare-fun inv (Int Bool Real) Bool)
(define-fun twice ((x Int)) Int (* 2 x))
(assert (forall ((x Int) (b Bool) (r Real)) (=> (and (= x 0) (not b) (= r 1.5)) (inv x b r))))
(assert (forall ((x Int) (b Bool) (r Real) (y Int))
  (=> (and (inv x b r) (let ((z (ite b (+ x 1) (div x 3)))) (= y (twice z))) (or b (< x 10))) (inv y (not b) (/ r 2)))))
(assert (forall ((x Int) (b Bool) (r Real)) (not (and (inv x b r) (> (mod x 2) 1)))))
(check-sat)\n";

const ARMC: &str = "var2names(p(pc(_), data(V, W)), [(V, 'x'), (W, 'n')]).
start(pc(main-0)). error(pc(bad)).
r(p(pc(main-0), data(V, W)), p(pc(loop), data(Vp, Wp)), [], [Vp = 0, Wp = W], 1).
stmtsrc(1, 'x = 0;').
r(p(pc(loop), data(V, W)), p(pc(bad), data(V, W)), [(V + 1 =< 2*W ; V = 3)], [], 3).\n";

const PROGRAM: &str = "#define N 10
extern int __VERIFIER_nondet_int(void);
enum { RED, GREEN = 4 };
typedef unsigned word;
int total; word w = 3u;
int add(int a, int b) { return a + b; }
int main(void) {
  int i, n = __VERIFIER_nondet_int();
  for (i = 0; i < N && n > 0; i++) { total = add(total, 2); if (i % 3 == 1) continue; w--; }
  switch (total & 3) { case 0: w = 1; break; case GREEN - 2: w ^= 2 ? 1 : 0; default: n = -7 / 2; }
  while (1) { if (n++ > 'a' || (w >> 2)) goto end; do { n += 2; } while (!n); }
end: assert(total <= 20); return (int)w; }\n";

const CERTIFICATE: &str = "; note\n(certificate 1)\n(text h00ff)\n(system original)\n
(invariant 0 true)\n(invariant 1 false)\n(invariant 2 (or (and (<= -3 (2 x0) (-1 x1)) (< 4 (1 x0))) (= 0 (5 x2))))\n";

fn damaged(text: &str, chance: &mut Chance) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let marks = b"(){}[];,.|\"'#:=<>+-*/%&!~0129axX_\n \\\xff";
    for _ in 0..1 + chance.below(4) {
        let at = chance.below(bytes.len() as u64) as usize;
        let length = (chance.below(30) as usize).min(bytes.len() - at);
        match chance.below(6) {
            0 => drop(bytes.drain(at..at + length)),
            1 => bytes[at] = *chance.pick(marks),
            2 => bytes.insert(at, *chance.pick(marks)),
            3 => {
                let piece = bytes[at..at + length].to_vec();
                let to = chance.below(bytes.len() as u64) as usize;
                bytes.splice(to..to, piece);
            }
            4 => bytes.truncate(at.max(1)),
            _ => {
                let number = *chance.pick(&[
                    "99999999999999999999999999999999999999999",
                    "-1",
                    "0",
                    "340282366920938463463374607431768211455",
                ]);
                bytes.splice(at..at, number.bytes());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn survives(text: &str, read: impl Fn(&std::sync::Arc<Source>)) {
    let mut chance = Chance(7);
    for _ in 0..1_500 {
        let text = damaged(text, &mut chance);
        let start = Instant::now();
        read(&Source::new("damaged", text.clone()));
        assert!(start.elapsed() < Duration::from_secs(10), "takes long:\n{text}");
    }
}

#[test]
fn clauses_survive() {
    assert!(horn::parse(&Source::new("good", CLAUSES)).is_ok());
    survives(CLAUSES, |source| drop(horn::parse(source)));
}

#[test]
fn armc_survives() {
    assert!(armc::parse(&Source::new("good", ARMC)).is_ok());
    survives(ARMC, |source| drop(armc::parse(source)));
}

#[test]
fn programs_survive() {
    let good = PROGRAM.replace("w ^= 2 ? 1 : 0", "w = n ? 1u : 0");
    let read = c::parse(&Source::new("good", good));
    assert!(read.is_ok(), "{:?}", read.err());
    survives(PROGRAM, |source| drop(c::parse(source)));
}

#[test]
fn certificates_survive() {
    assert!(Certificate::parse(&Source::new("good", CERTIFICATE)).is_ok());
    survives(CERTIFICATE, |source| drop(Certificate::parse(source)));
}

#[test]
fn deep_texts_are_refused_and_not_followed() {
    let deep = |open: &str, inner: &str, close: &str| open.repeat(50_000) + inner + &close.repeat(50_000);
    let horn = format!("(assert {})", deep("(not ", "true", ")"));
    let message = horn::parse(&Source::new("deep", horn)).unwrap_err()[0].message.clone();
    assert_eq!(message, "a term is nested more than 5000 times");
    let lets = format!("(assert {})", deep("(let ((x true)) ", "(and x)", ")"));
    assert!(horn::parse(&Source::new("lets", lets)).is_ok(), "a chain of lets is one level");
    let program = format!("int main(void) {{ return {}; }}", deep("(", "1", ")"));
    let message = c::parse(&Source::new("deep", program)).err().unwrap()[0].message.clone();
    assert_eq!(message, "the program is nested more than 400 times");
    let blocks = format!("int main(void) {}", deep("{", ";", "}"));
    assert!(c::parse(&Source::new("deep", blocks)).is_err());
}

#[test]
fn all_files_of_the_corpora_are_read_or_refused_with_a_reason() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let mut read = 0;
    for name in ["chc/chc25-lia-lin", "chc/svcomp-clauses-lia", "armc"] {
        let Ok(files) = std::fs::read_dir(folder.join(name)) else {
            println!("skipped: there is no ../shared/corpora/{name} beside the workspace");
            continue;
        };
        for path in files.map(|file| file.unwrap().path()) {
            let Some(language) = Language::of(&path) else { continue };
            let source = Source::new(path.display().to_string(), std::fs::read_to_string(&path).unwrap());
            match language.parse(&source) {
                Ok(_) => read += 1,
                Err(errors) => assert_eq!(errors[0].message, "a product of two variables is not linear", "{path:?}"),
            }
        }
    }
    println!("{read} files were read");
}
