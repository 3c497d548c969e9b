//! Measures the networks: messages and bytes per second between two ranks, the time of a round trip, and how many turns
//! per second the simulation takes. Build it with `--release`.
//!
//!     throughput                   threads, and the simulation
//!     mpirun -n 2 throughput       MPI (built with the feature `mpi`)

use dampf_net::thread::{connect, run_all};
use dampf_net::{Process, Rank, SimulationSettings, Transport, Turn, ranks_of_environment, simulate};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Rank 0 sends messages of one size to rank 1, as fast as it may.
#[derive(Clone)]
struct Stream {
    bytes: usize,
    messages: u64,
    /// So many messages may be under way. One makes it a sequence of round trips.
    window: u64,
    sent: u64,
    received: u64,
    /// When the last message was acknowledged, counted from the first turn.
    start: Option<Instant>,
    took: Duration,
}

impl Stream {
    fn new(bytes: usize, messages: u64, window: u64) -> Stream {
        Stream { bytes, messages, window, sent: 0, received: 0, start: None, took: Duration::ZERO }
    }

    /// How many messages one acknowledgement stands for.
    fn acknowledged_at_once(&self) -> u64 {
        (self.window / 4).max(1)
    }

    fn sender_turn(&mut self, network: &mut impl Transport) -> Turn {
        let start = *self.start.get_or_insert_with(Instant::now);
        let mut work = 0;
        while let Ok(Some(_)) = network.receive() {
            self.received += self.acknowledged_at_once();
            work += 1;
        }
        if self.received >= self.messages {
            self.took = start.elapsed();
            return Turn::Done;
        }
        while self.sent < self.messages && self.sent < self.received + self.window {
            network.send(1, vec![1; self.bytes]);
            self.sent += 1;
            work += 1;
        }
        if work == 0 { Turn::Idle } else { Turn::Worked { work } }
    }

    fn receiver_turn(&mut self, network: &mut impl Transport) -> Turn {
        let before = self.received;
        while let Ok(Some((_, message))) = network.receive() {
            assert_eq!(message.len(), self.bytes);
            self.received += 1;
            if self.received.is_multiple_of(self.acknowledged_at_once()) {
                network.send(0, Vec::new());
            }
            if self.received == self.messages {
                return Turn::Done;
            }
        }
        if self.received == before { Turn::Idle } else { Turn::Worked { work: self.received - before } }
    }

    fn print(&self, name: &str) {
        let per_second = self.messages as f64 / self.took.as_secs_f64();
        println!(
            "{name:>7}: {:>9} messages of {:>7} bytes, {:>4} under way: {per_second:>10.0} messages/s {:>8.1} MB/s {:>8.2} us each",
            self.messages,
            self.bytes,
            self.window,
            per_second * self.bytes as f64 / 1e6,
            1e6 / per_second,
        );
    }
}

impl Process for Stream {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        if network.rank() == 0 { self.sender_turn(network) } else { self.receiver_turn(network) }
    }
}

/// The numbers of messages are multiples of what is acknowledged at once.
fn streams() -> [Stream; 5] {
    [
        Stream::new(16, 1 << 20, 1 << 12),
        Stream::new(1 << 10, 1 << 19, 1 << 10),
        Stream::new(1 << 16, 1 << 15, 1 << 6),
        Stream::new(1 << 20, 1 << 11, 1 << 3),
        Stream::new(16, 1 << 16, 1),
    ]
}

/// Tokens that hop from rank to rank for ever.
struct Hops {
    tokens: u32,
    number: u64,
}

impl Process for Hops {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        let set_out = std::mem::take(&mut self.tokens);
        let mut work = u64::from(set_out);
        for _ in 0..set_out {
            self.hop(network, vec![0; 16]);
        }
        while let Ok(Some((_, token))) = network.receive() {
            self.hop(network, token);
            work += 1;
        }
        if work == 0 { Turn::Idle } else { Turn::Worked { work } }
    }
}

impl Hops {
    fn hop(&mut self, network: &mut impl Transport, token: Vec<u8>) {
        self.number = self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(network.rank()) + 1);
        network.send(((self.number >> 33) % u64::from(network.ranks())) as Rank, token);
    }
}

fn measure_simulation(ranks: u64, tokens: u32) {
    let mut processes: Vec<Hops> = (0..ranks).map(|number| Hops { tokens, number }).collect();
    let settings = SimulationSettings { turns_max: 3_000_000, ..SimulationSettings::new(1) };
    let start = Instant::now();
    let outcome = simulate(&mut processes, &settings);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "simulation of {ranks:>5} ranks: {:>10.0} turns/s {:>10.0} messages/s",
        outcome.turns as f64 / seconds,
        outcome.messages() as f64 / seconds,
    );
}

/// Short runs, of which thousands are made in tests.
fn measure_short_simulations() {
    let start = Instant::now();
    let runs: u64 = 20_000;
    let mut turns = 0;
    for seed in 0..runs {
        let mut processes: Vec<Hops> = (0..4).map(|number| Hops { tokens: 2, number }).collect();
        turns +=
            simulate(&mut processes, &SimulationSettings { turns_max: 200, ..SimulationSettings::new(seed) }).turns;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "simulations of 4 ranks and 200 turns: {:.0} runs/s, {:.0} turns/s",
        runs as f64 / seconds,
        turns as f64 / seconds
    );
}

#[cfg(feature = "mpi")]
fn measure_mpi() -> ExitCode {
    let mut transport = match dampf_net::mpi::MpiTransport::start() {
        Ok(transport) if transport.ranks() == 2 => transport,
        Ok(_) => return complain("two ranks are measured"),
        Err(error) => return complain(&error.to_string()),
    };
    for mut stream in streams() {
        dampf_net::run(&mut stream, &mut transport);
        if transport.rank() == 0 {
            stream.print("MPI");
        }
    }
    ExitCode::SUCCESS
}

#[cfg(not(feature = "mpi"))]
fn measure_mpi() -> ExitCode {
    complain("built without the feature `mpi`")
}

fn complain(what: &str) -> ExitCode {
    eprintln!("throughput: {what}");
    ExitCode::from(2)
}

fn main() -> ExitCode {
    if ranks_of_environment().is_some() {
        return measure_mpi();
    }
    for stream in streams() {
        let mut both = [stream.clone(), stream];
        run_all(&mut both);
        both[0].print("threads");
    }
    // Without other threads: what the queue itself costs.
    let mut alone = connect(1).remove(0);
    let start = Instant::now();
    let messages = 1 << 20;
    for _ in 0..messages {
        alone.send(0, vec![1; 16]);
        let _ = alone.receive();
    }
    println!("threads: {:.0} messages/s from a rank to itself", f64::from(messages) / start.elapsed().as_secs_f64());
    for (ranks, tokens) in [(2, 4), (4, 4), (64, 4), (1024, 4)] {
        measure_simulation(ranks, tokens);
    }
    measure_short_simulations();
    ExitCode::SUCCESS
}
