//! A simulated network: thousands of ranks in one thread, and the same run again for the same seed.
//!
//! Every rank has a clock. The rank with the least clock that has something to do takes its turn, which moves its clock
//! on by what the turn cost; a rank that is idle sleeps until something arrives. So turns happen in the order of
//! simulated time, and a message cannot be sent into the past of its receiver: it leaves when its sender's turn ends,
//! which is not before the turn that is taken now. What is left to chance, delays and ties, comes from one seed.
//!
//! The heap of wake-ups holds ranks and not messages, one for each turn; a message goes straight into the inbox of its
//! receiver and costs the heap something only if it wakes the receiver. A wake-up that an earlier arrival has overtaken
//! is left in the heap and recognised when it comes up.
//!
//! Invariants: the times that leave the heap never decrease; arrivals from one rank at another are in the order in
//! which they were sent, the notice of a loss last.

mod inbox;
mod outcome;
mod random;
mod settings;

pub use outcome::{Account, Ending, Outcome};
pub use settings::{MICROSECOND, MILLISECOND, NANOSECOND, SECOND, SimulationSettings, Time};

use crate::{Process, Rank, Turn};
use inbox::{Arrival, Inbox, SimulatedTransport};
use random::Random;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Takes the turns of all processes, each being the rank of its index, until they are done, or stuck, or out of turns.
pub fn simulate<P: Process>(processes: &mut [P], settings: &SimulationSettings) -> Outcome {
    let mut simulation = Simulation::new(processes.len(), settings);
    let ending = simulation.run(processes);
    simulation.outcome(ending)
}

/// When a rank wakes up; the second number decides between ranks that do so at the same time.
type Wake = (Time, u64);

/// Stands for the death of a rank among the ranks in the heap.
const LOSS: usize = usize::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Alive,
    Done,
    Lost,
}

struct Node {
    life: Life,
    /// The end of the last turn.
    clock: Time,
    /// The one entry of the heap that counts. None while a turn is taken, and for a rank that sleeps with nothing under
    /// way to it.
    wake: Option<Wake>,
    inbox: Inbox,
    /// When the last message that was sent has left.
    port_free: Time,
    /// By receiver, when the last message to it arrives. Empty until something is sent, and as long as nothing can be
    /// out of order.
    last_arrivals: Vec<Time>,
    account: Account,
}

struct Simulation<'s> {
    settings: &'s SimulationSettings,
    random: Random,
    heap: BinaryHeap<Reverse<(Wake, usize)>>,
    nodes: Vec<Node>,
    /// The ranks that are neither done nor lost.
    alive: usize,
    turns: u64,
    deliveries: u64,
    undelivered: u64,
    /// What the current turn sends; kept for its capacity.
    outgoing: Vec<(Rank, Vec<u8>)>,
}

impl<'s> Simulation<'s> {
    fn new(ranks: usize, settings: &'s SimulationSettings) -> Self {
        let node = || Node {
            life: Life::Alive,
            clock: 0,
            wake: None,
            inbox: Inbox::default(),
            port_free: 0,
            last_arrivals: Vec::new(),
            account: Account::default(),
        };
        Simulation {
            settings,
            random: Random::new(settings.seed),
            heap: BinaryHeap::with_capacity(ranks + 1),
            nodes: std::iter::repeat_with(node).take(ranks).collect(),
            alive: ranks,
            turns: 0,
            deliveries: 0,
            undelivered: 0,
            outgoing: Vec::new(),
        }
    }

    fn run<P: Process>(&mut self, processes: &mut [P]) -> Ending {
        for rank in 0..self.nodes.len() {
            self.schedule(rank, 0);
        }
        if let Some((_, time)) = self.loss() {
            // Before all turns that begin at this time.
            self.heap.push(Reverse(((time, 0), LOSS)));
        }
        while self.alive > 0 {
            let Some(Reverse((wake, rank))) = self.heap.pop() else { return Ending::Stuck };
            if rank == LOSS {
                self.lose();
            } else if self.nodes[rank].wake == Some(wake) {
                if self.turns == self.settings.turns_max {
                    return Ending::TurnsExhausted;
                }
                self.turn(&mut processes[rank], rank, wake.0);
            }
        }
        Ending::Finished
    }

    /// The rank that is to die, and when.
    fn loss(&self) -> Option<(usize, Time)> {
        let (rank, time) = self.settings.lose?;
        Some((rank as usize, time)).filter(|(rank, _)| *rank < self.nodes.len())
    }

    fn schedule(&mut self, rank: usize, time: Time) {
        let wake = (time, self.random.next_number());
        self.nodes[rank].wake = Some(wake);
        self.heap.push(Reverse((wake, rank)));
    }

