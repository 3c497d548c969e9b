//! Ranks as processes of an MPI run: the feature `mpi`.
//!
//! Nothing here ever blocks in MPI before the end. A send is immediate, and its buffer is kept until MPI is through
//! with it; a receive takes what a probe has found, also immediately, since a large message comes only when its sender
//! next calls MPI. MPI promises that messages between two ranks do not overtake each other, and what is matched first
//! from a sender is delivered first here.
//!
//! MPI counts bytes in an `int`. A larger message travels in pieces, all but the last marked by their tag.
//!
//! The end is orderly: a rank first gets its own messages through, then says so in a barrier, and takes in what is
//! still coming (and throws it away) until all have said so. A rank that panics aborts the run instead. A rank that is
//! killed is noticed by the launcher, which ends all others: [`Lost`] is never said here, because the MPI of today
//! cannot go on without a rank.

use crate::{Lost, Rank, Transport};
use ::mpi::environment::{Universe, initialize_with_threading};
use ::mpi::point_to_point::{Destination, Message, Source};
use ::mpi::request::{Request, StaticScope};
use ::mpi::topology::{Communicator, SimpleCommunicator};
use ::mpi::traits::{CommunicatorCollectives, Equivalence};
use ::mpi::{Tag, Threading};
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// The tag of a message's last piece, and most messages have one.
const LAST: Tag = 0;
/// The tag of a piece that is followed by another of the same message.
const MORE: Tag = 1;

/// What MPI is given at once. Less than an `int` can count, so that there is no doubt about limits.
const PIECE_BYTES_MAX: usize = 1 << 30;

/// So many sends to one receiver are given to MPI before the first of them is complete; the others wait here. Open MPI
/// looks at all sends that it cannot do yet in every call, so thousands of them would make everything slow.
const SENDING_MAX: usize = 16;

/// So many receives are under way at the same time. More would hold memory for messages that are not wanted yet.
const ARRIVING_MAX: usize = 8;

/// The exit status of all ranks after one of them panicked: what Rust gives a process whose main thread does.
const STATUS_OF_PANIC: i32 = 101;

/// Why MPI could not be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartError {
    /// A process can start MPI once.
    AlreadyStarted,
    /// This MPI allows no threads besides the one that talks.
    NoThreads,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StartError::AlreadyStarted => "MPI was started before in this process",
            StartError::NoThreads => "this MPI does not allow a process to have threads",
        })
    }
}

impl std::error::Error for StartError {}

/// A request of MPI's together with the buffer that it works on.
struct Transfer {
    /// None once it is complete.
    request: Option<Request<'static, [u8]>>,
    /// Neither touched nor dropped before the request is complete; `request` says that it is borrowed for ever.
    buffer: Vec<u8>,
}

impl Transfer {
    fn send(buffer: Vec<u8>, to: &impl Destination, tag: Tag) -> Transfer {
        // SAFETY: the bytes stay where they are when the vector is moved, and the vector is given out and dropped only
        // after the request is complete (see `is_complete`, `into_buffer` and `drop`).
        let borrowed: &'static [u8] = unsafe { std::slice::from_raw_parts(buffer.as_ptr(), buffer.len()) };
        Transfer { request: Some(to.immediate_send_with_tag(StaticScope, borrowed, tag)), buffer }
    }

    fn receive(mut buffer: Vec<u8>, message: Message) -> Transfer {
        // SAFETY: as in `send`; and nobody else looks at the bytes before the request is complete.
        let borrowed: &'static mut [u8] = unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr(), buffer.len()) };
        Transfer { request: Some(message.immediate_matched_receive_into(StaticScope, borrowed)), buffer }
    }

    fn is_complete(&mut self) -> bool {
        self.request = self.request.take().and_then(|request| request.test().err());
        self.request.is_none()
    }

    /// The bytes of a complete transfer.
    fn into_buffer(mut self) -> Vec<u8> {
        assert!(self.request.is_none(), "MPI still works on this buffer");
        std::mem::take(&mut self.buffer)
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            // Only on the way out of a panic, after which the run is aborted. Leaking both is the one thing that is
            // safe then.
            std::mem::forget(request);
            std::mem::forget(std::mem::take(&mut self.buffer));
        }
    }
}

