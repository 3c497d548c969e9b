//! Several ranks in each process of a network.
//!
//! The ranks of a process are threads, and talk to each other as such. What is meant for a rank of another process goes
//! to one more thread, the [`Post`], which alone uses the network that connects the processes: MPI wants to be called
//! by one thread. So a process has one connection to each other process, however many ranks it hosts.
//!
//! Ranks are numbered through, process by process. How many each process hosts, they tell each other at the beginning:
//! it may be as many as it has cores, and machines differ.

use crate::thread::{Content, Letter, ThreadTransport};
use crate::{Rank, Transport};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How long the post sleeps when there is nothing to carry: the first time, and the longest. A letter of this process
/// ends the sleep, one that comes from another does not.
const SLEEP_MIN: Duration = Duration::from_micros(8);
const SLEEP_MAX: Duration = Duration::from_micros(256);

/// What carries letters between the ranks of this process and those of others.
pub struct Post<T> {
    processes: T,
    /// By process, the ranks that it hosts.
    hosted: Vec<Range<Rank>>,
    /// The queues of the ranks here.
    inboxes: Vec<Sender<Letter>>,
    outgoing: Receiver<Letter>,
}

/// Makes this process the host of so many ranks, at least one. All processes of the network call this, and it returns
/// when all have. Each transport belongs to the thread that is to be its rank; [`Post::carry`] has to run while they
/// talk.
///
/// # Panics
///
/// If a process is lost before it has said how many ranks it hosts.
pub fn host<T: Transport>(mut processes: T, ranks: Rank) -> (Post<T>, Vec<ThreadTransport>) {
    assert!(ranks > 0, "a process without ranks takes no part");
    let (hosted, early) = introduce(&mut processes, ranks);
    let (inboxes, receivers): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let (to_post, outgoing) = channel();
    let here = hosted[processes.rank() as usize].clone();
    let queue = |rank: Rank| match here.contains(&rank) {
        true => inboxes[(rank - here.start) as usize].clone(),
        false => Sender::clone(&to_post),
    };
    let all = hosted.last().expect("this process at least").end;
    let queues: Arc<[_]> = (0..all).map(queue).collect();
    let transports = here
        .clone()
        .zip(receivers)
        .map(|(rank, inbox)| ThreadTransport::new(rank, Arc::clone(&queues), inbox))
        .collect();
    let post = Post { processes, hosted, inboxes, outgoing };
    early.into_iter().for_each(|message| post.deliver(message));
    (post, transports)
}

/// Learns how many ranks each process hosts. A process that knows may begin before this one does: what it sends already
/// comes second.
fn introduce<T: Transport>(processes: &mut T, ranks: Rank) -> (Vec<Range<Rank>>, Vec<Vec<u8>>) {
    let me = processes.rank();
    let mut counts = vec![None; processes.ranks() as usize];
    let mut early = Vec::new();
    counts[me as usize] = Some(ranks);
    (0..processes.ranks()).filter(|process| *process != me).for_each(|process| {
        processes.send(process, ranks.to_le_bytes().to_vec());
    });
    while counts.contains(&None) {
        match processes.receive().unwrap_or_else(|lost| panic!("process {} is gone before it began", lost.rank)) {
            None => processes.wait(SLEEP_MAX),
            Some((from, message)) => match &mut counts[from as usize] {
                Some(_) => early.push(message),
                count => *count = Some(Rank::from_le_bytes(message.try_into().expect("a number of ranks comes first"))),
            },
        }
    }
    let mut end = 0;
    let hosted = counts.into_iter().flatten().map(|count| {
        end += count;
        end - count..end
    });
    (hosted.collect(), early)
}

impl<T: Transport> Post<T> {
    pub fn process(&self) -> Rank {
        self.processes.rank()
    }

    pub fn processes(&self) -> Rank {
        self.processes.ranks()
    }

    /// Carries letters until it `is_over` for the ranks here, and everything that they sent before is on its way.
    pub fn carry(&mut self, is_over: impl Fn() -> bool) {
        let mut sleep = SLEEP_MIN;
        loop {
            // Asked first: what the ranks have sent until then is in the queue now.
            let over = is_over();
            let mut carried = false;
            while let Ok(letter) = self.outgoing.try_recv() {
                self.send(letter);
                carried = true;
            }
            carried |= self.deliver_arrived();
            if over {
                return;
            }
            sleep = if carried { SLEEP_MIN } else { (sleep * 2).min(SLEEP_MAX) };
            if !carried && let Ok(letter) = self.outgoing.recv_timeout(sleep) {
                self.send(letter);
            }
        }
    }

    fn send(&mut self, Letter { from, to, content }: Letter) {
        // The panic of a rank here goes on through this process, and the others notice by that.
        let Content::Message(mut message) = content else { return };
        let process = self.hosted.partition_point(|ranks| ranks.end <= to) as Rank;
        message.extend(from.to_le_bytes());
        message.extend(to.to_le_bytes());
        self.processes.send(process, message);
    }

    fn deliver_arrived(&mut self) -> bool {
        let mut arrived = false;
        loop {
            match self.processes.receive() {
                Ok(None) => return arrived,
                Ok(Some((_, message))) => self.deliver(message),
                Err(lost) => self.deliver_loss(lost.rank),
            }
            arrived = true;
        }
    }

    /// Gives a message to the rank that it is for: that, and who sent it, is at its end.
    fn deliver(&self, mut message: Vec<u8>) {
        let mut last = || {
            let bytes = message.split_off(message.len() - size_of::<Rank>());
            Rank::from_le_bytes(bytes.try_into().expect("as many bytes as were split off"))
        };
        let (to, from) = (last(), last());
        self.put(Letter { from, to, content: Content::Message(message) });
    }

    fn deliver_loss(&self, process: Rank) {
        for from in self.hosted[process as usize].clone() {
            let here = self.hosted[self.process() as usize].clone();
            here.for_each(|to| self.put(Letter { from, to, content: Content::Loss }));
        }
    }

    fn put(&self, letter: Letter) {
        let first = self.hosted[self.process() as usize].start;
        // A queue that is closed is that of a rank that has ended.
        let _ = self.inboxes[(letter.to - first) as usize].send(letter);
    }
}
