//! Ranks under MPI, to be started by `mpirun`: what the test of the MPI transport runs.
//!
//!     mpirun -n 3 ring             tokens wander until they are home
//!     mpirun -n 3 ring pieces      the same, and all messages but the smallest travel in pieces
//!     mpirun -n 3 ring threads     the same with several ranks in each process
//!     mpirun -n 3 ring ring        a large message goes round
//!     mpirun -n 3 ring unread      large messages are sent to ranks that have ended already
//!     mpirun -n 3 ring panic       the last rank panics, and the others wait for it
//!     mpirun -n 3 ring abort       the last rank gives up, and the others wait for it
//!     mpirun -n 3 ring forever     all wait, until somebody kills one of them

#[path = "../tests/wanderers/mod.rs"]
mod wanderers;

use dampf_net::mpi::MpiTransport;
use dampf_net::{Rank, Transport, host, ranks_of_environment, run};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use wanderers::Wanderers;

const TOKENS: u64 = 200;
const HOPS: u32 = 50;
const LARGE_BYTES: usize = 5_000_000;

fn main() -> ExitCode {
    let Some(expected) = ranks_of_environment() else {
        eprintln!("ring: start this with mpirun");
        return ExitCode::from(2);
    };
    let mut transport = match MpiTransport::start() {
        Ok(transport) => transport,
        Err(error) => {
            eprintln!("ring: {error}");
            return ExitCode::from(2);
        }
    };
    assert_eq!(transport.ranks(), expected, "the environment and MPI say how many ranks there are");
    match std::env::args().nth(1).as_deref() {
        None => wander(&mut transport),
        Some("pieces") => {
            transport.set_piece_bytes_max(100);
            wander(&mut transport);
        }
        Some("threads") => {
            wander_on_threads(transport);
            return ExitCode::SUCCESS;
        }
        Some("ring") => go_round(&mut transport),
        Some("unread") => send_unread(&mut transport),
        Some("panic") => {
            assert_ne!(transport.rank() + 1, transport.ranks(), "the last rank panics");
            wait_for_message(&mut transport);
        }
        Some("abort") => {
            if transport.rank() + 1 == transport.ranks() {
                transport.abort(7);
            }
            wait_for_message(&mut transport);
        }
        Some("forever") => {
            println!("rank {} is process {}", transport.rank(), std::process::id());
            wait_for_message(&mut transport);
        }
        Some(other) => eprintln!("ring: what is {other}?"),
    }
    transport.finish();
    ExitCode::SUCCESS
}

fn wander(transport: &mut MpiTransport) {
    let mut wanderers = Wanderers::new(TOKENS, HOPS);
    run(&mut wanderers, transport);
    if transport.rank() == 0 {
        println!("{} tokens are home", wanderers.home);
    }
}

/// Two ranks in the first process, three in the second, four in the third.
fn wander_on_threads(transport: MpiTransport) {
    let ranks = transport.rank() + 2;
    let (mut post, mut transports) = host(transport, ranks);
    let mut wanderers = vec![Wanderers::new(TOKENS, HOPS); transports.len()];
    thread::scope(|scope| {
        let ranks = wanderers.iter_mut().zip(&mut transports);
        let threads: Vec<_> = ranks.map(|(wanderer, network)| scope.spawn(|| run(wanderer, network))).collect();
        post.carry(|| threads.iter().all(|thread| thread.is_finished()));
    });
    if post.process() == 0 {
        println!("{} tokens are home", wanderers[0].home);
    }
}

fn wait_for_message(transport: &mut MpiTransport) -> (Rank, Vec<u8>) {
    loop {
        if let Some(message) = transport.receive().expect("MPI does not report losses") {
            return message;
        }
        transport.wait(Duration::from_millis(100));
    }
}

/// Every rank adds itself to a message that is too large for MPI to copy it aside.
fn go_round(transport: &mut MpiTransport) {
    let (rank, ranks) = (transport.rank(), transport.ranks());
    let next = (rank + 1) % ranks;
    if rank == 0 {
        transport.send(next, vec![0; LARGE_BYTES]);
    }
    let (from, mut message) = wait_for_message(transport);
    assert_eq!(from, (rank + ranks - 1) % ranks);
    assert_eq!(message.len(), LARGE_BYTES + rank.checked_sub(1).unwrap_or(ranks - 1) as usize);
    if rank == 0 {
        println!("the message has seen {} ranks", message.len() - LARGE_BYTES);
    } else {
        message.push(rank as u8);
        transport.send(next, message);
    }
}

/// All send to all, and nobody receives.
fn send_unread(transport: &mut MpiTransport) {
    for to in 0..transport.ranks() {
        for bytes in [0, 10, LARGE_BYTES] {
            transport.send(to, vec![1; bytes]);
        }
    }
    println!("rank {} has {} sends under way", transport.rank(), transport.sends_under_way());
}