/// The way to one receiver. Something waits only while as many sends as may be are under way.
#[derive(Default)]
struct Lane {
    sending: usize,
    waiting: VecDeque<(Vec<u8>, Tag)>,
}

/// A message, or a piece of one, that a rank has begun to receive.
struct Arriving {
    from: Rank,
    tag: Tag,
    transfer: Transfer,
}

/// The end of the network that an MPI process holds. It stays on the thread that started it; MPI wants to be called
/// from there.
pub struct MpiTransport {
    rank: Rank,
    ranks: Rank,
    /// By receiver.
    lanes: Vec<Lane>,
    sending: VecDeque<(Rank, Transfer)>,
    arriving: VecDeque<Arriving>,
    /// By sender, the pieces of a message whose last piece is yet to come.
    pieces: Vec<Vec<u8>>,
    arrived: VecDeque<(Rank, Vec<u8>)>,
    piece_bytes_max: usize,
    world: SimpleCommunicator,
    /// Finalizes MPI when it is dropped, which is after everything above.
    _universe: Universe,
    one_thread: PhantomData<*const ()>,
}

impl MpiTransport {
    /// Starts MPI in this process. Where MPI is not set up properly, or the launcher is missing, MPI ends the process
    /// by itself: ask [`ranks_of_environment`](crate::ranks_of_environment) first.
    pub fn start() -> Result<MpiTransport, StartError> {
        let (universe, threading) = initialize_with_threading(Threading::Funneled).ok_or(StartError::AlreadyStarted)?;
        if threading < Threading::Funneled {
            return Err(StartError::NoThreads);
        }
        let world = universe.world();
        let (rank, ranks) = (world.rank() as Rank, world.size() as Rank);
        Ok(MpiTransport {
            rank,
            ranks,
            lanes: std::iter::repeat_with(Lane::default).take(ranks as usize).collect(),
            sending: VecDeque::new(),
            arriving: VecDeque::new(),
            pieces: vec![Vec::new(); ranks as usize],
            arrived: VecDeque::new(),
            piece_bytes_max: PIECE_BYTES_MAX,
            world,
            _universe: universe,
            one_thread: PhantomData,
        })
    }

    /// Gives MPI at most so many bytes at once, at least one. Larger messages travel in pieces.
    pub fn set_piece_bytes_max(&mut self, bytes: usize) {
        self.piece_bytes_max = bytes.clamp(1, PIECE_BYTES_MAX);
    }

    /// How many messages, or pieces of them, have not been sent completely.
    pub fn sends_under_way(&self) -> usize {
        self.sending.len() + self.lanes.iter().map(|lane| lane.waiting.len()).sum::<usize>()
    }

    /// Ends this rank's part of the run: returns when all ranks have come to this point, and everything has been sent.
    /// The same happens when the transport is dropped.
    pub fn finish(self) {}

    /// Ends the whole run, all ranks included, with this exit status: for a rank that has failed in a way that the
    /// others cannot know of. They would wait for it for ever.
    pub fn abort(self, status: i32) -> ! {
        self.world.abort(status)
    }

    fn send_piece(&mut self, to: Rank, piece: Vec<u8>, tag: Tag) {
        let lane = &mut self.lanes[to as usize];
        lane.waiting.push_back((piece, tag));
        self.fill_lane(to);
        self.forget_sent();
    }

    /// Gives MPI what waits for this receiver, as far as it may be given more.
    fn fill_lane(&mut self, to: Rank) {
        let lane = &mut self.lanes[to as usize];
        while lane.sending < SENDING_MAX {
            let Some((piece, tag)) = lane.waiting.pop_front() else { break };
            let mut transfer = Transfer::send(piece, &self.world.process_at_rank(to as i32), tag);
            // Small messages are copied by MPI and complete at once.
            if !transfer.is_complete() {
                lane.sending += 1;
                self.sending.push_back((to, transfer));
            }
        }
    }

    /// Drops what has been sent, and sends what waited for that. One send that is not complete yet is looked at in a
    /// call, in turn: so a call is cheap however many there are, and a receiver that is slow does not keep the buffers
    /// of others alive.
    fn forget_sent(&mut self) {
        while let Some((to, mut transfer)) = self.sending.pop_front() {
            if !transfer.is_complete() {
                self.sending.push_back((to, transfer));
                break;
            }
            self.lanes[to as usize].sending -= 1;
            self.fill_lane(to);
        }
    }

