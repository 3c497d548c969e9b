//! Has the search ended everywhere?
//!
//! A rank that has nothing to do may get work from another one at any moment, and work may be on its way. Safra's
//! algorithm finds out ([`dampf_search::safra`]): its token travels in a message here.
//!
//! [`IdleReports`] is what a paper of 2007 does instead: ranks tell the first one when they run out of work and when
//! they get new. It is wrong, as its authors say: messages under way are in nobody's report. It is kept to show just
//! that.

use crate::Termination;
use crate::mail::Mail;
use crate::message::Message;
use dampf_net::Rank;
use dampf_search::safra::{self, Balance, Safra, Token};

/// What a rank without work finds out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    /// Nothing.
    Waits,
    /// It has told others something.
    Told,
    /// The search has ended everywhere.
    Ended,
}

/// One rank's part in finding out whether the search has ended.
pub(crate) enum Detection {
    Safra(Safra),
    IdleReports(IdleReports),
}

impl Detection {
    pub fn new(termination: Termination, mail: &Mail) -> Self {
        match termination {
            Termination::Safra => Detection::Safra(Safra::new(mail.rank, mail.ranks)),
            Termination::IdleReports => Detection::IdleReports(IdleReports::new(mail.rank, mail.ranks)),
        }
    }

    /// To be asked when the rank has no work and nothing left to send.
    pub fn rest(&mut self, balance: Balance, mail: &mut Mail) -> Rest {
        let rest = match self {
            Detection::Safra(safra) => match safra.rest(balance) {
                safra::Rest::Waits => Rest::Waits,
                safra::Rest::Passes(to, token) => {
                    mail.send(to, &Message::Token(token));
                    Rest::Told
                }
                safra::Rest::Ended => Rest::Ended,
            },
            Detection::IdleReports(reports) => reports.rest(mail),
        };
        if rest == Rest::Ended {
            mail.broadcast(&Message::Ended);
        }
        rest
    }

    /// The rank has work.
    pub fn work(&mut self, mail: &mut Mail) {
        if let Detection::IdleReports(reports) = self {
            reports.work(mail);
        }
    }

    pub fn take_token(&mut self, token: Token) {
        if let Detection::Safra(safra) = self {
            safra.take_token(token);
        }
    }

    pub fn take_idle(&mut self, from: Rank, is_idle: bool) {
        if let Detection::IdleReports(reports) = self {
            reports.idle[from as usize] = is_idle;
        }
    }
}

/// The detection of 2007, which ends too early.
#[derive(Debug)]
pub(crate) struct IdleReports {
    /// The first rank's: who has said to be idle.
    idle: Vec<bool>,
    /// Whether this rank has told that it is idle.
    reported: bool,
}

impl IdleReports {
    fn new(rank: Rank, ranks: Rank) -> Self {
        // As published: all ranks but the first begin as if they had reported, and the first knows of nobody.
        let mut idle = vec![false; ranks as usize];
        idle[0] = true;
        IdleReports { idle, reported: rank > 0 }
    }

    fn rest(&mut self, mail: &mut Mail) -> Rest {
        if mail.rank == 0 {
            let all_idle = self.idle.iter().all(|&idle| idle);
            return if all_idle { Rest::Ended } else { Rest::Waits };
        }
        if self.reported {
            return Rest::Waits;
        }
        self.reported = true;
        mail.send(0, &Message::Idle(true));
        Rest::Told
    }

    fn work(&mut self, mail: &mut Mail) {
        if mail.rank > 0 && self.reported {
            self.reported = false;
            mail.send(0, &Message::Idle(false));
        }
    }
}
