//! Ranks as threads of one process.
//!
//! Each rank has one unbounded queue into which all others put their messages. A queue keeps the order of what one
//! thread puts in, which is the order per pair that the network promises.
//!
//! A rank ends in order when its transport is dropped, and nobody is told. A rank whose thread panics is lost: its
//! transport is dropped while the thread unwinds, and puts a last notice into every queue, behind its messages. For this
//! a transport has to be owned by the thread that uses it, which [`run_all`] sees to.

use crate::{Lost, Process, Rank, Transport, run};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

enum Content {
    Message(Vec<u8>),
    /// The sender has died.
    Loss,
}

/// The end of the network that one thread holds.
pub struct ThreadTransport {
    rank: Rank,
    /// The queues of all ranks. The own one is among them, so that it stays open when all others have ended.
    queues: Arc<[Sender<(Rank, Content)>]>,
    inbox: Receiver<(Rank, Content)>,
    /// What ended the last wait; comes before everything in the queue.
    woken_for: Option<(Rank, Content)>,
}

/// A network of this many ranks. Each transport belongs to the thread that is to be its rank.
pub fn connect(ranks: Rank) -> Vec<ThreadTransport> {
    let (queues, inboxes): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let queues: Arc<[_]> = queues.into();
    let transport = |(rank, inbox)| ThreadTransport { rank, queues: Arc::clone(&queues), inbox, woken_for: None };
    (0..ranks).zip(inboxes).map(transport).collect()
}

/// Runs every process as a rank on a thread of its own until all are done.
///
/// If one panics, it is lost to the others, and the panic goes on here when they have ended.
pub fn run_all<P: Process + Send>(processes: &mut [P]) {
    let ranks = Rank::try_from(processes.len()).expect("there are fewer ranks than numbers for them");
    thread::scope(|scope| {
        for (process, mut transport) in processes.iter_mut().zip(connect(ranks)) {
            scope.spawn(move || run(process, &mut transport));
        }
    });
}

impl Transport for ThreadTransport {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> Rank {
        self.queues.len() as Rank
    }

    fn send(&mut self, to: Rank, message: Vec<u8>) {
        // A queue that is closed is that of a rank that has ended. If it did not end in order, its notice is on the way.
        let _ = self.queues[to as usize].send((self.rank, Content::Message(message)));
    }

    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost> {
        let Some((from, content)) = self.woken_for.take().or_else(|| self.inbox.try_recv().ok()) else {
            return Ok(None);
        };
        match content {
            Content::Message(message) => Ok(Some((from, message))),
            Content::Loss => Err(Lost { rank: from }),
        }
    }

    fn wait(&mut self, at_most: Duration) {
        if self.woken_for.is_none() {
            self.woken_for = self.inbox.recv_timeout(at_most).ok();
        }
    }
}

impl Drop for ThreadTransport {
    fn drop(&mut self) {
        if thread::panicking() {
            for (_, queue) in self.queues.iter().enumerate().filter(|(rank, _)| *rank != self.rank as usize) {
                let _ = queue.send((self.rank, Content::Loss));
            }
        }
    }
}
