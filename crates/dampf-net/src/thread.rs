//! Ranks as threads of one process.
//!
//! Each rank has one unbounded queue into which all others put their messages. A queue keeps the order of what one
//! thread puts in, which is the order per pair that the network promises.
//!
//! A rank ends in order when its transport is dropped, and nobody is told. A rank whose thread panics is lost: its
//! transport is dropped while the thread unwinds, and puts a last notice into every queue, behind its messages. For
//! this a transport has to be owned by the thread that uses it, which [`run_all`] sees to.

use crate::{Lost, Process, Rank, Transport, run};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// Something on its way from one rank to another.
pub(crate) struct Letter {
    pub from: Rank,
    pub to: Rank,
    pub content: Content,
}

pub(crate) enum Content {
    Message(Vec<u8>),
    /// The sender has died.
    Loss,
}

/// The end of the network that one thread holds.
pub struct ThreadTransport {
    rank: Rank,
    /// By rank, the queue of its letters: its own, or that of whoever passes them on to another process. The own one is
    /// among them, so that it stays open when all others have ended.
    queues: Arc<[Sender<Letter>]>,
    inbox: Receiver<Letter>,
    /// What ended the last wait; comes before everything in the queue.
    woken_for: Option<Letter>,
}

/// A network of this many ranks. Each transport belongs to the thread that is to be its rank.
pub fn connect(ranks: Rank) -> Vec<ThreadTransport> {
    let (queues, inboxes): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let queues: Arc<[_]> = queues.into();
    (0..ranks).zip(inboxes).map(|(rank, inbox)| ThreadTransport::new(rank, Arc::clone(&queues), inbox)).collect()
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

impl ThreadTransport {
    pub(crate) fn new(rank: Rank, queues: Arc<[Sender<Letter>]>, inbox: Receiver<Letter>) -> ThreadTransport {
        ThreadTransport { rank, queues, inbox, woken_for: None }
    }

    fn post(&self, to: Rank, content: Content) {
        // A queue that is closed is that of a rank that has ended. If it did not end in order, its notice is on the
        // way.
        let _ = self.queues[to as usize].send(Letter { from: self.rank, to, content });
    }
}

impl Transport for ThreadTransport {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> Rank {
        self.queues.len() as Rank
    }

    fn send(&mut self, to: Rank, message: Vec<u8>) {
        self.post(to, Content::Message(message));
    }

    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost> {
        let Some(letter) = self.woken_for.take().or_else(|| self.inbox.try_recv().ok()) else {
            return Ok(None);
        };
        match letter.content {
            Content::Message(message) => Ok(Some((letter.from, message))),
            Content::Loss => Err(Lost { rank: letter.from }),
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
            (0..self.ranks()).filter(|rank| *rank != self.rank).for_each(|rank| self.post(rank, Content::Loss));
        }
    }
}