    /// Begins to receive what has been announced, and collects what has come in.
    fn progress(&mut self) {
        self.forget_sent();
        while self.arriving.len() < ARRIVING_MAX {
            let Some((message, status)) = self.world.any_process().immediate_matched_probe() else { break };
            let bytes = status.count(u8::equivalent_datatype()) as usize;
            let transfer = Transfer::receive(vec![0; bytes], message);
            self.arriving.push_back(Arriving { from: status.source_rank() as Rank, tag: status.tag(), transfer });
        }
        let mut index = 0;
        while index < self.arriving.len() {
            let from = self.arriving[index].from;
            let is_next = self.arriving.iter().take(index).all(|earlier| earlier.from != from);
            if is_next && self.arriving[index].transfer.is_complete() {
                let arriving = self.arriving.remove(index).expect("the index is within the queue");
                self.collect(arriving);
            } else {
                index += 1;
            }
        }
    }

    fn collect(&mut self, arriving: Arriving) {
        let Arriving { from, tag, transfer } = arriving;
        let mut message = transfer.into_buffer();
        let pieces = &mut self.pieces[from as usize];
        if tag == MORE {
            pieces.append(&mut message);
        } else if pieces.is_empty() {
            self.arrived.push_back((from, message));
        } else {
            pieces.append(&mut message);
            self.arrived.push_back((from, std::mem::take(pieces)));
        }
    }

    /// Gets the own messages through, and waits for all others to do the same, taking in what they send.
    fn end(&mut self) {
        let mut pause = Pause::default();
        let mut barrier = None;
        loop {
            self.progress();
            self.arrived.clear();
            if self.sending.is_empty() {
                let request = barrier.take().unwrap_or_else(|| self.world.immediate_barrier());
                match request.test() {
                    Ok(_) => break,
                    Err(request) => barrier = Some(request),
                }
            }
            pause.rest(Duration::MAX);
        }
        // Everybody's sends are complete, so what has begun to arrive will be here soon.
        while !self.arriving.is_empty() {
            self.progress();
        }
    }
}

impl Transport for MpiTransport {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> Rank {
        self.ranks
    }

    fn send(&mut self, to: Rank, message: Vec<u8>) {
        assert!(to < self.ranks, "rank {} sends to rank {to} of {}", self.rank, self.ranks);
        if message.len() <= self.piece_bytes_max {
            self.send_piece(to, message, LAST);
            return;
        }
        let mut pieces = message.chunks(self.piece_bytes_max).peekable();
        while let Some(piece) = pieces.next() {
            let tag = if pieces.peek().is_some() { MORE } else { LAST };
            self.send_piece(to, piece.to_vec(), tag);
        }
    }

    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost> {
        if self.arrived.is_empty() {
            self.progress();
        }
        Ok(self.arrived.pop_front())
    }

    fn wait(&mut self, at_most: Duration) {
        let start = Instant::now();
        let mut pause = Pause::default();
        while self.arrived.is_empty() {
            self.progress();
            let left = at_most.saturating_sub(start.elapsed());
            if left.is_zero() {
                return;
            }
            if self.arrived.is_empty() {
                pause.rest(left);
            }
        }
    }
}

impl Drop for MpiTransport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The others would wait for this rank for ever.
            self.world.abort(STATUS_OF_PANIC);
        }
        self.end();
    }
}

/// Polls at first as fast as it can, then less and less often. MPI offers no way to sleep until something arrives.
#[derive(Default)]
struct Pause {
    rests: u32,
}

impl Pause {
    const RESTS_AWAKE: u32 = 16;
    const SLEEP_MIN: Duration = Duration::from_micros(8);
    const SLEEP_MAX: Duration = Duration::from_millis(1);

    fn rest(&mut self, at_most: Duration) {
        if self.rests < Self::RESTS_AWAKE {
            std::thread::yield_now();
        } else {
            let doublings = (self.rests - Self::RESTS_AWAKE).min(16);
            std::thread::sleep((Self::SLEEP_MIN * (1 << doublings)).min(Self::SLEEP_MAX).min(at_most));
        }
        self.rests = self.rests.saturating_add(1);
    }
}
