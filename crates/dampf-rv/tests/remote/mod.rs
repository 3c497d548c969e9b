//! A program that stands still: `qemu-riscv64` runs it and serves its registers and memory by the remote protocol of
//! gdb.
#![allow(dead_code)]

use std::cell::RefCell;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dampf_rv::debug::Registers;

pub struct Stopped {
    qemu: Child,
    stream: RefCell<UnixStream>,
    breakpoint: Option<u64>,
}

impl Stopped {
    /// Starts a program, or says why the test does not run. `name` must be used by one test only.
    pub fn start(name: &str, program: &Path) -> Option<Stopped> {
        let socket = std::env::temp_dir().join(format!("dampf-rv-{}-{name}", std::process::id()));
        let qemu = Command::new("qemu-riscv64").arg("-g").arg(&socket).arg(program).stdout(Stdio::null()).spawn();
        let Ok(qemu) = qemu else {
            println!("skipped: qemu-riscv64 is not installed");
            return None;
        };
        let begin = Instant::now();
        let stream = loop {
            match UnixStream::connect(&socket) {
                Ok(stream) => break stream,
                Err(error) => assert!(begin.elapsed() < Duration::from_secs(20), "qemu does not listen: {error}"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        std::fs::remove_file(&socket).expect("the socket was there");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a valid timeout");
        let stopped = Stopped { qemu, stream: RefCell::new(stream), breakpoint: None };
        // qemu serves single registers only to somebody who has asked for their description.
        stopped.ask("qXfer:features:read:target.xml:0,ffb");
        Some(stopped)
    }

    fn ask(&self, question: &str) -> String {
        let mut stream = self.stream.borrow_mut();
        let sum = question.bytes().fold(0u8, u8::wrapping_add);
        stream.write_all(format!("${question}#{sum:02x}").as_bytes()).expect("qemu listens");
        let mut answer = Vec::new();
        let mut byte = [0];
        loop {
            stream.read_exact(&mut byte).expect("qemu answers");
            match byte[0] {
                b'+' if answer.is_empty() => continue,
                b'$' => answer.clear(),
                b'#' => break,
                other => answer.push(other),
            }
        }
        stream.read_exact(&mut [0, 0]).expect("a checksum");
        stream.write_all(b"+").expect("qemu listens");
        String::from_utf8(answer).expect("the protocol is text")
    }

    pub fn break_at(&mut self, address: u64) {
        assert_eq!(self.ask(&format!("Z0,{address:x},2")), "OK");
        self.breakpoint = Some(address);
    }

    /// Runs to the next breakpoint or signal; false if the program ended.
    pub fn go_on(&self) -> bool {
        // A program that stands at a breakpoint would stop there again at once.
        if let Some(address) = self.breakpoint {
            assert_eq!(self.ask(&format!("z0,{address:x},2")), "OK");
            self.ask("s");
            assert_eq!(self.ask(&format!("Z0,{address:x},2")), "OK");
        }
        self.ask("c").starts_with('T')
    }

    pub fn registers(&self) -> Registers {
        let all = bytes_of(&self.ask("g"));
        let word = |index: usize| u64::from_le_bytes(all[index * 8..index * 8 + 8].try_into().expect("eight bytes"));
        let float = |index: usize| {
            let bytes = bytes_of(&self.ask(&format!("p{:x}", 33 + index)));
            u64::from_le_bytes(bytes.try_into().expect("a register of eight bytes"))
        };
        Registers::new(word(32), &std::array::from_fn(word), &std::array::from_fn(float))
    }

    pub fn read(&self, address: u64, buffer: &mut [u8]) -> bool {
        let answer = self.ask(&format!("m{address:x},{:x}", buffer.len()));
        let bytes = bytes_of(&answer);
        let complete = !answer.starts_with('E') && bytes.len() == buffer.len();
        if complete {
            buffer.copy_from_slice(&bytes);
        }
        complete
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2);
    digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
