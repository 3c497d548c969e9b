//! Has the work ended everywhere?
//!
//! Somebody who has nothing to do may get work from another one at any moment, and work may be on its way. Safra's
//! algorithm finds out: a token goes round a ring, each place adds how often it has sent work minus how often it has
//! received some, and taints the token if it has received work since the token was last there. Only if the token comes
//! back to the first place untainted, with a sum of zero, and the first place has received nothing either, no work can
//! be under way and nobody can have any. `models/self` holds models of it that Dampf checks.
//!
//! This is the bookkeeping of one place alone. How work and the token travel is its owner's business: between the
//! threads of a search (`stack_slicing.rs`) through memory, between ranks in messages. All that is relied on is that
//! what was sent is received once, after it was sent.

/// How often work was sent and received.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Balance {
    pub sent: u64,
    pub received: u64,
}

impl Balance {
    /// What is sent and not received, if everybody's is added up.
    pub fn surplus(self) -> i64 {
        self.sent as i64 - self.received as i64
    }
}

/// The token that goes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Sent minus received, of the places that the token has passed.
    pub balance: i64,
    pub tainted: bool,
}

/// What a place without work finds out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// Nothing.
    Waits,
    /// The token has to be given to this place.
    Passes(u32, Token),
    /// There is no work anywhere.
    Ended,
}

/// One place's part in the algorithm.
#[derive(Debug)]
pub struct Safra {
    place: u32,
    places: u32,
    /// How often work had been received when the token left.
    received: u64,
    token: Option<Token>,
    /// The first place's: a token is on its way.
    is_probing: bool,
}

impl Safra {
    pub fn new(place: u32, places: u32) -> Self {
        Safra { place, places, received: 0, token: None, is_probing: false }
    }

    /// The token has come here. It is kept as long as there is work.
    pub fn take_token(&mut self, token: Token) {
        self.token = Some(token);
    }

    /// To be asked when the place has no work, and nothing left to send.
    pub fn rest(&mut self, balance: Balance) -> Rest {
        if self.places == 1 {
            return Rest::Ended;
        }
        let own = balance.surplus();
        let is_tainted = balance.received > self.received;
        let (to, passed) = match self.token.take() {
            Some(token) if self.place > 0 => {
                let tainted = token.tainted || is_tainted;
                ((self.place + 1) % self.places, Token { balance: token.balance + own, tainted })
            }
            None if self.place > 0 || self.is_probing => return Rest::Waits,
            Some(token) if !token.tainted && !is_tainted && token.balance + own == 0 => return Rest::Ended,
            _ => {
                self.is_probing = true;
                (1, Token { balance: 0, tainted: false })
            }
        };
        self.received = balance.received;
        Rest::Passes(to, passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Balance = Balance { sent: 0, received: 0 };

    #[test]
    fn one_place_has_nobody_to_ask() {
        assert_eq!(Safra::new(0, 1).rest(NOTHING), Rest::Ended);
    }

    #[test]
    fn work_under_way_and_work_that_was_received_behind_the_token_keep_it_going() {
        let (mut first, mut second) = (Safra::new(0, 2), Safra::new(1, 2));
        let sent = Balance { sent: 1, received: 0 };
        let received = Balance { sent: 0, received: 1 };
        let fresh = Token { balance: 0, tainted: false };
        assert_eq!(second.rest(NOTHING), Rest::Waits);
        assert_eq!(first.rest(sent), Rest::Passes(1, fresh));
        assert_eq!(first.rest(sent), Rest::Waits);
        // The second place has not received yet what the first has sent.
        second.take_token(fresh);
        assert_eq!(second.rest(NOTHING), Rest::Passes(0, fresh));
        first.take_token(fresh);
        assert_eq!(first.rest(sent), Rest::Passes(1, fresh), "a state is under way");
        second.take_token(fresh);
        let tainted = Token { balance: -1, tainted: true };
        assert_eq!(second.rest(received), Rest::Passes(0, tainted));
        first.take_token(tainted);
        assert_eq!(first.rest(sent), Rest::Passes(1, fresh), "the second place may have sent something since");
        second.take_token(fresh);
        let settled = Token { balance: -1, tainted: false };
        assert_eq!(second.rest(received), Rest::Passes(0, settled));
        first.take_token(settled);
        assert_eq!(first.rest(sent), Rest::Ended);
    }
}
