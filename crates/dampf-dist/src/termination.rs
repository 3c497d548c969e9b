//! Has the search ended everywhere?
//!
//! A rank that has nothing to do may get work from another one at any moment, and work may be on its way. Safra's algorithm finds
//! out: a token goes round the ring of ranks, each adds the number of messages it has sent minus those it has received,
//! and taints the token if it has received one since the token was last there. Only if the token comes back to the first rank
//! untainted, with a sum of zero, and the first rank has received nothing either, no message can be under way and nobody can have
//! work. `models/self` holds a model of it that Dampf checks.
//!
//! [`IdleReports`] is what a paper of 2007 does instead: ranks tell the first one when they run out of work and when they get new. It
//! is wrong, as its authors say: messages under way are in nobody's report. It is kept to show just that.

use dampf_net::Rank;

/// The token that goes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Messages sent minus messages received, of the ranks that the token has passed.
    pub balance: i64,
    pub tainted: bool,
}

/// One rank's part in Safra's algorithm.
#[derive(Debug)]
pub struct Safra {
    rank: Rank,
    ranks: Rank,
    balance: i64,
    /// Received a message since the token left.
    tainted: bool,
    token: Option<Token>,
    /// The first rank's: a token is on its way.
    is_probing: bool,
    /// How often the token went round.
    pub rounds: u64,
}

/// What to do for the detection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detection {
    /// Nothing.
    Wait,
    /// Give the token to this rank.
    Pass(Rank, Token),
    /// The search has ended everywhere.
    Ended,
}

impl Safra {
    pub fn new(rank: Rank, ranks: Rank) -> Self {
        Safra { rank, ranks, balance: 0, tainted: false, token: None, is_probing: false, rounds: 0 }
    }

    pub fn sent(&mut self) {
        self.balance += 1;
    }

    pub fn received(&mut self) {
        self.balance -= 1;
        self.tainted = true;
    }

    pub fn take(&mut self, token: Token) {
        self.token = Some(token);
    }

    /// To be asked when the rank has no work and nothing left to send.
    pub fn idle(&mut self) -> Detection {
        if self.ranks == 1 {
            return Detection::Ended;
        }
        if self.rank > 0 {
            let Some(token) = self.token.take() else { return Detection::Wait };
            let passed = Token { balance: token.balance + self.balance, tainted: token.tainted || self.tainted };
            self.tainted = false;
            return Detection::Pass((self.rank + 1) % self.ranks, passed);
        }
        match self.token.take() {
            Some(token) if !token.tainted && !self.tainted && token.balance + self.balance == 0 => Detection::Ended,
            None if self.is_probing => Detection::Wait,
            _ => {
                self.tainted = false;
                self.is_probing = true;
                self.rounds += 1;
                Detection::Pass(1, Token { balance: 0, tainted: false })
            }
        }
    }
}

/// The detection of 2007, which ends too early.
#[derive(Debug)]
pub struct IdleReports {
    /// The first rank's: who has said to be idle.
    idle: Vec<bool>,
    /// Whether this rank has told that it is idle.
    pub reported: bool,
}

impl IdleReports {
    pub fn new(rank: Rank, ranks: Rank) -> Self {
        // As published: all ranks but the first begin as if they had reported, and the first knows of nobody.
        let mut idle = vec![false; ranks as usize];
        idle[0] = true;
        IdleReports { idle, reported: rank > 0 }
    }

    pub fn report(&mut self, from: Rank, is_idle: bool) {
        self.idle[from as usize] = is_idle;
    }

    /// Whether the first rank, being idle itself, would end the search.
    pub fn all_idle(&self) -> bool {
        self.idle.iter().all(|&idle| idle)
    }
}
