//! Prints how many instructions the machine runs per CPU second, on flat memory: the speed of the run loop itself.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use dampf_rv::decode::Code;
use dampf_rv::machine::{Bus, Exit, Hart, run};

const BASE: u64 = 0x10000;
const MEMORY: usize = 1 << 20;

/// Memory as one piece.
struct Flat {
    bytes: Vec<u8>,
}

impl Bus for Flat {
    type Stop = u64;

    #[inline(always)]
    fn load<const BYTES: usize>(&mut self, address: u64) -> Result<u64, u64> {
        let from = address.wrapping_sub(BASE) as usize;
        let Some(bytes) = self.bytes.get(from..from.wrapping_add(BYTES)) else { return Err(address) };
        let mut value = [0; 8];
        value[..BYTES].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(value))
    }

    #[inline(always)]
    fn store<const BYTES: usize>(&mut self, address: u64, value: u64) -> Result<(), u64> {
        let from = address.wrapping_sub(BASE) as usize;
        let Some(bytes) = self.bytes.get_mut(from..from.wrapping_add(BYTES)) else { return Err(address) };
        bytes.copy_from_slice(&value.to_le_bytes()[..BYTES]);
        Ok(())
    }
}

/// Compiles the C file beside this one to a flat image that starts with `work`.
fn image() -> Option<Vec<u8>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/instruction_rate.c");
    let directory = std::env::temp_dir().join(format!("dampf-instruction-rate-{}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let (elf, flat) = (directory.join("work.elf"), directory.join("work.bin"));
    let compiled = Command::new("riscv64-linux-gnu-gcc")
        .args(["-O2", "-nostdlib", "-static", "-fno-pic", "-mcmodel=medany", "-fno-builtin"])
        .args(["-Wl,-N,-Ttext=0x10000,--no-warn-rwx-segments", "-Wl,--build-id=none", "-Wl,-e,work", "-o"])
        .args([&elf, &source])
        .status()
        .is_ok_and(|status| status.success());
    let copied = compiled
        && Command::new("riscv64-linux-gnu-objcopy")
            .args(["-O", "binary", "--set-section-flags", ".bss=alloc,load,contents"])
            .args([&elf, &flat])
            .status()
            .is_ok_and(|status| status.success());
    let bytes = if copied { std::fs::read(&flat).ok() } else { None };
    // What stays behind in the temporary directory is nobody's loss.
    let _ = std::fs::remove_dir_all(&directory);
    bytes
}

/// The time this process has spent on a CPU, where the system tells; others may be busy on the same one.
fn cpu_time(start: Instant) -> Duration {
    let scheduled = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn main() {
    let start = Instant::now();
    let Some(image) = image() else {
        println!("skipped: riscv64-linux-gnu-gcc and objcopy are needed");
        return;
    };
    let mut memory = image.clone();
    memory.resize(MEMORY, 0);
    let code = Code::new(&[(BASE, &image)]);
    for (kind, name) in ["sieve", "calls", "sort", "matrix"].iter().enumerate() {
        let mut hart = Hart::new(BASE);
        hart.x[2] = BASE + MEMORY as u64;
        hart.x[10] = kind as u64;
        hart.x[11] = 200;
        let mut bus = Flat { bytes: memory.clone() };
        let mut budget = u64::MAX;
        let before = cpu_time(start);
        // Returning to address zero ends the run.
        let exit = run(&mut hart, &code, &mut bus, &mut budget);
        let seconds = (cpu_time(start) - before).as_secs_f64();
        assert_eq!(exit, Exit::NotCode, "at {:#x}", hart.pc);
        let instructions = u64::MAX - budget;
        println!(
            "{name:8} {instructions:>12} instructions {:>8.1} million/s  result {}",
            instructions as f64 / seconds / 1e6,
            hart.x[10]
        );
    }
}