    fn turn<P: Process>(&mut self, process: &mut P, rank: usize, start: Time) {
        self.turns += 1;
        let ranks = self.nodes.len() as Rank;
        let node = &mut self.nodes[rank];
        node.wake = None;
        let mut transport = SimulatedTransport {
            rank: rank as Rank,
            ranks,
            now: start,
            inbox: &mut node.inbox,
            outgoing: &mut self.outgoing,
            messages_received: 0,
            bytes_received: 0,
        };
        let turn = process.turn(&mut transport);
        let (messages_received, bytes_received) = (transport.messages_received, transport.bytes_received);
        let account = &mut node.account;
        account.turns += 1;
        account.messages_received += messages_received;
        account.bytes_received += bytes_received;
        account.idle += start - node.clock;

        let work = if let Turn::Worked { work } = turn { work } else { 0 };
        let end = start
            .saturating_add(self.settings.cost_per_turn.max(1))
            .saturating_add(self.settings.overhead.saturating_mul(messages_received))
            .saturating_add(self.settings.cost_per_work.saturating_mul(work));
        let end = self.send_all(rank, end);
        self.nodes[rank].account.busy += end - start;
        self.nodes[rank].clock = end;
        self.after_turn(rank, turn);
    }

    fn after_turn(&mut self, rank: usize, turn: Turn) {
        let dies = self.loss().filter(|(lost, _)| *lost == rank).map(|(_, time)| time);
        let node = &mut self.nodes[rank];
        let next = match turn {
            // It dies before this turn ends; nothing comes after that.
            _ if dies.is_some_and(|time| time <= node.clock) => None,
            Turn::Worked { .. } => Some(node.clock),
            Turn::Idle => node.inbox.next_time().map(|arrival| arrival.max(node.clock)),
            Turn::Done => {
                node.life = Life::Done;
                node.account.finished = Some(node.clock);
                self.alive -= 1;
                None
            }
        };
        if let Some(time) = next {
            self.schedule(rank, time);
        }
    }

    /// Sends everything that the turn has handed over, one after the other. Returns when the sender is through.
    fn send_all(&mut self, from: usize, start: Time) -> Time {
        let mut outgoing = std::mem::take(&mut self.outgoing);
        let mut clock = start;
        for (to, message) in outgoing.drain(..) {
            clock = clock.saturating_add(self.settings.overhead);
            // What a rank had not handed to the network when it died was never sent.
            if self.loss().is_none_or(|(lost, time)| lost != from || clock < time) {
                self.send(from, to as usize, message, clock);
            }
        }
        self.outgoing = outgoing;
        clock
    }

    fn send(&mut self, from: usize, to: usize, message: Vec<u8>, now: Time) {
        let bytes = message.len() as u64;
        let node = &mut self.nodes[from];
        node.account.messages_sent += 1;
        node.account.bytes_sent += bytes;
        let departure = node.port_free.max(now).saturating_add(self.settings.gap_per_byte.saturating_mul(bytes));
        node.port_free = departure;
        let arrival = departure.saturating_add(self.settings.latency);
        if self.nodes[to].life == Life::Alive {
            self.deliver(from, to, arrival, Some(message));
        } else {
            self.undelivered += 1;
        }
    }

    /// Puts something into an inbox, after a delay of its own but not before what was sent earlier, and wakes the
    /// receiver in time.
    fn deliver(&mut self, from: usize, to: usize, arrival: Time, message: Option<Vec<u8>>) {
        let mut time = arrival;
        if self.settings.delay_max > 0 || self.settings.lose.is_some() {
            time = time.saturating_add(self.random.up_to(self.settings.delay_max));
            let ranks = self.nodes.len();
            let last_arrivals = &mut self.nodes[from].last_arrivals;
            last_arrivals.resize(ranks, 0);
            time = time.max(last_arrivals[to]);
            last_arrivals[to] = time;
        }
        self.deliveries += 1;
        let node = &mut self.nodes[to];
        node.inbox.put(Arrival { time, number: self.deliveries, from: from as Rank, message });
        let wake = time.max(node.clock);
        // A rank that sends to itself takes its turn right now, and looks into its inbox afterwards.
        if from != to && node.wake.is_none_or(|(planned, _)| wake < planned) {
            self.schedule(to, wake);
        }
    }

    /// The rank that is to die does, unless it was done before.
    fn lose(&mut self) {
        let Some((lost, time)) = self.loss() else { return };
        let node = &mut self.nodes[lost];
        if node.life != Life::Alive {
            return;
        }
        node.life = Life::Lost;
        node.wake = None;
        self.undelivered += node.inbox.messages();
        node.inbox = Inbox::default();
        // The turn that it took last may not have come to its end.
        node.account.busy -= node.clock.saturating_sub(time);
        node.account.idle += time.saturating_sub(node.clock);
        node.clock = time;
        self.alive -= 1;
        let noticed = time.saturating_add(self.settings.detection_delay);
        for rank in 0..self.nodes.len() {
            if self.nodes[rank].life == Life::Alive {
                self.deliver(lost, rank, noticed, None);
            }
        }
    }

    fn outcome(self, ending: Ending) -> Outcome {
        let makespan = self.nodes.iter().map(|node| node.clock).max().unwrap_or(0);
        let lost = self.nodes.iter().position(|node| node.life == Life::Lost);
        let left_over: u64 = self.nodes.iter().map(|node| node.inbox.messages()).sum();
        let account = |mut node: Node| {
            if node.life == Life::Alive {
                node.account.idle += makespan - node.clock;
            }
            node.account
        };
        Outcome {
            ending,
            makespan,
            turns: self.turns,
            messages_undelivered: self.undelivered + left_over,
            lost: lost.map(|rank| rank as Rank),
            accounts: self.nodes.into_iter().map(account).collect(),
        }
    }
}
