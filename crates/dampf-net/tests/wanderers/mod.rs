//! A process for tests: tokens that wander from rank to rank for some hops and are counted when they come home.
//!
//! Every rank sets tokens out. A token hops to a rank that its own number chooses, until it has no hops left; then it
//! goes to rank 0. When all are there, rank 0 ends the run. Every message carries its number among those of its pair,
//! so that a message that is lost, doubled or out of order is noticed by whoever receives the next one.

use dampf_net::{Lost, Process, Rank, Transport, Turn};

/// Received in one turn at most, so that turns are short and interleave.
const MESSAGES_PER_TURN_MAX: usize = 4;

/// The longest a message is, beyond its three numbers.
const PADDING_MAX: u64 = 3000;

const END: u32 = u32::MAX;

/// One message: where a token is on its way, or the end of the run.
struct Letter {
    /// The number of this message among those from its sender to its receiver.
    number: u64,
    token: u64,
    /// How many hops are left, or [`END`].
    hops: u32,
}

impl Letter {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(self.token.to_le_bytes());
        bytes.extend(self.hops.to_le_bytes());
        bytes.resize(bytes.len() + (mixed(self.token) % PADDING_MAX) as usize, self.token as u8);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Letter {
        let eight = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let letter = Letter {
            number: eight(0),
            token: eight(8),
            hops: u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")),
        };
        assert_eq!(bytes, letter.to_bytes(), "a message has changed on its way");
        letter
    }
}

fn mixed(number: u64) -> u64 {
    let mixed = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
}

/// One rank's part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanderers {
    tokens: u64,
    hops: u32,
    set_out: bool,
    /// By rank, how many messages went there and came from there.
    sent: Vec<u64>,
    received: Vec<u64>,
    /// Tokens that have come home here.
    pub home: u64,
    /// Who sent what is received, in the order in which it is.
    pub log: Vec<Rank>,
    pub lost: Option<Lost>,
}

impl Wanderers {
    /// A rank that sets this many tokens out for this many hops.
    pub fn new(tokens: u64, hops: u32) -> Wanderers {
        Wanderers {
            tokens,
            hops,
            set_out: false,
            sent: Vec::new(),
            received: Vec::new(),
            home: 0,
            log: Vec::new(),
            lost: None,
        }
    }

    fn send(&mut self, network: &mut impl Transport, to: Rank, token: u64, hops: u32) {
        let number = self.sent[to as usize];
        self.sent[to as usize] += 1;
        network.send(to, Letter { number, token, hops }.to_bytes());
    }

    fn hop(&mut self, network: &mut impl Transport, token: u64, hops: u32) {
        let to = match hops {
            0 => 0,
            _ => (mixed(token + u64::from(hops)) % u64::from(network.ranks())) as Rank,
        };
        self.send(network, to, token, hops);
    }

    fn begin(&mut self, network: &mut impl Transport) {
        self.set_out = true;
        self.sent = vec![0; network.ranks() as usize];
        self.received = vec![0; network.ranks() as usize];
        for token in 0..self.tokens {
            self.hop(network, token << 16 | u64::from(network.rank()), self.hops);
        }
    }

    /// Takes one message. True if it is the end.
    fn take(&mut self, network: &mut impl Transport, from: Rank, message: &[u8]) -> bool {
        let letter = Letter::from_bytes(message);
        assert_eq!(letter.number, self.received[from as usize], "messages from rank {from} are out of order");
        self.received[from as usize] += 1;
        self.log.push(from);
        match letter.hops {
            END => return true,
            0 => self.home += 1,
            hops => self.hop(network, letter.token, hops - 1),
        }
        let all_home = self.home == self.tokens * u64::from(network.ranks());
        if network.rank() == 0 && all_home {
            (1..network.ranks()).for_each(|rank| self.send(network, rank, 0, END));
        }
        network.rank() == 0 && all_home
    }
}

impl Process for Wanderers {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        if !self.set_out {
            self.begin(network);
            return Turn::Worked { work: self.tokens };
        }
        let mut work = 0;
        for _ in 0..MESSAGES_PER_TURN_MAX {
            match network.receive() {
                Ok(Some((from, message))) => {
                    if self.take(network, from, &message) {
                        return Turn::Done;
                    }
                    work += 1;
                }
                Ok(None) => break,
                Err(lost) => {
                    self.lost = Some(lost);
                    return Turn::Done;
                }
            }
        }
        if work == 0 { Turn::Idle } else { Turn::Worked { work } }
    }
}
