mod toolchain;
use dampf_rv::debug::*; use dampf_rv::image::*;
use std::time::Instant;
fn interrogate(bytes: &[u8], bias: u64, points: &[u64]) {
    let _ = Image::load(bytes);
    let debug = DebugInfo::load(bytes, bias);
    let _ = debug.user_code();
    for variable in debug.globals().iter().take(200) {
        let _ = debug.name_address(variable.address.wrapping_add(variable.size / 2));
        let _ = debug.type_name(variable.ty);
        let _ = debug.render(variable.ty, &[0x41; 64]);
        let _ = debug.path(variable.ty, 5);
    }
    let memory = |address: u64, buffer: &mut [u8]| { buffer.fill(address as u8 & 0x10); address & 0x1000 == 0 };
    for &pc in points {
        let _ = debug.frames(pc);
        let integer = std::array::from_fn(|index| 0x10000 + index as u64 * 16);
        let registers = Registers::new(pc, &integer, &[0; 32]);
        for local in debug.locals(pc) {
            let _ = debug.read_local(&local, &registers, &memory);
            let _ = debug.render(local.ty, &[1; 32]);
        }
        let _ = debug.unwind(&registers, &memory);
    }
}
#[test]
fn fuzz() {
    let seconds: u64 = std::env::var("FUZZ").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let begin = Instant::now();
    let mut random = toolchain::Random(std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(88172645463325252));
    let mut programs = vec![];
    for (i,(s,a)) in [("freestanding.c", vec!["-g","-O2","-static","-nostdlib"]),("freestanding.c", vec!["-g","-gdwarf-4","-O1","-static","-nostdlib"]),("shapes.cc", vec!["-g","-O1","-static"])].into_iter().enumerate() {
        let p = toolchain::compile(&format!("fuzz{i}"), s, &a).unwrap();
        let image = Image::load(&p.bytes).unwrap();
        let names: &[&str] = if i<2 { &["_start","twice"] } else { &["main","_Z7recursei","malloc"] };
        let points: Vec<u64> = names.iter().flat_map(|n| { let a=image.address_of(n).unwrap(); [a,a+10,a+24] }).collect();
        let begins = if i<2 {0x1000} else { image.segments.iter().map(|s| s.bytes.len()).sum::<usize>() };
        programs.push((p.bytes, points, begins));
    }
    let mut n=0u64; let mut slow=0.0f64;
    while begin.elapsed().as_secs() < seconds {
        let r = random.below(10); let k = if r<5 {0} else if r<9 {1} else {2};
        let (original, points, begins) = &programs[k];
        let mut bytes = original.clone();
        for _ in 0..1+random.below(12) {
            let len=bytes.len();
            let mut pos = if random.below(4)==0 { random.below(len) } else { begins + random.below(len-begins) };
            let run = 1 + random.below(8);
            let kind = random.below(6);
            let src = random.below(len-16);
            for j in 0..run { if pos>=len {break} bytes[pos] = match kind { 0=>0xff, 1=>0, 2=>random.below(256) as u8, 3=>0x80, 4=>original[src+j], _=>bytes[pos].wrapping_add(1) }; pos+=1; }
        }
        let t=Instant::now();
        let b2=bytes.clone();
        let result=std::panic::catch_unwind(|| interrogate(&bytes, 0, points));
        let e=t.elapsed().as_secs_f64();
        if e>slow { slow=e; println!("slowest {e} at {n} k{k}"); if e>1.0 { std::fs::write(format!("/tmp/dw/slow{n}"), &b2).unwrap(); } }
        if result.is_err() { std::fs::write(format!("/tmp/dw/crash{n}"), &b2).unwrap(); println!("CRASH {n} k{k}"); }
        n+=1;
    }
    println!("{n} runs, slowest {slow}");
}
