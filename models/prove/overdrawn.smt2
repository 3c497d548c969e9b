; An account from which may be taken while there is money: the check looks at the balance before, not behind.
;~ VERDICT violated
(set-logic HORN)
(declare-fun account (Int Bool) Bool)
(assert (forall ((balance Int)) (=> (= balance 100) (account balance true))))
(assert (forall ((balance Int) (open Bool) (taken Int))
  (=> (and (account balance open) open (> balance 0) (<= 1 taken 60)) (account (- balance taken) open))))
(assert (forall ((balance Int) (open Bool)) (=> (and (account balance open) (<= balance 0)) (account balance false))))
(assert (forall ((balance Int) (open Bool)) (=> (account balance open) (>= balance 0))))
(check-sat)
